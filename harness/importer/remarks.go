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
	graded := !f.some(func(m *Model) bool { return m.Has[Grade] == 0 })
	for _, e := range s.seen { // sums: the order has no effect
		if !e.known {
			continue // an answer without a question
		}
		q.N++
		if e.answered == all {
			q.Everybody++
		} else if s.lost.place == 0 || e.place < s.lost.place {
			s.lost = e
		}
		if e.heard == all && (!graded || e.graded == all) {
			q.Usable++
		}
	}
	if q.Path == "" {
		q.ID = "id"
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
	// A classification: every answer is a label or has scores of them, and every question has one right label or every
	// answer a grade.
	if !s.labels.over && len(s.labels.all) > 1 && !f.some(func(m *Model) bool {
		return m.Unclassed > 0 || m.Unnamed || m.Has[Grade] < m.Rows-m.Failed && q.References < q.N
	}) {
		q.Labels = slices.Sorted(maps.Keys(s.labels.all))
		s.remark(s.unsure, "a column of labels may be what the models said or what is right, and is not used: --column "+
			"label=… or --column reference=…")
	}
	s.split()
	s.equalTexts()
	s.remarks()
	for _, m := range f.Models {
		s.ofModel(m)
	}
	var idle []string
	for _, f := range f.Files {
		for _, c := range f.Unused {
			if !slices.Contains(idle, c) {
				idle = append(idle, c)
			}
		}
	}
	s.remark(len(idle) > 0, "columns that are not used: %s; where one means something, say --column KEY=COLUMN, with a "+
		"KEY of %s", strings.Join(idle, ", "), strings.Join(Keys(), ", "))
	s.costs()
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
		s.remark(true, "the column of the split holds words other than fit, train and test (%s): the split is drawn instead",
			strings.Join(words, ", "))
	case s.moved.n > 0:
		s.remark(true, "%d answers are of another part than an earlier answer to their question, the first at %s: the "+
			"split is drawn instead", s.moved.n, s.moved.first)
	case q.Fit > 0 && q.Test > 0 && q.Fit+q.Test < q.N:
		s.remark(true, "%d of %d questions have no part in the column of the split: the split is drawn instead",
			q.N-q.Fit-q.Test, q.N)
	case q.Fit > 0 && q.Test > 0:
		return
	}
	q.Part = ""
}

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

func (s *scan) remark(applies bool, format string, args ...any) {
	if applies {
		s.found.Remarks = append(s.found.Remarks, fmt.Sprintf(format, args...))
	}
}

func (s *scan) remarks() {
	q := s.found.Questions
	if lost := q.N - q.Everybody; lost > 0 {
		var silent []string
		for _, m := range s.found.Models {
			if s.lost.answered&m.bit == 0 {
				silent = append(silent, m.Name)
			}
		}
		file := int(s.lost.place>>fileShift) - 1
		s.remark(true, "%d of %d questions are not answered by every model, the first at %s: %s %d, without an answer of "+
			"%s: they count as missing wherever a cascade needs them", lost, q.N, s.o.Files[file], s.words[file],
			s.lost.place&(1<<fileShift-1), strings.Join(silent, ", "))
	}
	s.remark(q.Text == "", "the questions' texts are not there, or not of all: learned baselines and embeddings cannot "+
		"be used")
	s.remark(s.texts.n > 0, "%d answers are to another text than an earlier answer to the same id, the first at %s: are "+
		"these the same questions? The first text serves", s.texts.n, s.texts.first)
	s.remark(s.rights.n > 0, "%d questions have another right answer than in an earlier row, the first at %s: the first "+
		"one serves", s.rights.n, s.rights.first)
	s.remark(s.asks != "", "%s is read as the questions, and its column %q as the right answers", s.asks, q.Right)
	s.remark(s.later > 0, "%d samples of later epochs are left out: the first epoch counts", s.later)
}

// costs says what answers are charged by, where that is not what they cost.
func (s *scan) costs() {
	how := s.found.costModel()
	instead := map[string]string{"tokens": "answers are charged by their tokens", "latency": "answers are charged by " +
		"their time", "fixed": "all answers are charged alike"}[how]
	switch paid := s.found.some(func(m *Model) bool { return m.Cost > 0 }); {
	case instead == "":
	case paid:
		s.remark(true, "the recorded costs are not used, since some answers have none, or another currency: %s (cost = %s)",
			instead, how)
	case how == "fixed":
		s.remark(true, "nothing says what an answer costs: all are charged 1, so that no cascade can save anything; set "+
			"what a query costs at each model (fixed_cost)")
	default:
		s.remark(true, "no costs: %s, the same for every model (cost = %s); prices charge money (cost = price, with "+
			"price_in and price_out of each model)", instead, how)
	}
	var all []Place // the currencies, by their names, each with where it was found first
	for _, m := range s.found.Models {
		all = append(all, m.currencies...)
	}
	slices.SortStableFunc(all, func(a, b Place) int { return cmp.Compare(a.What, b.What) })
	var names []string
	for _, c := range slices.CompactFunc(all, func(a, b Place) bool { return a.What == b.What }) {
		names = append(names, fmt.Sprintf("%s, first at %s", unit(c.What), c.Where))
	}
	s.remark(len(names) > 1, "costs are in several currencies (%s): they are not compared; convert them first",
		strings.Join(names, "; "))
}

func (s *scan) ofModel(m *Model) {
	answered := m.Rows - m.Failed
	s.remark(m.Failed > 0, "%s: %d of %d answers ended in an error", m.Name, m.Failed, m.Rows)
	for fact, n := range m.Has {
		switch {
		case n == 0 && fact == Confidence:
			s.remark(true, "%s: no confidence: thresholds keep all of its answers or none (without_confidence = \"tie\")",
				m.Name)
		case n == 0 && fact == Grade && s.found.Questions.References == s.found.Questions.N:
		case n == 0:
			s.remark(fact != Tokens && fact != Time, "%s: no %s", m.Name, factNames[fact])
		default:
			s.remark(n < answered, "%s: %s in %d of %d answers, the first without at %s", m.Name, factNames[fact], n, answered,
				m.lacks[fact])
		}
	}
	s.remark(m.NullLogprobs > 0, "%s: %d log-probabilities are null, which counts as unknown; if they stand for minus "+
		"infinity, set null_logprob = \"-inf\"", m.Name, m.NullLogprobs)
	s.remark(m.Partly, "%s: some grades are between 0 and 1: an answer counts as right from 0.5; soft = true counts them "+
		"as they are", m.Name)
	s.remark(m.Has[Grade] > 1 && (m.Right == 0 || m.Right == float64(m.Has[Grade])), "%s: every grade is the same: is "+
		"the column the right one?", m.Name)
	s.remark(m.sure.Same(), "%s: every confidence is %v, from %s on: it cannot tell which answers are right", m.Name,
		m.sure.Value, m.sure.Place)
	s.remark(m.twice.n > 0, "%s: second answers to a question: %d, such as to %s", m.Name, m.twice.n, m.twice.first)
}

func unit(currency string) string { return cmp.Or(currency, "no named currency") }
