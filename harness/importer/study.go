package importer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

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
		if m.Twice > 0 {
			return "", fmt.Errorf("%s answers some questions twice (second answers: %d), such as %s: import one evaluation at "+
				"a time, or leave out one row of two", m.Name, m.Twice, m.FirstTwice)
		}
		if c := m.Currencies; len(c) > 1 {
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
	w := &writer{found: f, folder: folder, questions: questions}
	w.head()
	for _, m := range f.Models {
		w.model(m)
	}
	w.dataset()
	w.cascades()
	w.pool()
	return w.b.String(), nil
}

// writer writes a study.
type writer struct {
	b         strings.Builder
	found     *Found
	folder    string
	questions string
}

func (w *writer) line(format string, args ...any) { fmt.Fprintf(&w.b, format+"\n", args...) }

// every reports whether each model has a fact in each of its answers.
func (f *Found) every(fact int) bool {
	return !slices.ContainsFunc(f.Models,
		func(m *Model) bool { return m.Has[fact] < m.Rows-m.Failed || m.Has[fact] == 0 })
}

// costModel is the cost that every answer has.
func (f *Found) costModel() string {
	same := func(m *Model) bool { return m.Currency == f.Models[0].Currency }
	paid := func(m *Model) bool { return m.Cost > 0 }
	switch {
	case f.every(Cost) &&
		!slices.ContainsFunc(f.Models, func(m *Model) bool { return !same(m) }) &&
		slices.ContainsFunc(f.Models, paid):
		return "recorded"
	case f.every(Tokens):
		return "tokens"
	case f.every(Time):
		return "latency"
	}
	return "fixed"
}

func (w *writer) head() {
	f := w.found
	w.line("# Recorded answers of %d models to %d questions, as infnet init found them.", len(f.Models), f.Questions.N)
	for _, r := range f.Remarks {
		w.line("# check: %s", strings.Join(strings.Fields(r), " "))
	}
	w.line("")
	w.line("study = %s", spec.Quote(f.Name))
	w.line("cost  = { model = %s }", spec.Quote(f.costModel()))
	if slices.ContainsFunc(f.Models, func(m *Model) bool { return m.Whole > 0 }) {
		w.line("")
		w.line("[confidence]")
		w.line("generation = \"sum\" # of the whole answer: how many tokens some answers have is not recorded")
	}
	lost := f.Questions.N - f.Questions.Usable
	for _, m := range f.Models {
		if m.Has[Confidence] > 0 {
			lost += m.Rows - m.Failed - m.Has[Confidence] // an answer without confidence is missing where confidences decide
		}
	}
	if lost > 0 {
		w.line("")
		w.line("[collect]")
		share := min(1, math.Ceil(100*float64(lost)/float64(f.Questions.N))/100)
		w.line("max_missing = %v # of the records; the rest is measured", share)
	}
}

func (w *writer) model(m *Model) {
	w.line("")
	w.line("[[models]]")
	w.line("name               = %s", spec.Quote(m.Name))
	w.line("answers            = %s", spec.Quote(w.relative(m.Paths[0])))
	if len(m.Paths) > 1 {
		var more []string
		for _, p := range m.Paths[1:] {
			more = append(more, spec.Quote(w.relative(p)))
		}
		w.line("answers_also       = [%s]", strings.Join(more, ", "))
	}
	w.line("answers_format     = %s", spec.Quote(string(m.Format)))
	if m.Sep != 0 && m.Sep != ',' {
		w.line("answers_delimiter  = %s", spec.Quote(string(m.Sep)))
	}
	if m.Filter != "" {
		w.line("answers_filter     = %s", spec.Quote(m.Filter))
	}
	if m.Of != "" && (m.Format == backends.AnswersEvalEver || m.ModelIn != "") {
		w.line("answers_of         = %s", spec.Quote(m.Of))
	}
	if m.Has[Confidence] == 0 {
		w.line("without_confidence = \"tie\" # it has none")
	}
	if m.Currency != "" && m.Currency != "USD" {
		w.line("currency           = %s", spec.Quote(m.Currency))
	}
	if w.found.costModel() == "fixed" {
		w.line("fixed_cost         = 1 # check: not every answer has a cost in one currency, tokens or a time")
	}
	if len(m.Columns) > 0 {
		var columns []string
		for _, r := range m.Columns {
			columns = append(columns, fmt.Sprintf("%s = %s", r.Key, spec.Quote(r.Column)))
		}
		w.line("columns            = { %s }", strings.Join(columns, ", "))
	}
}

