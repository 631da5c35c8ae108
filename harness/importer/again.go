package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"infnet/backends"
	"infnet/harness/recorded"
)

// errFound ends a second look.
var errFound = errors.New("found")

// twice looks once more for the two places of the first id that a model answers twice, of which the first look kept
// only the hash.
func (s *scan) twice(ctx context.Context) error {
	for _, m := range s.found.Models {
		if m.Twice == 0 {
			continue
		}
		var places []string
		var rows []recorded.Row
		again := newScan(s.o)
		again.write = func([]byte) error { return nil }
		again.use = func(of *Model, r recorded.Row, path string) error {
			if of.bit != m.bit || r.IDs[0] != m.twiceID {
				return nil
			}
			places = append(places, path+": "+r.Place)
			r.Place = ""
			if rows = append(rows, r); len(rows) == 2 {
				return errFound
			}
			return nil
		}
		for _, path := range s.o.Files {
			err := again.file(ctx, path)
			if errors.Is(err, errFound) {
				break
			}
			if err != nil {
				return err
			}
		}
		if len(rows) < 2 {
			return fmt.Errorf("%s answers the id %q twice, but not when the files are read again: they changed", m.Name,
				m.twiceID)
		}
		verdict := "which disagree"
		if reflect.DeepEqual(rows[0], rows[1]) {
			verdict = "which agree"
		}
		m.FirstTwice = fmt.Sprintf("id %q at %s and %s, %s", m.twiceID, places[0], places[1], verdict)
	}
	return nil
}

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
		column := s.o.Columns[key]
		if column == "" {
			continue
		}
		s.named[key] = true
		switch key {
		case "correct":
			o.Facts.Correct = column
		case "score":
			o.Facts.Score = column
		case "id":
			o.Columns.ID = column
		}
		roles = append(roles, Role{Column: column, Key: key})
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
		for _, p := range m.Currencies {
			if !slices.ContainsFunc(out, func(q Place) bool { return q.What == p.What }) {
				out = append(out, p)
			}
		}
	}
	slices.SortFunc(out, func(a, b Place) int { return cmp.Compare(a.What, b.What) })
	return out
}
