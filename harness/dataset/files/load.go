// Package files reads the rows of files into examples: JSON lines, CSV, TSV and Parquet, compressed
// or in several pieces. It owns the formats, the names of columns, their mapping to examples,
// limits, and the sample of a file that a starter spec is made from. Examples and their hash belong
// to package dataset. It refuses to download, to render prompts and to call models.
//
// Its opinion: memory holds only what will be used, a file's content counts more than its name, and an error names the
// file, the row, the line and the fix.
package files

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"infnet/harness/dataset"
)

// Load reads a dataset. Rows are streamed; memory holds the examples that are kept, and the id of every row.
//
// It fails with a *dataset.RowError on a bad row, with an error that wraps
// dataset.ErrEmpty where no usable row is left, with one that wraps fs.ErrNotExist where there is no such file, and
// when the context ends. Damage that makes the rest of the file unreadable (a gzip stream that breaks off, a corrupt
// Parquet page) is an error.
func Load(ctx context.Context, o Options) (*dataset.Set, error) {
	o.Name = cmp.Or(o.Name, o.Path)
	set, err := read(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("dataset %s: %w", o.Name, err)
	}
	return set, nil
}

func read(ctx context.Context, o Options) (*dataset.Set, error) {
	if o.Mapping.Class != "" && len(o.Labels) == 0 {
		return nil, fmt.Errorf("column %q holds classes, but no labels are listed", o.Mapping.Class)
	}
	m, err := compile(o)
	if err != nil {
		return nil, err
	}
	src, err := openSource(o)
	if err != nil {
		return nil, err
	}
	defer src.close()
	if err = m.checkColumns(src.columns); err == nil {
		err = m.checkClassNames(src)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.Path, err)
	}
	l := loader{o: o, m: m, src: src, seen: map[string]int{}}
	if err := l.run(ctx); err != nil {
		return nil, err
	}
	l.seen = nil // as large as the examples
	return l.set()
}

// loader is one reading of one source.
type loader struct {
	o      Options
	m      mapper
	src    *source
	seen   map[string]int    // id → row
	kept   []dataset.Example // all of them, in their order; or
	sample []ranked          // those of lowest rank, and up to as many more
	apart  *dataset.Texts    // of the kept examples, once they are too many for memory; nil = each has its own
	bytes  int               // of the fields kept so far
}

// run reads until the source or the limit is exhausted.
func (l *loader) run(ctx context.Context) error {
	for n := 0; ; n++ {
		if n%256 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		if l.o.Rank == nil && l.o.Limit > 0 && len(l.kept) == l.o.Limit {
			return nil
		}
		e, err := l.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		default:
			if err := l.keep(e); err != nil {
				return err
			}
		}
	}
}

// next returns the next example.
func (l *loader) next() (dataset.Example, error) {
	r, err := l.src.next()
	if err != nil {
		return dataset.Example{}, err
	}
	e, fault := l.m.example(r)
	if fault == nil {
		if first, ok := l.seen[e.ID]; ok {
			fault = &fieldError{column: l.o.Mapping.ID, key: "id",
				reason: fmt.Sprintf("the id %q is already that of row %d", e.ID, first),
				fix:    "make ids unique, or leave the id column out to use row numbers"}
		}
	}
	if fault != nil {
		return dataset.Example{}, &dataset.RowError{File: cmp.Or(r.file, l.o.Path), Row: r.Number, Line: r.Line,
			Column: fault.column, Reason: fault.reason, Fix: fault.fix, Key: fault.key}
	}
	if l.m.roles[idRole] != nil {
		l.seen[e.ID] = e.Row
	}
	return e, nil
}

// fieldError is a RowError whose row is not known yet.
type fieldError struct {
	column, reason, fix string
	key                 string // RowError.Key
}

// of adds the dataset's setting that names the column, unless another cause is known.
func (f *fieldError) of(key string) *fieldError {
	if f != nil && f.key == "" {
		f.key = key
	}
	return f
}
