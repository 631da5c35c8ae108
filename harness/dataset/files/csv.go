package files

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/harness/dataset"
)

// csvRows reads RFC 4180 records. A carriage return before a newline inside a
// quoted cell is dropped, as encoding/csv does.
type csvRows struct {
	path string
	io.Closer
	r      *csv.Reader
	limit  *byteLimit
	header []string
	n      int
}

const raggedFix = "quote cells that hold a separator or a newline"

// byteLimit bounds the bytes that one record may take: a quote that is never
// closed would otherwise pull the rest of the file into memory.
type byteLimit struct {
	r    io.Reader
	left int
}

func (b *byteLimit) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	if len(p) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= n
	return n, err
}

func openCSV(o Options, c io.Closer, in io.Reader) (*csvRows, error) {
	br := bufio.NewReader(in)
	if b, err := br.Peek(3); err == nil && string(b) == "\xef\xbb\xbf" {
		_, _ = br.Discard(3) // three peeked bytes are there
	}
	b := &byteLimit{r: br, left: longestLine}
	r := csv.NewReader(b)
	if o.Separator != 0 {
		r.Comma = o.Separator
	}
	if !validSeparator(r.Comma) {
		return nil, fmt.Errorf("%s: %q cannot part cells: want a character such as , ; or a tab", o.Path, r.Comma)
	}
	line := firstLine(br)
	header, err := r.Read()
	switch sep := otherSeparator(line, r.Comma); {
	case sep != 0 && errors.As(err, new(*csv.ParseError)):
		return nil, parted(line, sep, r.Comma)
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: %s has no header", dataset.ErrEmpty, o.Path)
	case err == nil && slices.ContainsFunc(header,
		func(name string) bool { return strings.Contains(strings.TrimRight(name, "\r"), "\r") }):
		return nil, fmt.Errorf("%s: its lines end with carriage returns alone (old Macintosh), so all of it is one line: "+
			"save it with line feeds (tr '\\r' '\\n')", o.Path)
	case errors.Is(err, errTooLong):
		return nil, fmt.Errorf("%s: the header is longer than %d bytes: is this a CSV file?", o.Path, longestLine)
	case err != nil:
		return nil, broken(o.Path, 0, err)
	}
	if header, err = nameColumns(o.Path, header); err != nil {
		return nil, err
	}
	r.FieldsPerRecord = len(header)
	r.ReuseRecord = true
	return &csvRows{path: o.Path, Closer: c, r: r, limit: b, header: header}, nil
}

func validSeparator(r rune) bool {
	return r != '"' && r != '\r' && r != '\n' && r != 0 && r != utf8.RuneError && utf8.ValidRune(r)
}

// nameColumns checks a header. A column without a name is named by its
// position, column_3.
func nameColumns(path string, header []string) ([]string, error) {
	out := make([]string, len(header))
	seen := make(map[string]int, len(header))
	for i, name := range header {
		if r := dataset.TextFault(name); r != "" {
			return nil, fmt.Errorf("%s: the name of column %d %s", path, i+1, r)
		}
		if name = strings.TrimSpace(name); name == "" {
			name = fmt.Sprintf("column_%d", i+1)
		}
		if first, ok := seen[name]; ok {
			return nil, fmt.Errorf("%s: columns %d and %d are both called %q: rename one", path, first+1, i+1, name)
		}
		seen[name], out[i] = i, name
	}
	return out, nil
}

func (c *csvRows) columns() []string { return c.header }

func (c *csvRows) cells() ([]string, error) {
	c.limit.left = longestLine
	cells, err := c.r.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	c.n++
	var pe *csv.ParseError
	switch {
	case errors.As(err, &pe):
		if errors.Is(err, csv.ErrFieldCount) {
			return nil, &dataset.RowError{File: c.path, Row: c.n, Line: pe.StartLine,
				Reason: raggedness(len(cells), len(c.header)), Fix: raggedFix}
		}
		return nil, &dataset.RowError{File: c.path, Row: c.n, Line: pe.StartLine,
			Reason: fmt.Sprintf("%v at line %d, byte %d", pe.Err, pe.Line, pe.Column),
			Fix:    `quote the cell and write a quote inside it as ""`}
	case errors.Is(err, errTooLong):
		// The reader has lost its place: this is the end of the file.
		return nil, recordTooLong(c.path, c.n-1)
	case err != nil:
		return nil, broken(c.path, c.n-1, err)
	}
	return cells, nil
}

func (c *csvRows) next() (row, error) {
	cells, err := c.cells()
	if err != nil {
		return row{}, err
	}
	line, _ := c.r.FieldPos(0)
	values := make(map[string]any, len(cells))
	for i, cell := range cells {
		values[c.header[i]] = strings.Clone(cell)
	}
	return row{n: c.n, line: line, values: values, order: c.header}, nil
}

func raggedness(cells, columns int) string {
	return fmt.Sprintf("has %d cells where the header has %d", cells, columns)
}

// tsvRows reads cells between tabs, one row a line. There is no quoting: a
// quote is a quote, as in the GLUE files.
type tsvRows struct {
	path string
	io.Closer
	in     *lines
	header []string
	n      int
}

func openTSV(path string, c io.Closer, in io.Reader) (*tsvRows, error) {
	t := &tsvRows{path: path, Closer: c, in: newLines(in)}
	line, err := t.in.next()
	switch {
	case errors.Is(err, io.EOF):
		return nil, fmt.Errorf("%w: %s has no header", dataset.ErrEmpty, path)
	case errors.Is(err, errTooLong):
		return nil, fmt.Errorf("%s: the header is longer than %d bytes: is this a TSV file?", path, longestLine)
	case err != nil:
		return nil, broken(path, 0, err)
	}
	if t.header, err = nameColumns(path, strings.Split(string(line), "\t")); err != nil {
		return nil, err
	}
	return t, nil
}

func (t *tsvRows) columns() []string { return t.header }

func (t *tsvRows) cells() ([]string, error) {
	line, err := t.line()
	if err != nil {
		return nil, err
	}
	return strings.Split(string(line), "\t"), nil
}

func (t *tsvRows) next() (row, error) {
	cells, err := t.cells()
	if err != nil {
		return row{}, err
	}
	values := make(map[string]any, len(cells))
	for i, cell := range cells {
		values[t.header[i]] = cell
	}
	return row{n: t.n, line: t.in.n, values: values, order: t.header}, nil
}

// line reads a line of as many cells as the header has. It is valid until the next one.
func (t *tsvRows) line() ([]byte, error) {
	for {
		line, err := t.in.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil, io.EOF
		case errors.Is(err, errTooLong):
			return nil, recordTooLong(t.path, t.n)
		case err != nil:
			return nil, broken(t.path, t.n, err)
		}
		if len(line) == 0 && len(t.header) > 1 {
			continue // a blank line is no row; in a file of one column it is an empty cell
		}
		t.n++
		if cells := bytes.Count(line, []byte("\t")) + 1; cells != len(t.header) {
			return nil, &dataset.RowError{File: t.path, Row: t.n, Line: t.in.n, Reason: raggedness(cells, len(t.header)),
				Fix: "a cell of a TSV file holds no tab and no newline; a quoted file is read as csv with a tab for separator"}
		}
		return line, nil
	}
}
