package drill

import (
	"fmt"
	"iter"
	"slices"

	"infnet/harness/result"
)

// Set are the tables of a run, a table for every cascade and dataset of its results.
type Set struct {
	Tables []*Table

	of  map[[2]string]*Table
	now *Table // the table of the last record
}

// MostRecords is the number of records of all tables that a page holds. A table that does not fit into what is left is
// served only.
const MostRecords = 400_000

// newSet returns the tables of results, without records; most is the number of records to hold.
func newSet(r *result.Results, most int) *Set {
	s := &Set{of: map[[2]string]*Table{}}
	for c := range r.Cascades {
		for d := range r.Cascades[c].Datasets {
			t := newTable(&r.Cascades[c], &r.Cascades[c].Datasets[d])
			n := r.Cascades[c].Datasets[d].Counts
			if t.fit, t.test, t.records = n.Fit, n.Test, n.Records; n.Records <= most {
				most -= n.Records
			} else {
				t.left = true
			}
			s.Tables = append(s.Tables, t)
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
	switch r.Part {
	case result.PartFit:
		t.fit--
	case result.PartTest:
		t.test--
	}
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
		if t.fit != 0 || t.test != 0 {
			return fmt.Errorf("cascade %q on dataset %q: results.json counts other records than %s has (%+d in the fit part, "+
				"%+d in the test part): it is of another run, or damaged; analyze the study again", t.Cascade, t.Dataset,
				result.RecordsFile, t.fit, t.test)
		}
	}
	return nil
}

// Collect reads the records of a run. Texts are packed up to so many bytes in all. A table whose texts do not fit into
// what is left has none.
func Collect(r *result.Results, records iter.Seq2[result.Record, error], limit int64) (*Set, error) {
	s := newSet(r, MostRecords)
	firsts := map[string]*Table{} // by dataset
	finish := func(t *Table) error {
		if t == nil || t.texts == nil {
			return nil
		}
		if err := t.texts.flush(); err != nil {
			return err
		}
		if t.texts.size > limit {
			t.texts = nil
			return nil
		}
		if limit -= t.texts.size; firsts[t.Dataset] == nil {
			firsts[t.Dataset] = t
		}
		return nil
	}
	for record, err := range records {
		if err != nil {
			return nil, err
		}
		before := s.now
		t, first, err := s.enter(&record)
		if err != nil {
			return nil, err
		}
		if first {
			if err := finish(before); err != nil {
				return nil, err
			}
			if !t.left && limit > 0 {
				t.texts = &texts{first: firsts[t.Dataset]}
			}
		}
		if t.left {
			continue
		}
		if err := t.add(&record); err != nil {
			return nil, err
		}
		if t.texts == nil {
			continue
		}
		if err := t.texts.add(&record); err != nil {
			return nil, err
		}
		if t.texts.exceed(limit, t.records) {
			t.texts = nil
		}
	}
	if err := finish(s.now); err != nil {
		return nil, err
	}
	return s, s.whole()
}

// first returns the place of the table that holds the prompts of a table: its own, or that of the first one on the same
// dataset that has texts.
func (s *Set) first(at int) int {
	if x := s.Tables[at].texts; x != nil && x.first != nil {
		return slices.Index(s.Tables, x.first)
	}
	return at
}
