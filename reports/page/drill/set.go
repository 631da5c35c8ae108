package drill

import (
	"fmt"
	"iter"

	"infnet/harness/result"
)

// Set are the tables of a run, a table for every cascade and dataset of its results.
type Set struct {
	Tables []*Table

	texts map[*Table]*texts
	of    map[[2]string]*Table
	now   *Table // the table of the last record

	counts map[*Table]parts // records of the parts of each table: those of the results, less those that came
}

// parts counts records of the fit and the test part.
type parts struct{ fit, test int }

// MostRecords is the number of records of all tables that a page holds. A table that does not fit into what is left is
// served only.
const MostRecords = 400_000

// newSet returns the tables of results, without records; most is the number of records to hold.
func newSet(r *result.Results, most int) *Set {
	s := &Set{of: map[[2]string]*Table{}, texts: map[*Table]*texts{},
		counts: map[*Table]parts{}}
	for c := range r.Cascades {
		for d := range r.Cascades[c].Datasets {
			t := newTable(&r.Cascades[c], &r.Cascades[c].Datasets[d])
			if n := r.Cascades[c].Datasets[d].Counts.Records; n <= most {
				most -= n
			} else {
				t.left = true
			}
			s.Tables = append(s.Tables, t)
			n := r.Cascades[c].Datasets[d].Counts
			s.counts[t] = parts{fit: n.Fit, test: n.Test}
			s.of[[2]string{t.Cascade, t.Dataset}] = t
		}
	}
	return s
}

// enter returns the table that a record belongs to. The records of a table follow each other.
func (s *Set) enter(r *result.Record) (t *Table, first bool, err error) {
	t = s.of[[2]string{r.Cascade, r.Dataset}]
	if t == nil {
		return nil, false, fmt.Errorf("record %s is of cascade %q on dataset %q, which the results do not have: "+
			"results.json and records.jsonl are of different runs; analyze the study again", r.ID, r.Cascade, r.Dataset)
	}
	left := s.counts[t]
	switch r.Part {
	case result.PartFit:
		left.fit--
	case result.PartTest:
		left.test--
	}
	s.counts[t] = left
	if t == s.now {
		return t, false, nil
	}
	if t.Len() > 0 {
		return nil, false, fmt.Errorf("record %s of cascade %q on dataset %q comes after those of others: "+
			"records.jsonl is not as it was written; analyze the study again", r.ID, r.Cascade, r.Dataset)
	}
	s.now = t
	return t, true, nil
}

// whole says whether all records came that the results count: behind a cell must be as many as it says.
func (s *Set) whole() error {
	for _, t := range s.Tables {
		if left := s.counts[t]; left != (parts{}) {
			return fmt.Errorf("cascade %q on dataset %q: %s has %s of the fit part and %s of the test part than results.json "+
				"counts: it is of another run, or damaged; analyze the study again", t.Cascade, t.Dataset, result.RecordsFile,
				fewer(left.fit), fewer(left.test))
		}
	}
	return nil
}

// fewer words how many records are missing; a negative number is of those that are too many.
func fewer(n int) string {
	if n < 0 {
		return fmt.Sprintf("%d more", -n)
	}
	return fmt.Sprintf("%d fewer", n)
}

// Collect reads the records of a run. Texts are packed up to so many bytes in all. A table whose texts do not fit into
// what is left has none.
func Collect(r *result.Results, records iter.Seq2[result.Record, error], limit int64) (*Set, error) {
	s := newSet(r, MostRecords)
	firsts := map[string]*texts{} // by dataset
	var x *texts
	finish := func() error {
		if x == nil || x.over {
			return nil
		}
		if err := x.flush(); err != nil {
			return err
		}
		if x.over = x.size > limit; x.over {
			x.done = nil
			return nil
		}
		limit -= x.size
		if d := s.now.Dataset; firsts[d] == nil {
			firsts[d] = x
		}
		return nil
	}
	for record, err := range records {
		if err != nil {
			return nil, err
		}
		if t := s.of[[2]string{record.Cascade, record.Dataset}]; t != s.now {
			if err := finish(); err != nil {
				return nil, err
			}
		}
		t, first, err := s.enter(&record)
		if err != nil {
			return nil, err
		}
		if first {
			x = &texts{first: firsts[t.Dataset], over: t.left || limit <= 0}
			s.texts[t] = x
		}
		if t.left {
			continue
		}
		if err := t.add(&record); err != nil {
			return nil, err
		}
		if x.over {
			continue
		}
		if err := x.add(&record); err != nil {
			return nil, err
		}
		if x.size > limit {
			x.over, x.open, x.done = true, nil, nil
		}
	}
	if err := finish(); err != nil {
		return nil, err
	}
	return s, s.whole()
}

// Held reports whether a page holds the records of a table, and their texts.
func (s *Set) Held(t *Table) (records, texts bool) {
	x := s.texts[t]
	return !t.left, x != nil && !x.over
}

// Texts returns the packed texts of a table; nil = it has none.
func (s *Set) Texts(t *Table) Texts {
	if x := s.texts[t]; x != nil && !x.over {
		return x.done
	}
	return nil
}

// First returns the place of the table that holds the prompts of a table: its own, or that of the first one on the same
// dataset that has texts.
func (s *Set) First(at int) int {
	t := s.Tables[at]
	if x := s.texts[t]; x != nil && x.first != nil {
		for k, other := range s.Tables {
			if s.texts[other] == x.first {
				return k
			}
		}
	}
	return at
}
