package importer

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// finish counts the questions and says what is missing or suspect.
func (s *scan) finish() {
	f, q := s.found, &s.found.Questions
	var all uint64
	for _, m := range f.Models {
		all |= m.bit
	}
	shorten(f.Models)
	distinct(f.Models)
	graded := !slices.ContainsFunc(f.Models, func(m *Model) bool { return m.Has[Grade] == 0 })
	for _, e := range s.seen { // sums: the order has no effect
		if !e.known {
			continue // an answer without a question
		}
		q.N++
		if e.answered == all {
			q.Everybody++
		}
		if e.answered != all && (s.lost.place == 0 || e.place < s.lost.place) {
			s.lost = e
		}
		if e.heard == all && (!graded || e.graded == all) {
			q.Usable++
		}
	}
	if q.Path == "" {
		q.ID, q.Part = "id", ""
		if q.Asked == q.N {
			q.Text = "text"
		}
		if len(s.parts) > 0 {
			q.Part = "part"
		}
	}
	if !s.differ {
		q.Choices = s.choices
	}
	s.classes()
	s.split()
	s.equalTexts()
	s.remarks()
}

// classes recognises a classification: every answer is a label or has scores of them, and every question has one
// right label or every answer a grade.
func (s *scan) classes() {
	q := &s.found.Questions
	unlike := func(m *Model) bool {
		return m.Unclassed > 0 || m.Unnamed || m.Has[Grade] < m.Rows-m.Failed && q.References < q.N
	}
	if s.labels.over || len(s.labels.all) < 2 || slices.ContainsFunc(s.found.Models, unlike) {
		return
	}
	q.Labels = slices.Sorted(maps.Keys(s.labels.all))
	if s.unsure {
		s.remark("a column of labels may be what the models said or what is right, and is not used: --column label=… or " +
			"--column reference=…")
	}
}

// split decides whether a column gives the split. Where it does not, the split is drawn.
func (s *scan) split() {
	q := &s.found.Questions
	var words []string
	for _, name := range slices.Sorted(maps.Keys(s.parts)) {
		switch partOf(name) {
		case 1:
			q.Fit += s.parts[name]
		case 2:
			q.Test += s.parts[name]
		default:
			words = append(words, fmt.Sprintf("%q", name))
		}
	}
	switch {
	case q.Part == "":
		return
	case len(words) > 0:
		s.remark("the column of the split holds words other than fit, train and test (%s): the split is drawn instead",
			strings.Join(words, ", "))
	case s.moved.n > 0:
		s.remark("%d answers are of another part than an earlier answer to their question, the first at %s: the split is "+
			"drawn instead", s.moved.n, s.moved.first)
	case q.Fit > 0 && q.Test > 0 && q.Fit+q.Test < q.N:
		s.remark("%d of %d questions have no part in the column of the split: the split is drawn instead",
			q.N-q.Fit-q.Test, q.N)
	case q.Fit > 0 && q.Test > 0:
		return
	}
	q.Part = ""
}

// equalTexts counts questions with a text that another has too.
func (s *scan) equalTexts() {
	q := &s.found.Questions
	if q.Text == "" {
		return
	}
	type text struct {
		n, parts int // parts has a bit for each part of the split
	}
	all := map[uint64]text{}
	for _, e := range s.seen {
		if e.known && e.text != 0 {
			t := all[e.text]
			all[e.text] = text{t.n + 1, t.parts | 1<<e.part}
		}
	}
	for _, t := range all { // sums: the order has no effect
		if t.n > 1 {
			q.Equal += t.n
		}
		if t.parts&(t.parts-1) != 0 {
			q.Leaked += t.n
		}
	}
}

// where says at which place a question was found first, and who does not answer it.
func (s *scan) where(e entry) string {
	var silent []string
	for _, m := range s.found.Models {
		if e.answered&m.bit == 0 {
			silent = append(silent, m.Name)
		}
	}
	file := int(e.place>>fileShift) - 1
	return fmt.Sprintf("%s: %s %d, without an answer of %s", s.o.Files[file], s.words[file], e.place&(1<<fileShift-1),
		strings.Join(silent, ", "))
}

func (s *scan) remark(format string, args ...any) {
	s.found.Remarks = append(s.found.Remarks, fmt.Sprintf(format, args...))
}

