package spec

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
)

// Reach is what a study may do on this machine beyond asking and counting: what whoever runs a study of somebody
// else's has to agree to (docs/threat-model.md). Lists are sorted, without repetition; nil = nothing of the kind.
type Reach struct {
	Programs []string // that it starts, each with what for
	Files    []string // that it reads outside the spec's folder; they may go into prompts
	Sends    []Sent   // what goes to which host
}

// Sent are the environment variables whose values go to a host.
type Sent struct {
	Host      string   // scheme, name and port
	Variables []string // nil = it is asked without any
}

// The Hugging Face hub, as its library's variables name it.
const (
	hubHost  = "the Hugging Face hub (HF_ENDPOINT)"
	hubToken = "HF_TOKEN"
)

// Reach lists what the study may do.
func (s *Study) Reach() Reach {
	var programs, files []string
	sends := map[string][]string{}
	runs := func(words []string, what string) {
		if len(words) > 0 {
			programs = append(programs, strings.Join(words, " ")+" ("+what+")")
		}
	}
	models := slices.Clone(s.Models)
	for _, m := range []*Model{s.Embedder.Model, s.Scorer, or(s.Judge, Judge{}).Model} {
		if m != nil {
			models = append(models, *m)
		}
	}
	for _, m := range models {
		if m.Hub != "" {
			sends[hubHost] = append(sends[hubHost], hubToken)
		}
		if m.FS == nil {
			files = append(files, m.Config.Folder())
		}
		if m.Recording != nil {
			files = append(files, m.Recording.File)
		}
		r, _ := m.Config.Remote()
		if l := r.Launch; l != nil {
			if runs(l.Command, "serves "+m.Name); l.Command == nil {
				runs(append([]string{string(l.Engine)}, l.Args...), "serves "+m.Name)
			}
			if l.Local {
				files = append(files, l.Weights)
			}
			continue
		}
		for _, at := range r.URLs {
			if u, err := url.Parse(at); err == nil {
				at = u.Scheme + "://" + u.Host
			}
			sends[at] = append(append(sends[at], r.APIKeyEnv), slices.Collect(maps.Values(m.HeadersEnv))...)
		}
	}
	for _, d := range s.Datasets {
		switch d.Source.Scheme {
		case Hub:
			sends[hubHost] = append(sends[hubHost], hubToken)
		case File:
			files = append(files, d.Source.Name)
		}
		runs(d.Correct.Command, "grades "+d.Name+", in "+d.Correct.Dir)
	}
	for _, b := range s.Baselines {
		runs(b.Command, "learns for "+string(b.Kind)+", in the folder of the spec")
	}
	for _, line := range s.Cluster().Setup {
		runs([]string{line}, "slurm.setup, on every node that infnet slurm submit uses")
	}
	out := Reach{Programs: set(programs), Files: s.outside(set(files))}
	for _, to := range slices.Sorted(maps.Keys(sends)) {
		out.Sends = append(out.Sends, Sent{to, set(sends[to])})
	}
	return out
}

// set sorts texts, and leaves out empty ones and repetitions; nil = there is none.
func set(texts []string) (out []string) {
	for _, t := range slices.Compact(slices.Sorted(slices.Values(texts))) {
		if t != "" {
			out = append(out, t)
		}
	}
	return out
}

func (s *Study) outside(paths []string) (out []string) {
	if s.FS != nil {
		return nil
	}
	home, err := filepath.Abs(filepath.Dir(s.File))
	for _, p := range paths {
		at, aerr := filepath.Abs(p)
		rel, rerr := filepath.Rel(home, at)
		if err != nil || aerr != nil || rerr != nil || !filepath.IsLocal(rel) {
			out = append(out, p)
		}
	}
	return out
}
