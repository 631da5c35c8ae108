package files

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/dataset"
)

// Each passes the rows of o.Path to fn, one after another, until one of them is bad, fn fails or the context ends. Of
// the options it looks at Path, Shards, FS and Format.
func Each(ctx context.Context, o Options, fn func(Row) error) error {
	src, err := openSource(o)
	if err != nil {
		return err
	}
	defer src.close()
	return drain(ctx, src, fn)
}

// drain passes every row of a source to fn.
func drain(ctx context.Context, src *source, fn func(Row) error) error {
	for n := 0; ; n++ {
		if n%256 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		r, err := src.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(r); err != nil {
			return err
		}
	}
}

// Has reports whether the row has the column, or for a path its first step.
func (r Row) Has(column string) bool {
	_, ok := r.Values[column]
	if ok || !strings.ContainsAny(column, ".[") {
		return ok
	}
	if p, err := parsePath(column); err == nil {
		_, ok = r.Values[p.steps[0].Key]
	}
	return ok
}

// Value returns what a column path leads to, nil for a null.
func (r Row) Value(column string) (any, error) {
	if v, ok := r.Values[column]; ok {
		return v, nil
	}
	p, err := parsePath(column)
	if err != nil {
		return nil, err
	}
	v, fault := p.get(r)
	if fault != nil {
		return nil, fault.err()
	}
	return v, nil
}

// Text returns the text a column path leads to; a list, an object and a null are no text.
func (r Row) Text(column string) (string, error) {
	v, err := r.Value(column)
	if err != nil {
		return "", err
	}
	s, fault := text(path{text: column}, v)
	if fault != nil {
		return "", fault.err()
	}
	return s, nil
}

func (f *fieldError) err() error {
	text := f.reason
	if f.column != "" {
		text = fmt.Sprintf("column %q: %s", f.column, f.reason)
	}
	if f.fix != "" {
		text += ": " + f.fix
	}
	return errors.New(text)
}

// ClassIndex returns the function that finds a class by what data write: its class, else its word, else (where no
// class is written as a number) its index from 0.
func ClassIndex(list []dataset.Label) func(written string) (index int, ok bool) {
	return newLabels(list).index
}

// EachStreamed passes rows to fn as they come, and reads no further than the row needs: JSON objects, one a line, or
// cells under a header. The header shows what parts the cells; those between tabs have no quoting, as in a TSV file.
// Errors call the text name. It returns the first line that is not blank, and its number; "" where there is none.
func EachStreamed(ctx context.Context, name string, in io.Reader, fn func(Row) error) (head string, line int,
	err error) {
	br := bufio.NewReader(in)
	blank := 0
	for head = firstLine(br); strings.TrimSpace(head) == ""; head = firstLine(br) {
		switch _, err := br.ReadSlice('\n'); {
		case err == nil:
			blank++
		case errors.Is(err, io.EOF):
			return "", 0, nil
		case !errors.Is(err, bufio.ErrBufferFull): // a long line of blanks goes on
			return "", 0, broken(name, 0, err)
		}
	}
	var src *source
	switch {
	case strings.HasPrefix(strings.TrimSpace(head), "{"):
		in := newLines(br)
		in.n = blank
		src = openJSONL(name, io.NopCloser(br), in)
	case separator(head) == '\t':
		src, err = openTSV(name, io.NopCloser(br), br)
	default:
		src, err = openCSV(Options{Path: name}, io.NopCloser(br), br)
	}
	if err != nil {
		return head, blank + 1, err
	}
	return head, blank + 1, drain(ctx, src, func(r Row) error {
		if err := fn(r); err != nil {
			return fmt.Errorf("line %d: %w", r.Line, err)
		}
		return nil
	})
}
