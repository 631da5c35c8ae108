package files

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"

	"infnet/harness/dataset"
)

// readCSV reads the records behind the header that src has read. It cuts them itself, and leaves those that break a
// rule to encoding/csv, whose errors say which.
func (t *Table) readCSV(o Options, src *csvRows) error {
	raw, in, err := openText(o)
	if err != nil {
		return err
	}
	defer raw.Close()
	header := make([]byte, src.start+src.r.InputOffset())
	if _, err := io.ReadFull(in, header); err != nil {
		return broken(src.path, 0, err)
	}
	c := csvCutter{t: t, src: src, in: newLines(in, src.max), comma: []byte(string(src.r.Comma))}
	c.in.n = bytes.Count(header, []byte("\n"))
	for _, name := range src.header {
		t.peek.column(name)
		c.columns = append(c.columns, t.column(name))
	}
	for {
		err := c.record()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// csvCutter cuts records into cells.
type csvCutter struct {
	t       *Table
	src     *csvRows
	in      *lines
	comma   []byte
	columns []*Cells
	long    []byte // a record of several lines
	cell    []byte // a cell with quotes in it
	ends    []int  // of a record's cells, in cell
}

// record reads one record.
func (c *csvCutter) record() error {
	first := c.in.n
	line, err := c.in.raw()
	switch {
	case errors.Is(err, errTooLong):
		return c.tooLong()
	case errors.Is(err, io.EOF):
		return err
	case err != nil:
		return broken(c.src.path, c.t.Rows, err)
	}
	text := withoutEnd(line)
	if len(text) == 0 {
		return nil // a blank line is no record
	}
	if bytes.IndexByte(text, '"') >= 0 {
		return c.quoted(first, line)
	}
	if n := bytes.Count(text, c.comma) + 1; n != len(c.columns) {
		return &dataset.RowError{File: c.src.path, Row: c.t.Rows + 1, Line: c.in.n, Reason: raggedness(n, len(c.columns)),
			Fix: raggedFix}
	}
	if len(c.comma) == 1 {
		c.plain(text, c.comma[0])
		return nil
	}
	for _, column := range c.columns {
		cell, rest, _ := bytes.Cut(text, c.comma)
		column.add(cell)
		text = rest
	}
	c.t.end()
	return nil
}

// plain cuts a line without quotes.
func (c *csvCutter) plain(text []byte, comma byte) {
	last := len(c.columns) - 1
	for _, column := range c.columns[:last] {
		end := 0
		for text[end] != comma {
			end++
		}
		column.add(text[:end])
		text = text[end+1:]
	}
	c.columns[last].add(text)
	c.t.Rows++
}

// quoted cuts a record with quotes, which goes on over as many lines as its quotes say.
func (c *csvCutter) quoted(first int, line []byte) error {
	c.long = append(c.long[:0], line...)
	complete, ok := c.cut()
	for odd := true; ok && !complete; complete, ok = c.cut() {
		for odd { // so many quotes leave one open
			line, err := c.in.raw()
			switch {
			case errors.Is(err, errTooLong):
				return c.tooLong()
			case errors.Is(err, io.EOF), err == nil && len(c.long)+len(line) > c.src.max+2: // 2: the record's end
				c.long = append(c.long, line...)
				return c.explain(first)
			case err != nil:
				return broken(c.src.path, c.t.Rows, err)
			}
			c.long = append(c.long, line...)
			odd = odd != (bytes.Count(line, []byte{'"'})%2 == 1)
		}
		odd = true
	}
	switch {
	case !ok:
		return c.explain(first)
	case len(c.ends) != len(c.columns):
		return &dataset.RowError{File: c.src.path, Row: c.t.Rows + 1, Line: first + 1,
			Reason: raggedness(len(c.ends), len(c.columns)), Fix: raggedFix}
	}
	from := 0
	for k, end := range c.ends {
		c.columns[k].add(c.cell[from:end])
		from = end
	}
	c.t.Rows++
	return nil
}

// cut cuts the record in long into cells. complete is false where a quote is open at its end, ok where it breaks a
// rule.
func (c *csvCutter) cut() (complete, ok bool) {
	c.cell, c.ends = c.cell[:0], c.ends[:0]
	rest := c.long
	for {
		if len(rest) == 0 || rest[0] != '"' {
			cell, after, more := bytes.Cut(rest, c.comma)
			if !more {
				cell = withoutEnd(cell)
			}
			if bytes.IndexByte(cell, '"') >= 0 || bytes.IndexByte(cell, '\n') >= 0 {
				return true, false
			}
			c.cell = append(c.cell, cell...)
			c.ends = append(c.ends, len(c.cell))
			if !more {
				return true, true
			}
			rest = after
			continue
		}
		rest = rest[1:]
		for {
			end := bytes.IndexByte(rest, '"')
			if end < 0 {
				return false, true
			}
			c.quote(rest[:end])
			rest = rest[end+1:]
			if len(rest) == 0 || rest[0] != '"' {
				break
			}
			c.cell, rest = append(c.cell, '"'), rest[1:]
		}
		c.ends = append(c.ends, len(c.cell))
		if len(withoutEnd(rest)) == 0 {
			return true, true
		}
		if !bytes.HasPrefix(rest, c.comma) {
			return true, false
		}
		rest = rest[len(c.comma):]
	}
}

// quote adds the inside of quotes; a carriage return before a newline is dropped.
func (c *csvCutter) quote(text []byte) {
	for {
		end := bytes.Index(text, []byte("\r\n"))
		if end < 0 {
			c.cell = append(c.cell, text...)
			return
		}
		c.cell, text = append(c.cell, text[:end]...), text[end+1:]
	}
}

// explain gives the record in long, and what follows, to encoding/csv.
func (c *csvCutter) explain(first int) error {
	slow := *c.src
	slow.limit = &byteLimit{r: io.MultiReader(bytes.NewReader(c.long), c.in.r), left: slow.max}
	r := csv.NewReader(slow.limit)
	r.Comma, r.FieldsPerRecord = c.src.r.Comma, len(c.columns)
	slow.r, slow.n, slow.before = r, c.t.Rows, first
	row, err := slow.next()
	if err != nil {
		return err
	}
	return fmt.Errorf("%s: row %d (line %d) cannot be cut into cells", slow.path, row.n, row.line)
}

func (c *csvCutter) tooLong() error { return recordTooLong(c.src.path, c.t.Rows, c.src.max) }

// withoutEnd is a line without what ends it. At the end of a file a carriage return alone does.
func withoutEnd(line []byte) []byte {
	line = bytes.TrimSuffix(line, []byte("\n"))
	return bytes.TrimSuffix(line, []byte("\r"))
}

// readTSV reads the lines behind the header that src has read.
func (t *Table) readTSV(src *tsvRows) error {
	var columns []*Cells
	for _, name := range src.header {
		t.peek.column(name)
		columns = append(columns, t.column(name))
	}
	for {
		line, err := src.line()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for _, c := range columns {
			cell, rest, _ := bytes.Cut(line, []byte("\t"))
			c.add(cell)
			line = rest
		}
		t.Rows++
	}
}
