package files

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"infnet/harness/dataset"
)

// sharded is a source in several files: their rows one after another, numbered
// through. A file is opened when the one before it is read to its end.
type sharded struct {
	o      Options
	file   *source // the file being read
	path   string  // of it
	left   []string
	before int // rows of the files read
	last   int // number of the last row in this file
}

// openSource opens the first file of o; sharded.turn opens the others.
func openSource(o Options) (*source, error) {
	r, err := open(o)
	if err != nil || len(o.Shards) == 0 {
		return r, err
	}
	s := &sharded{o: o, file: r, path: o.Path, left: o.Shards}
	return &source{next: s.next, columns: r.columns, classes: r.classes,
		close: func() error { return s.file.close() }}, nil
}

func (s *sharded) next() (Row, error) {
	for {
		r, err := s.file.next()
		var bad *dataset.RowError
		switch {
		case errors.Is(err, io.EOF) && len(s.left) > 0:
			if err := s.turn(); err != nil {
				return Row{}, err
			}
			continue
		case errors.As(err, &bad):
			s.last = bad.Row
			whole := *bad
			whole.Row += s.before
			return Row{}, &whole
		case err != nil:
			return Row{}, err
		}
		s.last = r.Number
		r.Number += s.before
		r.file = s.path
		return r, nil
	}
}

// turn continues with the next file, which must have the same columns.
func (s *sharded) turn() error {
	o := s.o
	o.Path, s.left = s.left[0], s.left[1:]
	next, err := open(o)
	if err != nil {
		return err
	}
	if a, b := s.file.columns, next.columns; !slices.Equal(a, b) {
		next.close()
		return fmt.Errorf("%s has the columns %s, %s has %s: they are not parts of one source", s.path, quoted(a), o.Path,
			quoted(b))
	}
	err = s.file.close()
	s.file, s.path, s.before, s.last = next, o.Path, s.before+s.last, 0
	return err
}

// ParquetRows returns the number of rows that a Parquet file says it has, without reading them: enough to know how
// many of a source's files hold the rows that are wanted.
func ParquetRows(path string) (n int, err error) {
	f, err := OpenFile(Options{Path: path})
	if err != nil {
		return 0, err
	}
	src, total, err := openParquet(path, f)
	if err != nil {
		f.Close()
		return 0, err
	}
	return int(total), src.close()
}
