package files

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"infnet/harness/dataset"
)

// Table holds the first rows of a file, or all, by column: for what needs them at once, such as logs and guesses.
type Table struct {
	Rows int

	columns  map[string]*column
	order    []*column // as the file has them; the keys of JSON objects sorted, row by row
	fromText bool      // cells are text: types are read off their spelling
}

// column is a column, or the leaves of its lists and objects.
type column struct {
	dataset.Column
	words map[string]any // the different texts, while they are few, each as cells hold it
	cells []any          // of a column, by row: gone where the row has none; nil of leaves
}

// fewWords is how many different texts of a column are told apart, and held once.
const fewWords = 1 << 12

// gone is the cell of a row that does not have the column.
type gone struct{}

// OpenTable reads the first n rows of a file, all if n ≤ 0. A bad row is an error.
func OpenTable(path string, n int) (*Table, error) {
	t := &Table{columns: map[string]*column{}}
	src, err := open(Options{Path: path})
	if err != nil {
		return nil, err
	}
	defer src.close()
	read := func() error { return t.readRow(src) }
	if src.cells != nil {
		t.fromText, read = true, t.cellReader(src.cells)
	}
	for n <= 0 || t.Rows < n {
		if err := read(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		t.Rows++
	}
	if t.Rows == 0 {
		return nil, fmt.Errorf("%w: %s has no row", dataset.ErrEmpty, path)
	}
	return t, nil
}

// cellReader returns what reads rows of cells: their columns are known, and all are texts.
func (t *Table) cellReader(src *cellRows) func() error {
	var columns []*column
	for _, name := range src.header {
		columns = append(columns, t.column(name))
	}
	return func() error {
		cells, err := src.next()
		for i := 0; err == nil && i < len(columns); i++ {
			columns[i].cells = append(columns[i].cells, columns[i].hold(cells[i], true))
		}
		return err
	}
}

// readRow reads a row of any values.
func (t *Table) readRow(src *source) error {
	r, err := src.next()
	if err != nil {
		return err
	}
	if r.order == nil {
		r.order = slices.Sorted(maps.Keys(r.Values))
	}
	for _, name := range r.order {
		v, c := r.Values[name], (*column)(nil)
		switch v.(type) {
		case map[string]any, []any:
			t.leaves(name, v, false)
			c = t.nested(name)
		case nil:
			c = t.column(name)
		default:
			c = t.column(name)
			v = c.hold(v, false)
		}
		for len(c.cells) < t.Rows {
			c.cells = append(c.cells, gone{})
		}
		c.cells = append(c.cells, v)
	}
	return nil
}

// column returns a column that is described, new at its first value.
func (t *Table) column(path string) *column {
	c := t.nested(path)
	if c.Path == "" {
		c.Path, c.Type = path, dataset.Null
		t.order = append(t.order, c)
	}
	return c
}

// nested returns a column of which only leaves are described, or more.
func (t *Table) nested(path string) *column {
	c, ok := t.columns[path]
	if !ok {
		c = &column{words: map[string]any{}}
		t.columns[path] = c
	}
	return c
}

// leaves notes the leaves of a nested value. inList says that it is part of a list.
func (t *Table) leaves(path string, v any, inList bool) {
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			t.leaves(path+"."+k, v[k], inList)
		}
		return
	case []any:
		objects := false
		for _, x := range v {
			_, object := x.(map[string]any)
			objects = objects || object
			t.leaves(path, x, true)
		}
		if !objects { // an empty list shows nothing else
			t.column(path).List = true
		}
		return
	}
	c := t.column(path)
	c.List = c.List || inList
	if v != nil {
		c.hold(v, false)
	}
}

// samples is the number of values that a column shows.
const samples = 5

// hold notes a value that is not nested, and returns it as the table holds it: a text once, while there are few.
func (c *column) hold(v any, fromText bool) any {
	s, isText := v.(string)
	if s != "" || !isText || !fromText {
		c.Values++
	}
	if len(c.words) == fewWords { // too many to tell them apart
		if isText {
			return strings.Clone(s) // and not all of the row that it was read with
		}
		return v
	}
	if !isText {
		var fault *fieldError
		if s, fault = text(path{}, v); fault != nil {
			s = "(" + fault.reason + ")"
		}
	}
	held, known := c.words[s]
	if known && held == v {
		return held
	}
	if isText {
		v = strings.Clone(s)
	}
	if s != "" || !fromText {
		c.describe(v, s, fromText, known)
	}
	if !known {
		c.words[strings.Clone(s)] = v
	}
	return v
}

