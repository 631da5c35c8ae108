package importer

import (
	"fmt"
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
	for _, mask := range s.seen { // sums: the order has no effect
		if mask&written == 0 {
			continue // an answer without a question
		}
		q.N++
		if mask&all == all {
			q.Everybody++
		}
	}
	for name, n := range s.parts {
		switch strings.ToLower(name) {
		case "fit", "train":
			q.Fit += n
		case "test":
			q.Test += n
		default:
			q.Fit, q.Test = -1<<40, -1<<40 // words that are no parts
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
	if q.Fit <= 0 || q.Test <= 0 {
		q.Part = ""
	}
	s.remarks()
}

// remark adds a remark.
func (s *scan) remark(format string, args ...any) {
	s.found.Remarks = append(s.found.Remarks, fmt.Sprintf(format, args...))
}

// remarks says what is missing or suspect.
func (s *scan) remarks() {
	q := s.found.Questions
	if lost := q.N - q.Everybody; lost > 0 {
		s.remark("%d of %d questions are not answered by every model: they count as missing wherever a cascade needs them",
			lost, q.N)
	}
	if q.Text == "" {
		s.remark("the questions' texts are not there, or not of all: learned baselines and embeddings cannot be used")
	}
	currencies := map[string]bool{}
	for _, m := range s.found.Models {
		s.ofModel(m)
		if m.Currency != "" {
			currencies[m.Currency] = true
		}
	}
	if len(currencies) > 1 {
		var names []string
		for c := range currencies {
			names = append(names, c)
		}
		slices.Sort(names)
		s.remark("costs are in several currencies (%s): they are not compared; convert them first", strings.Join(names, ", "))
	}
}

func (s *scan) ofModel(m *Model) {
	answered := m.Rows - m.Failed
	if m.Failed > 0 {
		s.remark("%s: %d of %d answers ended in an error", m.Name, m.Failed, m.Rows)
	}
	for _, x := range []struct {
		what string
		n    int
	}{{"grade", m.Graded}, {"cost", m.Costed}, {"time", m.Timed}, {"tokens", m.Counted}, {"confidence", m.Sure}} {
		switch {
		case x.n == 0 && x.what == "confidence":
			s.remark("%s: no confidence: thresholds keep all of its answers or none (without_confidence = \"tie\")", m.Name)
		case x.n == 0 && x.what != "tokens" && x.what != "time":
			s.remark("%s: no %s", m.Name, x.what)
		case x.n > 0 && x.n < answered:
			s.remark("%s: %s in %d of %d answers", m.Name, x.what, x.n, answered)
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
	if m.Graded > 1 && (m.Right == 0 || m.Right == float64(m.Graded)) {
		s.remark("%s: every grade is the same: is the column the right one?", m.Name)
	}
	if m.Twice > 0 {
		s.remark("%s: %d ids are answered twice, the first at %s: a study takes one answer to a question; import one "+
			"evaluation at a time", m.Name, m.Twice, m.FirstTwice)
	}
}
