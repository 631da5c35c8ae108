package outcomes

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/files"
)

// cell returns the value of row i, counted from 0, as text. A column may be a path into nested values.
func (f *File) cell(i int, column string) (string, error) {
	if c := f.table.Cells(column); c != nil {
		if text, ok := c.Text(i); ok {
			return text, nil
		}
	}
	if f.table.Has(i, column) {
		if v := f.table.Nested(i, column); v != nil {
			return fmt.Sprint(v), nil
		}
		return "", fmt.Errorf("row %d: column %q is empty", i+1, column)
	}
	text, ok, err := f.table.At(i, column)
	switch {
	case !ok:
		return "", fmt.Errorf("row %d has no column %q; there are %s", i+1, column,
			strings.Join(f.table.Names(i), ", "))
	case err != nil:
		return "", fmt.Errorf("row %d: %w", i+1, err)
	}
	return text, nil
}

// group returns a row's group, "" where the cell is empty: the row is alone.
func (f *File) group(i int, column string) (string, error) {
	if f.table.Null(i, column) {
		return "", nil
	}
	return f.cell(i, column)
}

// convert converts a column: bad is the first row that cannot be, and err says why; the rows before it are converted.
func convert[T any](f *File, column string, other func(row int) (string, error),
	value func(text string) (T, error)) (out []T, bad int, err error) {
	if c := f.table.Cells(column); c != nil {
		return files.Convert(c, other, value)
	}
	for i := range f.table.Rows { // a path
		text, err := other(i)
		if err != nil {
			return out, i, err
		}
		v, err := value(text)
		if err != nil {
			return out, i, err
		}
		out = append(out, v)
	}
	return out, -1, nil
}

// Unit reads a number in [0,1]; what it is appears in the error.
func Unit(what, text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 1 {
		if _, again := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err != nil && again == nil {
			return 0, fmt.Errorf("%s %q is no number in [0,1]: write a point, not a comma, before the decimals", what, text)
		}
		return 0, fmt.Errorf("%s %q is no number in [0,1]", what, text)
	}
	return v, nil
}

// readCosts reads what every query costs, where that is known.
func (l *Log) readCosts() error {
	if l.StudentCost == "" {
		return nil
	}
	for k, given := range []string{l.StudentCost, l.MasterCost} {
		if constant, err := strconv.ParseFloat(given, 64); err == nil {
			l.Costs[k] = slices.Repeat([]float64{constant}, l.Len())
			continue
		}
		var p problem
		l.Costs[k] = column(l, &p, given, [2]int{}, cost)
		if p.err != nil {
			return p.err
		}
	}
	if slices.Max(l.Costs[1]) == 0 {
		return fmt.Errorf("the master costs nothing on any row: there is nothing to save; leave the costs out")
	}
	return nil
}

func cost(text string) (float64, error) {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0) || math.IsInf(v, 1) {
		return 0, fmt.Errorf("cost %q: want a finite number of 0 or more", text)
	}
	return v, nil
}
