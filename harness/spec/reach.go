package spec

import (
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/harness/router"
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

// Reach lists what the study may do.
func (s *Study) Reach() Reach {
	programs, files, sends := map[string]bool{}, map[string]bool{}, map[string]map[string]bool{}
	send := func(to, variable string) {
		if sends[to] == nil {
			sends[to] = map[string]bool{}
		}
		if variable != "" {
			sends[to][variable] = true
		}
	}
	for _, m := range s.everyModel() {
		if m.Hub != "" {
			send(hubHost, hubToken)
		}
		if m.FS == nil {
			files[m.Config.Folder()] = true
		}
		if m.Recording != nil {
			for _, p := range append([]string{m.Recording.File}, m.Recording.AlsoFiles...) {
				files[p] = true
			}
		}
		r, ok := m.Config.Remote()
		if !ok {
			continue
		}
		if r.Launch != nil {
			programs[program(r.Launch)+" (serves "+m.Name+")"] = true
			if r.Launch.Local {
				files[r.Launch.Weights] = true
			}
			continue
		}
		for _, at := range r.URLs {
			send(host(at), r.APIKeyEnv)
			for _, variable := range m.HeadersEnv {
				send(host(at), variable)
			}
		}
	}
	for _, d := range s.Datasets {
		switch d.Source.Scheme {
		case Hub:
			send(hubHost, hubToken)
		case File:
			files[d.Source.Name] = true
		}
		if words := d.Correct.Command; words != nil {
			programs[strings.Join(words, " ")+" (grades "+d.Name+", in "+d.Correct.Dir+")"] = true
		}
	}
	for _, b := range s.Baselines {
		if b.Learner == router.Command {
			programs[strings.Join(b.Command, " ")+" (learns for "+string(b.Kind)+", in the folder of the spec)"] = true
		}
	}
	if s.Slurm != nil {
		for _, line := range s.Slurm.Setup {
			programs[line+" (slurm.setup, on every node that infnet slurm submit uses)"] = true
		}
		if c := s.Slurm.Command; len(c) > 0 {
			programs[strings.Join(c, " ")+" (slurm.command)"] = true
		}
	}
	out := Reach{Programs: slices.Sorted(maps.Keys(programs)), Files: s.outside(files)}
	for _, to := range slices.Sorted(maps.Keys(sends)) {
		out.Sends = append(out.Sends, Sent{to, slices.Sorted(maps.Keys(sends[to]))})
	}
	return out
}

// The Hugging Face hub, as its library's variables name it.
const (
	hubHost  = "the Hugging Face hub (HF_ENDPOINT)"
	hubToken = "HF_TOKEN"
)

// everyModel lists all models that the study opens.
func (s *Study) everyModel() []Model {
	all := slices.Clone(s.Models)
	if s.Embedder.Model != nil {
		all = append(all, *s.Embedder.Model)
	}
	if s.Scorer != nil {
		all = append(all, *s.Scorer)
	}
	if s.Judge != nil {
		all = append(all, *s.Judge.Model)
	}
	return all
}

// program is the command of a server that the study starts.
func program(l *backends.Launch) string {
	if len(l.Command) > 0 {
		return strings.Join(l.Command, " ")
	}
	return strings.Join(append([]string{string(l.Engine)}, l.Args...), " ")
}

// host is where a URL leads.
func host(at string) string {
	u, err := url.Parse(at)
	if err != nil {
		return at
	}
	return u.Scheme + "://" + u.Host
}

// outside lists the paths that lie outside the folder of the spec.
func (s *Study) outside(paths map[string]bool) (out []string) {
	if s.FS != nil {
		return nil
	}
	home, err := filepath.Abs(filepath.Dir(s.File))
	for _, p := range slices.Sorted(maps.Keys(paths)) {
		at, aerr := filepath.Abs(p)
		rel, rerr := filepath.Rel(home, at)
		if p != "" && (err != nil || aerr != nil || rerr != nil || !filepath.IsLocal(rel)) {
			out = append(out, p)
		}
	}
	return out
}