func (s *scan) remarks() {
	q := s.found.Questions
	if lost := q.N - q.Everybody; lost > 0 {
		s.remark("%d of %d questions are not answered by every model, the first at %s: they count as missing wherever a "+
			"cascade needs them", lost, q.N, s.where(s.lost))
	}
	if q.Text == "" {
		s.remark("the questions' texts are not there, or not of all: learned baselines and embeddings cannot be used")
	}
	if s.texts.n > 0 {
		s.remark("%d answers are to another text than an earlier answer to the same id, the first at %s: are these the same "+
			"questions? The first text serves", s.texts.n, s.texts.first)
	}
	if s.rights.n > 0 {
		s.remark("%d questions have another right answer than in an earlier row, the first at %s: the first one serves",
			s.rights.n, s.rights.first)
	}
	if s.asks != "" {
		s.remark("%s is read as the questions, and its column %q as the right answers", s.asks, q.Right)
	}
	if s.later > 0 {
		s.remark("%d samples of later epochs are left out: the first epoch counts", s.later)
	}
	for _, m := range s.found.Models {
		s.ofModel(m)
	}
	var idle []string
	for _, f := range s.found.Files {
		for _, c := range f.Unused {
			if !slices.Contains(idle, c) {
				idle = append(idle, c)
			}
		}
	}
	if len(idle) > 0 {
		s.remark("columns that are not used: %s; where one means something, say --column KEY=COLUMN, with a KEY of %s",
			strings.Join(idle, ", "), strings.Join(Keys(), ", "))
	}
	how := s.found.costModel()
	instead := map[string]string{"tokens": "answers are charged by their tokens", "latency": "answers are charged by " +
		"their time", "fixed": "all answers are charged alike"}[how]
	switch paid := slices.ContainsFunc(s.found.Models, func(m *Model) bool { return m.Cost > 0 }); {
	case instead == "":
	case paid:
		s.remark("the recorded costs are not used, since some answers have none, or another currency: %s (cost = %s)",
			instead, how)
	case how == "fixed":
		s.remark("nothing says what an answer costs: all are charged 1, so that no cascade can save anything; set what a " +
			"query costs at each model (fixed_cost)")
	default:
		s.remark("no costs: %s, the same for every model (cost = %s); prices charge money (cost = price, with price_in and "+
			"price_out of each model)", instead, how)
	}
	if list := s.found.currencies(); len(list) > 1 {
		var names []string
		for _, c := range list {
			names = append(names, fmt.Sprintf("%s, first at %s", unit(c.What), c.Where))
		}
		s.remark("costs are in several currencies (%s): they are not compared; convert them first",
			strings.Join(names, "; "))
	}
}

func (s *scan) ofModel(m *Model) {
	answered := m.Rows - m.Failed
	if m.Failed > 0 {
		s.remark("%s: %d of %d answers ended in an error", m.Name, m.Failed, m.Rows)
	}
	for fact, n := range m.Has {
		switch {
		case n == 0 && fact == Confidence:
			s.remark("%s: no confidence: thresholds keep all of its answers or none (without_confidence = \"tie\")", m.Name)
		case n == 0 && fact == Grade && s.found.Questions.References == s.found.Questions.N:
		case n == 0 && fact != Tokens && fact != Time:
			s.remark("%s: no %s", m.Name, factNames[fact])
		case n > 0 && n < answered:
			s.remark("%s: %s in %d of %d answers, the first without at %s", m.Name, factNames[fact], n, answered,
				m.lacks[fact])
		}
	}
	if m.NullLogprobs > 0 {
		s.remark("%s: %d log-probabilities are null, which counts as unknown; if they stand for minus infinity, set "+
			"null_logprob = \"-inf\"", m.Name, m.NullLogprobs)
	}
	if m.Partly {
		s.remark("%s: some grades are between 0 and 1: an answer counts as right from 0.5; soft = true counts them as "+
			"they are", m.Name)
	}
	if m.Has[Grade] > 1 && (m.Right == 0 || m.Right == float64(m.Has[Grade])) {
		s.remark("%s: every grade is the same: is the column the right one?", m.Name)
	}
	if m.sure.Same() {
		s.remark("%s: every confidence is %v, from %s on: it cannot tell which answers are right", m.Name, m.sure.Value,
			m.sure.Place)
	}
	if m.Twice > 0 {
		s.remark("%s: second answers to a question: %d, such as to %s", m.Name, m.Twice, m.FirstTwice)
	}
}

// currencies lists the currencies of all costs, by their names, each with where it was found first.
func (f *Found) currencies() []Place {
	var out []Place
	for _, m := range f.Models {
		out = append(out, m.Currencies...)
	}
	slices.SortStableFunc(out, func(a, b Place) int { return cmp.Compare(a.What, b.What) })
	return slices.CompactFunc(out, func(a, b Place) bool { return a.What == b.What })
}

// unit names a currency in a sentence.
func unit(currency string) string { return cmp.Or(currency, "no named currency") }