// describe takes a value into the description of its column.
func (c *column) describe(v any, s string, fromText, known bool) {
	switch t := typeOf(v, s, fromText); {
	case c.Type == dataset.Null || c.Type == t:
		c.Type = t
	case c.Type == dataset.Integer && t == dataset.Number, c.Type == dataset.Number && t == dataset.Integer:
		c.Type = dataset.Number
	case fromText:
		c.Type = dataset.Text
	default:
		c.Type = dataset.Mixed
	}
	c.Longest = max(c.Longest, len([]rune(s)))
	if !known {
		if c.Distinct++; len(c.Samples) < samples {
			c.Samples = append(c.Samples, strings.Clone(s))
		}
	}
}

// typeOf returns the type of a value; s is the value as text.
func typeOf(v any, s string, fromText bool) dataset.ColumnType {
	switch v.(type) {
	case bool:
		return dataset.Boolean
	case int64, uint64:
		return dataset.Integer
	case float32, float64:
		return dataset.Number
	case json.Number:
		if strings.ContainsAny(s, ".eE") {
			return dataset.Number
		}
		return dataset.Integer
	}
	if fromText {
		var x any
		if json.Unmarshal([]byte(strings.ToLower(s)), &x) == nil {
			switch x.(type) {
			case bool:
				return dataset.Boolean
			case float64:
				return typeOf(json.Number(s), s, false)
			}
		}
	}
	return dataset.Text
}

// Columns describes the columns in the order of the file; of lists and objects their leaves. Distinct counts up to
// 4,096 texts; Type, Longest and Samples are of these.
func (t *Table) Columns() (out []dataset.Column) {
	for _, c := range t.order {
		if c.Type == dataset.Null && slices.ContainsFunc(t.order,
			func(o *column) bool { return strings.HasPrefix(o.Path, c.Path+".") }) {
			continue // an object that was null in some rows
		}
		d := c.Column
		if !d.List {
			d.Nulls = max(0, t.Rows-d.Values)
		}
		out = append(out, d)
	}
	return out
}

// Names lists the columns that some row has, sorted.
func (t *Table) Names() (names []string) {
	for name, c := range t.columns {
		if c.cells != nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Keep drops the cells of the columns that are not named, or that no named path goes through. Only cells that are
// kept may be read afterwards.
func (t *Table) Keep(paths ...string) {
	for name, c := range t.columns {
		if !slices.ContainsFunc(paths, func(p string) bool {
			rest, ok := strings.CutPrefix(p, name)
			return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
		}) {
			c.cells, c.words = nil, nil
		}
	}
}

// Value returns the cell of a row: nil for a null; ok is false where the row does not have the column.
func (t *Table) Value(row int, column string) (v any, ok bool) {
	c := t.columns[column]
	if c == nil || row >= len(c.cells) || c.cells[row] == any(gone{}) {
		return nil, false
	}
	return c.cells[row], true
}

// Text returns what a column, or a path into one, holds in a row, as text: a list or an object as Go prints it.
func (t *Table) Text(row int, column string) (string, error) {
	v, ok := t.Value(row, column)
	switch v := v.(type) {
	case string:
		return v, nil
	case []any, map[string]any:
		return fmt.Sprint(v), nil
	case nil:
		if ok {
			return "", fmt.Errorf("row %d: column %q is empty", row+1, column)
		}
	}
	p, err := parsePath(column)
	var fault *fieldError
	if !ok && err == nil {
		if v, ok = t.Value(row, p.steps[0].Key); ok {
			v, fault = p.walk(v, p.steps[1:])
		}
	}
	if !ok {
		have := slices.DeleteFunc(t.Names(), func(name string) bool { _, has := t.Value(row, name); return !has })
		return "", fmt.Errorf("row %d has no column %q; there are %s", row+1, column, strings.Join(have, ", "))
	}
	s, unread := text(path{text: column}, v)
	if fault = cmp.Or(fault, unread); fault != nil {
		return "", fmt.Errorf("row %d: %w", row+1, fault.err())
	}
	return s, nil
}

// Convert turns a column, or a path into one, into values, equal texts once while they are few. bad is the first row
// that cannot be converted, and unread says that it has no text; the rows before it are converted.
func Convert[T any](t *Table, column string, value func(text string) (T, error)) (out []T, bad int, unread bool,
	err error) {
	out = make([]T, 0, t.Rows)
	known := map[string]T{}
	for i := range t.Rows {
		text, err := t.Text(i, column)
		if err != nil {
			return out, i, true, err
		}
		v, ok := known[text]
		if !ok {
			if v, err = value(text); err != nil {
				return out, i, false, err
			}
			if len(known) < fewWords {
				known[text] = v
			}
		}
		out = append(out, v)
	}
	return out, -1, false, nil
}
