package importer

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"infnet/harness/spec"
)

// Study is the text of the study that replays what was found. folder is where it will be, and questions the file of
// questions that was written there. The error says why there is no study.
func (f *Found) Study(folder, questions string) (string, error) {
	if len(f.Models) < 2 {
		return "", fmt.Errorf("one model, %s: a cascade takes two; import the answers of another model too",
			f.Models[0].Name)
	}
	for _, m := range f.Models {
		if m.Has[Grade] == 0 && f.Questions.Rights < f.Questions.N {
			return "", fmt.Errorf("the answers of %s have no grade, and not every question has a right answer: name the "+
				"column, --column correct=COLUMN, --column score=COLUMN or --column reference=COLUMN, or import the file of "+
				"the questions with their right answers too", m.Name)
		}
	}
	if f.Questions.Everybody < 2 {
		return "", fmt.Errorf("%d questions are answered by every model, and thresholds are fitted on some and tested on "+
			"others: do the ids of %s and of %s differ? name their column, --column id=COLUMN", f.Questions.Everybody,
			f.Models[0].Path, f.Models[len(f.Models)-1].Path)
	}
	var b strings.Builder
	t := template.Must(template.New("study").Funcs(writing(folder)).Parse(studyText))
	err := t.Execute(&b, f.text(folder, questions))
	return b.String(), err
}

//go:embed study.tmpl
var studyText string

func writing(folder string) template.FuncMap {
	quote := func(v any) string { return spec.Quote(fmt.Sprint(v)) }
	return template.FuncMap{
		"quote": quote,
		"quoted": func(list []string) string {
			out := slices.Clone(list)
			for i := range out {
				out[i] = spec.Quote(out[i])
			}
			return strings.Join(out, ", ")
		},
		"path": func(path string) string { return quote(relative(folder, path)) },
		"line": func(s string) string { return strings.Join(strings.Fields(s), " ") },
	}
}

// relative is a path as a study in a folder names it.
func relative(folder, path string) string {
	return strings.ReplaceAll(spec.Relative(folder, path), "${", "$${") // a name, and no variable
}

// text is what the study says besides what was found.
type text struct {
	*Found
	Cost      string
	Whole     bool    // some log-probabilities are of whole answers
	Missing   float64 // share of the questions
	Source    string
	Prompt    string
	Right     string // what decides whether an answer is right: label, reference, score or grade
	Reference string // the column of what is right
	Cascades  [][]string
}

// Pooled reports whether it is asked which of three models or more are ever worth asking.
func (f *Found) Pooled() bool { return len(f.Models) >= 3 && len(f.Models) <= 12 }

func (f *Found) some(kind func(*Model) bool) bool { return slices.ContainsFunc(f.Models, kind) }

// Unsure reports whether a model has no confidence.
func (m *Model) Unsure() bool { return m.Has[Confidence] == 0 }

func (f *Found) text(folder, questions string) text {
	q := f.Questions
	t := text{Found: f, Cost: f.costModel(), Whole: f.some(func(m *Model) bool { return m.Whole }),
		Source: "file:" + strings.ReplaceAll(questions, "${", "$${"), Reference: "reference",
		Prompt: "{" + cmp.Or(q.Text, q.ID) + "}", Cascades: f.cascades()}
	if q.Path != "" {
		t.Source, t.Reference = "file:"+relative(folder, q.Path), q.Right
	}
	lost := q.N - q.Usable
	for _, m := range f.Models {
		if !m.Unsure() {
			lost += m.Rows - m.Failed - m.Has[Confidence] // missing where confidences decide
		}
	}
	t.Missing = min(1, math.Ceil(100*float64(lost)/float64(q.N))/100)
	switch {
	case q.Labels != nil && f.some(func(m *Model) bool { return m.Has[Grade] < m.Rows-m.Failed }):
		if t.Right = "label"; q.Path == "" {
			t.Reference += "[0]"
		}
	case f.some(func(m *Model) bool { return m.Has[Grade] == 0 }):
		t.Right = "reference"
	case f.some(func(m *Model) bool { return m.Partly }):
		t.Right = "score"
	}
	return t
}

// costModel is the cost that every answer has.
func (f *Found) costModel() string {
	every := func(fact int) bool {
		return !f.some(func(m *Model) bool { return m.Has[fact] < m.Rows-m.Failed || m.Has[fact] == 0 })
	}
	switch {
	case every(Cost) && f.some(func(m *Model) bool { return m.Cost > 0 }) &&
		!f.some(func(m *Model) bool { return m.Currency != f.Models[0].Currency }):
		return "recorded"
	case every(Tokens):
		return "tokens"
	case every(Time):
		return "latency"
	}
	return "fixed"
}

// cascades pairs the model that is right most often with each of the others, the cheaper one first.
func (f *Found) cascades() (pairs [][]string) {
	right := func(m *Model) float64 { return m.Right / float64(max(1, m.Has[Grade]+m.judged)) }
	price := func(m *Model) float64 { return m.Cost / float64(max(1, m.Has[Cost])) }
	best := slices.MaxFunc(f.Models, func(a, b *Model) int {
		return cmp.Or(cmp.Compare(right(a), right(b)), -cmp.Compare(price(a), price(b)))
	})
	for _, m := range f.Models {
		switch {
		case m == best:
		case price(m) > price(best):
			pairs = append(pairs, []string{best.Name, m.Name})
		default:
			pairs = append(pairs, []string{m.Name, best.Name})
		}
	}
	return pairs
}

// base is a file's name without its endings.
func base(path string) string {
	name := filepath.Base(path)
	for _, ending := range []string{".gz", ".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet", ".eval"} {
		if name != ending {
			name = strings.TrimSuffix(name, ending)
		}
	}
	return name
}

// legal turns a model's name into one that a study may use and that no other model has, whatever its case.
func legal(name string, others []*Model) string {
	if i := strings.LastIndexByte(name, '/'); i < len(name)-1 {
		name = name[i+1:]
	}
	name = strings.Trim(strings.Map(func(r rune) rune {
		if spec.NameFault("a"+string(r)+"a") != "" {
			return '-'
		}
		return r
	}, name), "-._+")
	name = cmp.Or(strings.Trim(name[:min(len(name), spec.LongestName-3)], "-._+"), "model")
	out := name
	for n := 2; slices.ContainsFunc(others, func(m *Model) bool { return strings.EqualFold(m.Name, out) }); n++ {
		out = fmt.Sprintf("%s-%d", name, n)
	}
	return out
}
