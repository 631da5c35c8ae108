package importer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"infnet/backends"
	"infnet/harness/recorded"
)

// errFound ends a second look.
var errFound = errors.New("found")

// twice looks once more for the places of two answers of a model to one id, of which the first look kept only hashes:
// two that disagree, or where there are none the first two.
func (s *scan) twice(ctx context.Context) error {
	for _, m := range s.found.Models {
		if m.Twice == 0 {
			continue
		}
		again := newScan(s.o)
		again.write = func([]byte) error { return nil }
		seen, found := map[string]answer{}, ""
		again.use = func(of *Model, r recorded.Row, path string) error {
			if of.bit != m.bit {
				return nil
			}
			now := answer{content(r), path + ": " + r.Place}
			before, ok := seen[r.IDs[0]]
			if !ok && len(seen) < mostAnswers {
				seen[r.IDs[0]] = now
			}
			switch {
			case ok && before.content != now.content:
				found = fmt.Sprintf("id %q at %s and %s, which disagree", r.IDs[0], before.place, now.place)
				return errFound
			case ok && found == "":
				found = fmt.Sprintf("id %q at %s and %s, which agree", r.IDs[0], before.place, now.place)
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
		if m.FirstTwice = found; found == "" {
			m.FirstTwice = fmt.Sprintf("id %q", m.twiceID)
		}
	}
	return nil
}

// mostAnswers bounds the answers among which two to one id are looked for.
const mostAnswers = 1_000_000

// answer is an answer and where it is.
type answer struct {
	content uint64
	place   string
}

// content is a hash of what an answer says and costs.
func content(r recorded.Row) uint64 {
	value := func(v *float64) any {
		if v == nil {
			return "none"
		}
		return *v
	}
	price := "none"
	if r.Cost != nil {
		price = fmt.Sprint(*r.Cost)
	}
	return hash(fmt.Sprintf("%q %q %q %v %v %s %v %v %v %v", r.Text, r.Label, r.Fault, value(r.Grade), value(r.Confidence),
		price, r.Usage, r.Latency, r.Tokens, r.Scores))
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

// unit names a currency in a sentence.
func unit(currency string) string { return cmp.Or(currency, "no named currency") }
