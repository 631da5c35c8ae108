package dataset

import (
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// Load reads a dataset. Rows are read one after another; what is held is the
// examples that are kept, and the id of every row seen.
//
// It fails with a *RowError on a bad row (unless Options.OnBad allows skipping
// it), with an error that wraps ErrEmpty where no usable row is left, with one
// that wraps fs.ErrNotExist where there is no such file, and when the context
// ends. Damage that makes the rest of the file unreadable (a gzip stream that
// breaks off, a corrupt Parquet page) is an error whatever OnBad says: what
// follows it cannot be counted.
func Load(ctx context.Context, o Options) (*Set, error) {
	if o.Name == "" {
		o.Name = o.Path
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	m, err := compile(o)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", o.Name, err)
	}
	src, err := open(o)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", o.Name, err)
	}
	defer src.Close()
	if err := m.checkColumns(src.columns()); err != nil {
		return nil, fmt.Errorf("dataset %s: %s: %w", o.Name, o.Path, err)
	}
	l := loader{o: o, m: m, src: src, seen: map[string]int{}}
	if err := l.run(ctx); err != nil {
		return nil, fmt.Errorf("dataset %s: %w", o.Name, err)
	}
	return l.set()
}

// loader is one reading of one source.
type loader struct {
	o       Options
	m       mapper
	src     rows
	seen    map[string]int // id → row
	kept    sample
	skipped []Skipped
	first   *RowError // the first bad row
}

// run reads until the source or the limit is exhausted.
func (l *loader) run(ctx context.Context) error {
	for n := 0; ; n++ {
		if n%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if l.o.Rank == nil && l.o.Limit > 0 && len(l.kept.items) == l.o.Limit {
			return nil
		}
		e, err := l.next()
		var bad *RowError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &bad) && l.o.OnBad == SkipBadRow:
			if l.first == nil {
				l.first = bad
			}
			l.skipped = append(l.skipped, Skipped{Row: bad.Row, Reason: bad.what()})
		case err != nil:
			return err
		default:
			l.keep(e)
		}
	}
}

// next returns the next example.
func (l *loader) next() (Example, error) {
	r, err := l.src.next()
	if err != nil {
		return Example{}, err
	}
	e, fault := l.m.example(r)
	if fault == nil {
		if first, ok := l.seen[e.ID]; ok {
			fault = &fieldError{column: l.o.Mapping.ID,
				reason: fmt.Sprintf("the id %q is already that of row %d", e.ID, first),
				fix:    "make ids unique, or leave the id column out to use row numbers"}
		}
	}
	if fault != nil {
		return Example{}, &RowError{File: l.o.Path, Row: r.n, Line: r.line, Column: fault.column, Reason: fault.reason, Fix: fault.fix}
	}
	l.seen[e.ID] = e.Row
	return e, nil
}

// keep adds an example to the sample, and drops the one of highest rank when
// there is one too many.
func (l *loader) keep(e Example) {
	if l.o.Rank == nil || l.o.Limit == 0 {
		l.kept.items = append(l.kept.items, ranked{example: e})
		return
	}
	heap.Push(&l.kept, ranked{rank: l.o.Rank(e.ID), example: e})
	if l.kept.Len() > l.o.Limit {
		heap.Pop(&l.kept)
	}
}

// set closes the reading.
func (l *loader) set() (*Set, error) {
	if len(l.kept.items) == 0 {
		if l.first != nil {
			return nil, fmt.Errorf("dataset %s: %w: all %d rows were skipped; the first: %w", l.o.Name, ErrEmpty, len(l.skipped), l.first)
		}
		return nil, fmt.Errorf("dataset %s: %w: %s has no row", l.o.Name, ErrEmpty, l.o.Path)
	}
	examples := make([]Example, len(l.kept.items))
	for i, k := range l.kept.items {
		examples[i] = k.example
	}
	slices.SortFunc(examples, func(a, b Example) int { return a.Row - b.Row })
	return &Set{Name: l.o.Name, Examples: examples, Hash: Hash(examples), Skipped: l.skipped}, nil
}

// sample is a max-heap of examples by rank.
type sample struct{ items []ranked }

type ranked struct {
	rank    uint64
	example Example
}

func (s *sample) Len() int { return len(s.items) }
func (s *sample) Less(i, j int) bool {
	a, b := s.items[i], s.items[j]
	if a.rank != b.rank {
		return a.rank > b.rank
	}
	return a.example.ID > b.example.ID
}
func (s *sample) Swap(i, j int) { s.items[i], s.items[j] = s.items[j], s.items[i] }
func (s *sample) Push(x any)    { s.items = append(s.items, x.(ranked)) }
func (s *sample) Pop() any {
	last := len(s.items) - 1
	x := s.items[last]
	s.items[last] = ranked{}
	s.items = s.items[:last]
	return x
}

// RowError is a row that cannot be used. Callers branch on it to show the
// place.
type RowError struct {
	File   string
	Row    int    // 1-based, among the source's rows
	Line   int    // 1-based line where the row begins; 0 for files without lines
	Column string // path of the column at fault; "" = the whole row
	Reason string
	Fix    string // what the user can do; "" = nothing obvious
}

// Error names the place, the reason and the fix.
func (e *RowError) Error() string {
	place := e.File
	if e.Line > 0 {
		place += ":" + strconv.Itoa(e.Line)
	}
	s := fmt.Sprintf("%s: row %d: %s", place, e.Row, e.what())
	if e.Fix != "" {
		s += "; " + e.Fix
	}
	return s
}

// what is the reason with its column.
func (e *RowError) what() string {
	if e.Column == "" {
		return e.Reason
	}
	return fmt.Sprintf("column %q: %s", e.Column, e.Reason)
}

// fieldError is a RowError before it knows its place.
type fieldError struct{ column, reason, fix string }
