package outcomes

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/dataset/files"
)

// cell returns the value of row i, counted from 0, as text. A column may be a path into nested values.
func (f *File) cell(i int, column string) (string, error) {
	row := files.Row{Values: f.rows[i]}
	v, whole := row.Values[column]
	switch {
	case !whole && row.Has(column):
		text, err := row.Text(column)
		if err != nil {
			return "", fmt.Errorf("row %d: %w", i+1, err)
		}
		return text, nil
	case !whole:
		names := slices.Sorted(maps.Keys(row.Values))
		return "", fmt.Errorf("row %d has no column %q; there are %s", i+1, column, strings.Join(names, ", "))
	case v == nil:
		return "", fmt.Errorf("row %d: column %q is empty", i+1, column)
	}
	return fmt.Sprint(v), nil
}

// group returns a row's group, "" where the cell is empty: the row is alone.
func (f *File) group(i int, column string) (string, error) {
	if v, ok := f.rows[i][column]; ok && v == nil {
		return "", nil
	}
	return f.cell(i, column)
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
		constant, err := strconv.ParseFloat(given, 64)
		for i := range l.file.rows {
			v := constant
			if err != nil {
				text, err := l.file.cell(i, given)
				if err != nil {
					return err
				}
				if v, err = cost(text); err != nil {
					return fmt.Errorf("row %d, column %q: %w", i+1, given, err)
				}
			}
			l.Costs[k] = append(l.Costs[k], v)
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