func (w *writer) dataset() {
	q := w.found.Questions
	source := strings.ReplaceAll(w.questions, "${", "$${")
	if q.Path != "" {
		source = w.relative(q.Path)
	}
	w.line("")
	w.line("[[datasets]]")
	w.line("name    = %s", spec.Quote(w.found.Name))
	w.line("source  = %s", spec.Quote("file:"+source))
	if q.Sep != 0 && q.Sep != ',' {
		w.line("delimiter = %s", spec.Quote(string(q.Sep)))
	}
	labels := w.found.labels()
	reference := q.Right
	if q.Path == "" {
		reference = "reference"
	}
	ungraded := slices.ContainsFunc(w.found.Models, func(m *Model) bool { return m.Has[Grade] < m.Rows-m.Failed })
	if labels != nil {
		var quoted []string
		for _, l := range labels {
			quoted = append(quoted, spec.Quote(l))
		}
		w.line("task    = \"classification\"")
		w.line("labels  = [%s]", strings.Join(quoted, ", "))
		if q.Labels == nil && !slices.Contains(labels, "other") {
			w.line("other   = \"other\" # answers that are none of the labels")
		}
	} else {
		w.line("task    = \"qa\"")
	}
	w.line("prompt  = %s", spec.Quote("{"+cmp.Or(q.Text, q.ID)+"}"))
	w.line("id      = %s", spec.Quote(q.ID))
	if q.Labels != nil && ungraded {
		if q.Path == "" {
			reference += "[0]"
		}
		w.line("label   = %s", spec.Quote(reference))
	} else if slices.ContainsFunc(w.found.Models, func(m *Model) bool { return m.Has[Grade] == 0 }) {
		w.line("reference = %s # not every model has grades: exact match with the right answer decides",
			spec.Quote(reference))
	} else if slices.ContainsFunc(w.found.Models, func(m *Model) bool { return m.Partly }) {
		w.line("correct = { rule = \"recorded\", tau = 0.5 }")
	} else {
		w.line("correct = { rule = \"recorded\" }")
	}
	switch {
	case q.Part != "" && q.Leaked > 0:
		w.line("split   = { column = %s, allow_overlap = true } # check: %d questions have a text that is in both parts",
			spec.Quote(q.Part), q.Leaked)
	case q.Part != "":
		w.line("split   = { column = %s }", spec.Quote(q.Part))
	case q.Equal > 0:
		w.line("split   = { allow_overlap = true } # check: %d of %d questions have a text that another has too", q.Equal,
			q.N)
	}
}

// labels recognises answers by single letters: nil = the answers are texts.
func (f *Found) labels() []string {
	if f.Questions.Labels != nil {
		return f.Questions.Labels
	}
	if f.chosen() {
		return f.Questions.Choices
	}
	counts, all := map[string]int{}, 0
	for _, m := range f.Models {
		if m.overflow || m.Has[Grade] == 0 || m.Format != backends.AnswersTable {
			return nil
		}
		for text, n := range m.texts {
			counts[text] += n
		}
		all += m.Rows - m.Failed
	}
	var out []string
	covered := 0
	for text, n := range counts {
		if len(text) == 1 && text[0] >= 'A' && text[0] <= 'Z' && n*100 >= all {
			out = append(out, text)
			covered += n
		}
	}
	if len(out) < 2 || covered*10 < all*9 {
		return nil
	}
	slices.Sort(out)
	return out
}

// chosen reports whether every question has the same choices, and nearly all answers are one of them.
func (f *Found) chosen() bool {
	choices := f.Questions.Choices
	if len(choices) < 2 || len(choices) > 100 {
		return false
	}
	all, among := 0, 0
	for _, m := range f.Models {
		if m.overflow || m.Has[Grade] == 0 {
			return false
		}
		for _, c := range choices {
			among += m.texts[c]
		}
		all += m.Rows - m.Failed
	}
	return among*10 >= all*9
}

// cascades pairs the model that is right most often with each of the others, the cheaper one first.
func (w *writer) cascades() {
	f := w.found
	right := func(m *Model) float64 { return m.Right / float64(max(1, m.Has[Grade]+m.Judged)) }
	price := func(m *Model) float64 { return m.Cost / float64(max(1, m.Has[Cost])) }
	best := slices.MaxFunc(f.Models, func(a, b *Model) int {
		return cmp.Or(cmp.Compare(right(a), right(b)), -cmp.Compare(price(a), price(b)))
	})
	for _, m := range f.Models {
		if m == best {
			continue
		}
		student, master := m, best
		if price(m) > price(best) {
			student, master = best, m
		}
		w.line("")
		w.line("[[cascades]]")
		w.line("models = [%s, %s]", spec.Quote(student.Name), spec.Quote(master.Name))
	}
}

// mostPooled is how many models a pool may have.
const mostPooled = 12

// pool asks which of three models or more are ever worth asking.
func (w *writer) pool() {
	var names []string
	for _, m := range w.found.Models {
		names = append(names, spec.Quote(m.Name))
	}
	if len(names) < 3 || len(names) > mostPooled {
		return
	}
	w.line("")
	w.line("# Which models are ever worth asking, and what a cascade saves against the best single model.")
	w.line("[[pools]]")
	w.line("name   = \"all\"")
	w.line("models = [%s]", strings.Join(names, ", "))
}

// relative is a path as the study names it.
func (w *writer) relative(path string) string {
	return strings.ReplaceAll(spec.Relative(w.folder, path), "${", "$${") // a name, and no variable
}
