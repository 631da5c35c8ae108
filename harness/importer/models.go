package importer

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"infnet/harness/recorded"
	"infnet/harness/spec"
)

// model returns the model of a row, and adds the file to its files.
func (s *scan) model(path, name string, v view) (*Model, error) {
	of := name
	if name == "" {
		name = base(path)
	}
	for _, m := range s.found.Models {
		if m.Of == of && (of != "" || m.Paths[0] == path) {
			if m.Paths[len(m.Paths)-1] != path {
				m.Paths = append(m.Paths, path)
			}
			return m, nil
		}
	}
	if len(s.found.Models) == mostModels-1 {
		return nil, fmt.Errorf("%s: more than %d models: import them in groups", path, mostModels-1)
	}
	m := &Model{Name: legal(name), Of: of, Paths: []string{path}, ModelIn: v.columns["model"],
		bit: 1 << len(s.found.Models), texts: map[string]int{}}
	_, m.Columns = v.roles()
	s.found.Models = append(s.found.Models, m)
	return m, nil
}

// legal turns a model's name into one that a study may use.
func legal(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 && i < len(name)-1 {
		name = name[i+1:]
	}
	out := strings.Map(func(r rune) rune {
		if spec.NameFault("a"+string(r)+"a") != "" {
			return '-'
		}
		return r
	}, name)
	out = strings.Trim(out, "-._+")
	if len(out) > spec.LongestName {
		out = strings.Trim(out[:spec.LongestName], "-._+")
	}
	if out == "" {
		return "model"
	}
	return out
}

// shorten takes from models that are named after their files what all of the names begin with, up to a point, as in
// answers.mmlu.small and answers.mmlu.large: what is left begins with a letter, and is a word of its own.
func shorten(models []*Model) {
	if len(models) < 2 || slices.ContainsFunc(models, func(m *Model) bool { return m.Of != "" }) {
		return
	}
	start := models[0].Name
	for start != "" && slices.ContainsFunc(models, func(m *Model) bool {
		rest, begins := strings.CutPrefix(m.Name, start)
		return !strings.HasSuffix(start, ".") || !begins || rest == "" || !unicode.IsLetter([]rune(rest)[0])
	}) {
		start = start[:len(start)-1]
	}
	for _, m := range models {
		m.Name = strings.TrimPrefix(m.Name, start)
	}
}

// distinct gives models whose names are equal, whatever their case, names of their own: with the organisation or the
// folder before it, else with a number.
func distinct(models []*Model) {
	taken := map[string]int{}
	for _, m := range models {
		taken[strings.ToLower(m.Name)]++
	}
	for _, m := range models {
		if taken[strings.ToLower(m.Name)] < 2 {
			continue
		}
		long := strings.ReplaceAll(m.Of, "/", "-")
		if m.Of == "" {
			long = filepath.Base(filepath.Dir(m.Paths[0])) + "-" + base(m.Paths[0])
		}
		m.Name = legal(long)
	}
	used := map[string]bool{}
	for _, m := range models {
		name := m.Name
		for n := 2; used[strings.ToLower(name)]; n++ {
			end := fmt.Sprintf("-%d", n)
			name = m.Name[:min(len(m.Name), spec.LongestName-len(end))] + end
		}
		m.Name = name
		used[strings.ToLower(name)] = true
	}
}

func (m *Model) count(r recorded.Row, path string) {
	if r.Fault != "" {
		m.Failed++
		return
	}
	counted := !r.Usage.Prompt.Plus(r.Usage.Completion).IsZero()
	sure := r.Confidence != nil || len(r.Tokens) > 0 || len(r.Scores) > 0
	for fact, has := range [facts]bool{r.Grade != nil, r.Cost != nil, r.Latency > 0, counted, sure} {
		if has {
			m.Has[fact]++
		} else if m.lacks[fact] == "" {
			m.lacks[fact] = path + ": " + r.Place
		}
	}
	if r.Said {
		m.Said++
	}
	if r.Grade != nil {
		m.Right += *r.Grade
		m.Partly = m.Partly || *r.Grade != 0 && *r.Grade != 1
	}
	if r.Cost != nil {
		m.Cost += r.Cost.Amount
		m.Currency = cmp.Or(m.Currency, r.Cost.Currency)
		if !slices.ContainsFunc(m.Currencies, func(p Place) bool { return p.What == r.Cost.Currency }) {
			m.Currencies = append(m.Currencies, Place{r.Cost.Currency, path + ": " + r.Place})
		}
	}
	if sure {
		m.sure.Add(r.Confidence, r.Tokens, m.Rows, path+": "+r.Place)
	}
	if r.Whole {
		m.Whole++
	}
	switch text := strings.TrimSpace(r.Text); {
	case m.overflow:
	case len(m.texts) < 500:
		if len(text) <= 20 || slices.Contains(r.Choices, text) {
			m.texts[text]++
		}
	default:
		m.overflow = true
	}
}

// What an answer may have.
const (
	Grade = iota
	Cost
	Time
	Tokens
	Confidence
	facts
)

// factNames are those of what an answer may have.
var factNames = [facts]string{"grade", "cost", "time", "tokens", "confidence"}
