package files

import (
	"bufio"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strings"

	"infnet/harness/dataset"
)

// cellRows are rows of cells under a header.
type cellRows struct {
	path    string
	header  []string
	n, line int                      // of the row that was read
	next    func() ([]string, error) // reads the next row; its cells are valid until the one after it
}

// source gives the rows of cells as rows of values.
func (c *cellRows) source(in io.Closer) *source {
	return &source{columns: c.header, cells: c, close: in.Close, next: func() (Row, error) {
		cells, err := c.next()
		if err != nil {
			return Row{}, err
		}
		values := make(map[string]any, len(cells))
		for i, cell := range cells {
			values[c.header[i]] = strings.Clone(cell)
		}
		return Row{Number: c.n, Line: c.line, Values: values, order: c.header}, nil
	}}
}

// headless is the error of a header that cannot be read.
func headless(path, kind string, err error) error {
	switch {
	case errors.Is(err, io.EOF):
		return fmt.Errorf("%w: %s has no header", dataset.ErrEmpty, path)
	case errors.Is(err, errTooLong):
		return fmt.Errorf("%s: the header is longer than %d bytes: is this a %s file?", path, longestLine, kind)
	}
	return broken(path, 0, err)
}

// ragged is the error of a row with more or fewer cells than the header.
func (c *cellRows) ragged(cells int, fix string) error {
	return &dataset.RowError{File: c.path, Row: c.n, Line: c.line, Fix: fix,
		Reason: fmt.Sprintf("has %d cells where the header has %d", cells, len(c.header))}
}

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

// openCSV reads RFC 4180 records. A carriage return before a newline inside a
// quoted cell is dropped, as encoding/csv does.
func openCSV(o Options, c io.Closer, in io.Reader) (*source, error) {
	br := bufio.NewReader(in)
	if b, err := br.Peek(3); err == nil && string(b) == "\xef\xbb\xbf" {
		_, _ = br.Discard(3) // three peeked bytes are there
	}
	b := &byteLimit{r: br, left: longestLine}
	r := csv.NewReader(b)
	r.Comma = separator(firstLine(br))
	header, err := r.Read()
	if err != nil {
		return nil, headless(o.Path, "CSV", err)
	}
	if header, err = nameColumns(o.Path, header); err != nil {
		return nil, err
	}
	r.FieldsPerRecord = len(header)
	r.ReuseRecord = true
	rows := &cellRows{path: o.Path, header: header}
	rows.next = func() ([]string, error) {
		b.left = longestLine
		return rows.record(r)
	}
	return rows.source(c), nil
}

// record reads a record of CSV.
func (c *cellRows) record(r *csv.Reader) ([]string, error) {
	cells, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, io.EOF
	}
	c.n++
	var pe *csv.ParseError
	switch {
	case errors.As(err, &pe):
		if c.line = pe.StartLine; errors.Is(err, csv.ErrFieldCount) {
			return nil, c.ragged(len(cells), "quote cells that hold a separator or a newline")
		}
		return nil, &dataset.RowError{File: c.path, Row: c.n, Line: c.line,
			Reason: fmt.Sprintf("%v at line %d, byte %d", pe.Err, pe.Line, pe.Column),
			Fix:    `quote the cell and write a quote inside it as ""`}
	case err != nil: // the reader has lost its place: this is the end of the file
		return nil, broken(c.path, c.n-1, err)
	}
	c.line, _ = r.FieldPos(0)
	return cells, nil
}

// nameColumns checks a header. A column without a name is named by its position, column_3.
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

// openTSV reads cells between tabs, one row a line. There is no quoting: a quote is a quote, as in the GLUE files.
func openTSV(path string, c io.Closer, in io.Reader) (*source, error) {
	lines := newLines(in)
	line, err := lines.next()
	if err != nil {
		return nil, headless(path, "TSV", err)
	}
	rows := &cellRows{path: path}
	if rows.header, err = nameColumns(path, strings.Split(string(line), "\t")); err != nil {
		return nil, err
	}
	rows.next = func() ([]string, error) {
		line, err := lines.next()
		for err == nil && len(line) == 0 && len(rows.header) > 1 {
			line, err = lines.next() // a blank line is no row; in a file of one column it is an empty cell
		}
		if err != nil {
			return nil, broken(path, rows.n, err)
		}
		rows.n, rows.line = rows.n+1, lines.n
		cells := strings.Split(string(line), "\t")
		if len(cells) != len(rows.header) {
			return nil, rows.ragged(len(cells),
				"a cell of a TSV file holds no tab and no newline; a quoted file is read as csv with a tab for separator")
		}
		return cells, nil
	}
	return rows.source(c), nil
}
