package drill

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
)

// Index finds the records of a run in its records.jsonl, without keeping their texts: per record its columns and where
// its line begins, about fifty bytes.
type Index struct {
	*Set
	file  io.ReaderAt
	lines map[*Table][]int64 // where each record's line begins, and where the last one ends
}

// NewIndex reads a run's records once.
func NewIndex(ctx context.Context, r *result.Results, file io.ReaderAt) (*Index, error) {
	x := &Index{Set: newSet(r, math.MaxInt), file: file, lines: map[*Table][]int64{}}
	in := bufio.NewReaderSize(io.NewSectionReader(file, 0, math.MaxInt64), 1<<20)
	at := int64(0)
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return x, x.whole()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}
		var record result.Record
		if err := json.Unmarshal(line, &record); err != nil {
			return nil, fmt.Errorf("%s: line %d: %w; run analyze again", result.RecordsFile, n, err)
		}
		t, _, err := x.enter(&record)
		if err == nil {
			err = t.add(&record)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: line %d: %w", result.RecordsFile, n, err)
		}
		if x.lines[t] == nil {
			x.lines[t] = []int64{at}
		}
		at += int64(len(line))
		x.lines[t] = append(x.lines[t], at)
	}
}

// record reads one record again.
func (x *Index) record(t *Table, n int) (r result.Record, err error) {
	lines := x.lines[t]
	if n < 0 || n >= t.Len() {
		return r, fmt.Errorf("no record %d among the %d of cascade %q on dataset %q", n, t.Len(), t.Cascade, t.Dataset)
	}
	line := make([]byte, lines[n+1]-lines[n])
	if _, err := x.file.ReadAt(line, lines[n]); err != nil {
		return r, err
	}
	if err := json.Unmarshal(line, &r); err != nil || r.ID != t.ID(n) {
		return r, fmt.Errorf("%s changed since it was opened: start again", result.RecordsFile)
	}
	return r, nil
}

// Detail returns a record as it is opened.
func (x *Index) Detail(t *Table, n int) (Detail, error) {
	r, err := x.record(t, n)
	return Detail{Described: reports.Describe(r)}, err
}

// Search returns a bit per record, the lowest of a byte first: whether its id, prompt, references or answers hold a
// text, in letters of either case.
func (x *Index) Search(ctx context.Context, t *Table, text string) ([]byte, error) {
	found, text := make([]byte, (t.Len()+7)/8), strings.ToLower(text)
	for n := range t.Len() {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := x.record(t, n)
		if err != nil {
			return nil, err
		}
		if holds(&r, text) {
			found[n/8] |= 1 << (n % 8)
		}
	}
	return found, nil
}

// holds reports whether a record holds a text in small letters.
func holds(r *result.Record, text string) bool {
	places := append([]string{r.ID, r.Prompt, r.Class}, r.References...)
	for _, a := range r.Models {
		places = append(places, a.Text)
	}
	for _, s := range places {
		if strings.Contains(strings.ToLower(s), text) {
			return true
		}
	}
	return false
}

// All reads the records again, one by one.
func (x *Index) All() iter.Seq2[result.Record, error] {
	return func(yield func(result.Record, error) bool) {
		for _, t := range x.Tables {
			for n := range t.Len() {
				r, err := x.record(t, n)
				if !yield(r, err) || err != nil {
					return
				}
			}
		}
	}
}
