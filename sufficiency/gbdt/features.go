package gbdt

import (
	"errors"
	"fmt"
	"math"
	"sync"

	"golang.org/x/sync/errgroup"
)

// Features is a set of columns prepared for fitting: values rounded to float32, and
// their bins, worked out once, when first needed. They depend neither on a target
// nor on which rows a fit uses. Safe for concurrent use.
type Features struct {
	n int
	x [][]float32 // by column

	binned sync.Once
	bins   [][]uint8
	cuts   [][]float64 // bin b holds cuts[b−1] < x ≤ cuts[b]
}

// NewFeatures prepares columns of equal length. Values are rounded to float32, as
// scikit-learn does; one that is NaN or infinite then is an error. The columns
// are copied. A table may have no columns, but not no rows.
func NewFeatures(rows int, columns [][]float64) (*Features, error) {
	if rows < 1 {
		return nil, errors.New("a table needs at least one row")
	}
	if rows > math.MaxInt32 {
		return nil, fmt.Errorf("%d rows; a table holds at most %d", rows, math.MaxInt32)
	}
	t := &Features{n: rows, x: make([][]float32, len(columns))}
	for c, column := range columns {
		if len(column) != rows {
			return nil, fmt.Errorf("column %d has %d values; the table has %d rows", c, len(column), rows)
		}
		x := make([]float32, rows)
		t.x[c] = x
		for i, v := range column {
			f := float32(v)
			if f-f != 0 { // NaN, or infinite
				return nil, fmt.Errorf("column %d, row %d: %g is no finite 32-bit number; fill or drop it first", c, i, v)
			}
			x[i] = f + 0 // −0 becomes 0
		}
	}
	return t, nil
}

// Columns returns the number of columns.
func (t *Features) Columns() int { return len(t.x) }

// View joins columns of several tables, each table's rows possibly in another
// order. The zero View has no columns.
type View struct {
	n       int
	columns []column
}

// column is a column of a table as a view sees it.
type column struct {
	*Features
	c    int
	rows []uint32 // row i of the view is row rows[i] of the table; nil = i
}

// of is the table's row of a view's.
func (c column) of(row int32) uint32 {
	if c.rows == nil {
		return uint32(row)
	}
	return c.rows[row]
}

// order tells the orders of rows apart.
func (c column) order() *uint32 {
	if c.rows == nil {
		return nil
	}
	return &c.rows[0]
}

// View returns the table's columns as they are.
func (t *Features) View() View { return t.Reordered(nil) }

// Reordered returns the table's columns with row rows[i] of the table as row
// i, a permutation for instance; nil leaves them as they are. The slice is not
// copied.
func (t *Features) Reordered(rows []uint32) View {
	v := View{n: t.n}
	if rows != nil {
		v.n = len(rows)
	}
	for c := range t.x {
		v.columns = append(v.columns, column{t, c, rows})
	}
	return v
}

// Join returns the columns of all views in order. It panics on views of
// unequal length; views without columns are left out.
func Join(views ...View) View {
	var out View
	for _, v := range views {
		if len(v.columns) == 0 {
			continue
		}
		if out.n != 0 && out.n != v.n {
			panic(fmt.Sprintf("gbdt: views of %d and %d rows", out.n, v.n))
		}
		out.n, out.columns = v.n, append(out.columns, v.columns...)
	}
	return out
}

// parallel calls f for 0 to n−1 on some goroutines and waits.
func parallel(threads, n int, f func(i int)) {
	var g errgroup.Group
	g.SetLimit(max(1, threads))
	for i := range n {
		g.Go(func() error { f(i); return nil })
	}
	_ = g.Wait()
}

// Column returns the values of a column, as rounded, which are the table's own.
func (t *Features) Column(c int) []float32 { return t.x[c] }
