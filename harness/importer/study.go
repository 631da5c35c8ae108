package importer

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"

	"infnet/backends"
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
		if m.twice.n > 0 {
			return "", fmt.Errorf("%s answers some questions twice (second answers: %d), such as %s: import one evaluation at "+
				"a time, or leave out one row of two", m.Name, m.twice.n, m.twice.first)
		}
		if c := m.currencies; len(c) > 1 {
			return "", fmt.Errorf("costs of %s are in %s (%s) and in %s (%s): convert them into one currency, and name it in "+
				"every row", m.Name, unit(c[0].What), c[0].Where, unit(c[1].What), c[1].Where)
		}
		if m.Has[Grade] == 0 && f.Questions.References < f.Questions.N {
			return "", fmt.Errorf("the answers of %s have no grade, and not every question has a right answer: name the "+
				"column, --column correct=COLUMN, --column score=COLUMN or --column reference=COLUMN, or import the file of "+
				"the questions with their right answers too", m.Name)
		}
		if m.Unnamed && m.Said == 0 {
			return "", fmt.Errorf("the probabilities of %s are lists, and nothing says which label is at which place: write "+
				"them as objects, {\"LABEL\": PROBABILITY}", m.Name)
		}
	}
	if f.Questions.Everybody == 0 {
		a, b := f.Models[0], f.Models[len(f.Models)-1]
		return "", fmt.Errorf("no question is answered by every model: their ids differ, such as %q (%s) and %q (%s); name "+
			"the column of the ids, --column id=COLUMN, or import files of one evaluation", a.first.What, a.first.Where,
			b.first.What, b.first.Where)
	}
	if f.Questions.N < 2 {
		return "", fmt.Errorf("one question: thresholds are fitted on some questions and tested on others; import more")
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
		"delimiter": func(r rune) string {
			if r == 0 || r == ',' {
				return ""
			}
			return string(r)
		},
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
	Classes   []string // nil = answers are texts
	Other     bool     // answers may be none of the classes
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
	t := text{Found: f, Cost: f.costModel(), Classes: f.classes(),
		Whole:  f.some(func(m *Model) bool { return m.Whole > 0 }),
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
	t.Other = q.Labels == nil && !slices.Contains(t.Classes, "other")
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

// every reports whether each model has a fact in each of its answers.
func (f *Found) every(fact int) bool {
	return !f.some(func(m *Model) bool { return m.Has[fact] < m.Rows-m.Failed || m.Has[fact] == 0 })
}

// costModel is the cost that every answer has.
func (f *Found) costModel() string {
	switch {
	case f.every(Cost) && f.some(func(m *Model) bool { return m.Cost > 0 }) &&
		!f.some(func(m *Model) bool { return m.Currency != f.Models[0].Currency }):
		return "recorded"
	case f.every(Tokens):
		return "tokens"
	case f.every(Time):
		return "latency"
	}
	return "fixed"
}

// classes recognises what is answered: one of the labels, or of the choices of every question, or single letters; nil =
// the answers are texts.
func (f *Found) classes() (letters []string) {
	if f.Questions.Labels != nil {
		return f.Questions.Labels
	}
	counts, all := map[string]int{}, 0
	for _, m := range f.Models {
		if m.overflow || m.Has[Grade] == 0 {
			return nil
		}
		for text, n := range m.texts {
			counts[text] += n
		}
		all += m.Rows - m.Failed
	}
	cover := func(list []string) bool { // nine answers of ten
		n := 0
		for _, text := range list {
			n += counts[text]
		}
		return n*10 >= all*9
	}
	if c := f.Questions.Choices; len(c) >= 2 && len(c) <= 100 && cover(c) {
		return c
	}
	for text, n := range counts {
		if len(text) == 1 && text[0] >= 'A' && text[0] <= 'Z' && n*100 >= all {
			letters = append(letters, text)
		}
	}
	if len(letters) < 2 || !cover(letters) || f.some(func(m *Model) bool { return m.Format != backends.AnswersTable }) {
		return nil
	}
	slices.Sort(letters)
	return letters
}

// cascades pairs the model that is right most often with each of the others, the cheaper one first.
func (f *Found) cascades() (pairs [][]string) {
	right := func(m *Model) float64 { return m.Right / float64(max(1, m.Has[Grade]+m.Judged)) }
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
