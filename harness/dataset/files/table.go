package files

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset"
)

// Table holds all rows of a file by column, as text: for files of which every row
// counts at once, such as logs. A row costs the bytes of its cells and a few more.
type Table struct {
	Rows      int
	Separator rune // of its cells, where the file has such: see Separator

	path    string
	columns []dataset.Column
	cells   map[string]*Cells
	order   []*Cells
	nested  map[int]map[string]any // lists and objects, by row and column
	peek    peek
}

// OpenTable reads a file. Errors are those of Peek.
func OpenTable(path string) (*Table, error) {
	t := &Table{path: path, Separator: Separator(path), cells: map[string]*Cells{}, nested: map[int]map[string]any{}}
	src, err := open(Options{Path: path, Separator: t.Separator})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	_, binary := src.(*parquetRows)
	t.peek = peek{columns: map[string]*peeked{}, fromText: src.columns() != nil && !binary}
	if cells, ok := src.(celled); ok {
		err = t.readCells(cells)
	} else {
		err = t.readRows(src)
	}
	if !errors.Is(err, io.EOF) {
		return nil, err
	}
	if t.Rows == 0 {
		return nil, fmt.Errorf("%w: %s has no row", dataset.ErrEmpty, path)
	}
	t.describe()
	return t, nil
}

// celled is a source whose rows are the cells of its columns, and texts.
type celled interface {
	rows
	cells() ([]string, error) // valid until the next ones
}

// readCells reads the rows of a source of cells until an error, io.EOF after the last.
func (t *Table) readCells(src celled) error {
	var columns []*Cells
	for _, name := range src.columns() {
		t.peek.column(name)
		columns = append(columns, t.column(name))
	}
	for {
		cells, err := src.cells()
		if err != nil {
			return err
		}
		for i, c := range columns {
			c.add(cells[i])
		}
		t.Rows++
	}
}

// readRows reads the rows of any source until an error, io.EOF after the last.
func (t *Table) readRows(src rows) error {
	for {
		r, err := src.next()
		if err != nil {
			return err
		}
		t.addRow(r)
	}
}

// addRow adds a row of values.
func (t *Table) addRow(r row) {
	order := r.order
	if order == nil {
		order = slices.Sorted(maps.Keys(r.values))
	}
	for _, name := range order {
		t.addValue(t.column(name), r.values[name])
	}
	t.end()
}

// column returns a column, which begins with this row if it is new.
func (t *Table) column(name string) *Cells {
	c, ok := t.cells[name]
	if !ok {
		c = &Cells{Name: name, words: map[string]string{}}
		c.pad(t.Rows)
		t.cells[name] = c
		t.order = append(t.order, c)
	}
	return c
}

// addValue adds a cell of the row being read.
func (t *Table) addValue(c *Cells, v any) {
	switch v.(type) {
	case map[string]any, []any:
		if t.nested[t.Rows] == nil {
			t.nested[t.Rows] = map[string]any{}
		}
		t.nested[t.Rows][c.Name] = v
		t.peek.add(c.Name, v, false)
		c.mark(nested)
		return
	}
	t.peek.column(c.Name)
	if v == nil {
		c.mark(null)
		return
	}
	c.add(fmt.Sprint(v))
}

// end ends a row.
func (t *Table) end() {
	t.Rows++
	for _, c := range t.order {
		c.pad(t.Rows)
	}
}

// describe describes the columns by what outcomes may be told from.
func (t *Table) describe() {
	for _, name := range t.peek.order {
		p := t.peek.columns[name]
		if c := t.cells[name]; c != nil {
			c.distinct(p.seen, !t.peek.fromText)
			p.Distinct = len(p.seen)
			if p.Distinct > 0 && p.Type == dataset.Null {
				p.Type = dataset.Text
			}
		}
	}
	t.columns = t.peek.done(t.Rows)
	t.peek = peek{}
}

// Columns describes the columns in the order of Peek: their Path, List, and Distinct where it is below 4,096.
func (t *Table) Columns() []dataset.Column { return t.columns }

// Cells returns a column that some row has, nil where none has.
func (t *Table) Cells(name string) *Cells { return t.cells[name] }

// Keep drops the cells of the columns that are not named, or that no named path goes through. Only cells that are
// kept may be read afterwards.
func (t *Table) Keep(paths ...string) {
	maps.DeleteFunc(t.cells, func(name string, _ *Cells) bool {
		return !slices.ContainsFunc(paths, func(p string) bool {
			rest, ok := strings.CutPrefix(p, name)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	})
	t.order = nil
}

// Has reports whether a row has a column, also where it is null.
func (t *Table) Has(row int, column string) bool {
	return t.kind(row, column) != absent
}

// Null reports whether a row says that a column has no value.
func (t *Table) Null(row int, column string) bool {
	return t.kind(row, column) == null
}

func (t *Table) kind(row int, column string) uint8 {
	if c := t.cells[column]; c != nil {
		return c.kinds[row]
	}
	return absent
}

// Nested returns the list or object of a row, nil where the cell is none.
func (t *Table) Nested(row int, column string) any { return t.nested[row][column] }

// Names lists the columns that a row has, sorted.
func (t *Table) Names(row int) (names []string) {
	for name := range t.cells {
		if t.Has(row, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// At returns what a column path leads to in a row, as Row.Text does; ok is false where the row does not have the
// path's first step (see Row.Has).
func (t *Table) At(row int, path string) (text string, ok bool, err error) {
	p, err := parsePath(path)
	if err != nil || len(p.steps) == 0 || !p.steps[0].IsKey || !t.Has(row, p.steps[0].Key) {
		return "", false, nil
	}
	values := t.nested[row]
	if _, ok := values[p.steps[0].Key]; !ok {
		if values, err = t.reread(row); err != nil { // a number, a text: only the file knows which
			return "", true, err
		}
	}
	text, err = Row{Values: values}.Text(path)
	return text, true, err
}

// reread reads one row again, with its types.
func (t *Table) reread(n int) (map[string]any, error) {
	src, err := open(Options{Path: t.path, Separator: t.Separator})
	if err != nil {
		return nil, err
	}
	defer src.Close()
	for {
		r, err := src.next()
		if err != nil {
			return nil, err
		}
		if n--; n < 0 {
			return r.values, nil
		}
	}
}
