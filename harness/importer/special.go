package importer

import (
	"cmp"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/recorded"
)

// special sets what reads a format that has no columns of its own choice: the filter or scorer, and of
// lm-evaluation-harness the metric and the id of a document. It returns the columns to be written into the study.
func (s *scan) special(o *recorded.Options) []Role {
	if o.Format != backends.AnswersLMEval && o.Format != backends.AnswersInspect {
		return nil
	}
	s.filtered = true
	o.Filter = s.o.Filter
	o.Later = func() { s.later++ }
	if o.Format != backends.AnswersLMEval {
		return nil
	}
	o.IDColumn = "id" // the column of the written questions, which a run looks for too
	var roles []Role
	for _, key := range []string{"correct", "id", "score"} {
		if column := s.o.Columns[key]; column != "" {
			s.named[key] = true
			*o.Columns.ByRole(&o.Facts.AnswerFacts)[dataset.Role(key)] = column
			roles = append(roles, Role{Column: column, Key: key})
		}
	}
	return roles
}

// sameTask refuses answers to another dataset, whose ids may be those of other questions.
func (s *scan) sameTask(task, path string) error {
	if task == "" || s.task.What == task {
		return nil
	}
	if s.task.What != "" {
		return fmt.Errorf("its answers are to %q, and those of %s to %q: equal ids may be those of different questions; "+
			"import one evaluation at a time", task, s.task.Where, s.task.What)
	}
	s.task = Place{task, path}
	return nil
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
