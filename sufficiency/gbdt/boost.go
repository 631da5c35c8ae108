package gbdt

import (
	"errors"
	"fmt"
)

// Fit fits a model to the rows of the view; nil is all of them. y has one
// target per row of the view.
func Fit(v View, y []float64, rows []int32, o Options) (*Model, error) {
	m := &Model{}
	var f Fitter
	if err := f.Fit(m, v, y, rows, o); err != nil {
		return nil, err
	}
	return m, nil
}

// Fitter fits one model after another in the same memory. The zero value is
// ready. Not for concurrent use: one for each goroutine.
type Fitter struct {
	o        Options
	n        int // records, numbered locally from 0
	features int
	y        []float64
	pred     []float64
	residual []float64

	rows   []int32 // local records of the tree, those of a node side by side
	spare  []int32
	leaves []span
	level  []node
	below  []node

	all   []int32
	hist  hist
	model *Model
}

// Fit fits m, whose memory is used again, to the rows of the view; nil is all
// of them. y has one target per row of the view. Bins are those of all rows of the
// tables, whichever are fitted.
func (f *Fitter) Fit(m *Model, v View, y []float64, rows []int32, o Options) error {
	if err := f.prepare(v, y, rows, o); err != nil {
		return fmt.Errorf("gbdt: %w", err)
	}
	if rows == nil {
		rows = f.everything(v.n)
	}
	f.n = len(rows)
	f.y = resize(f.y, f.n)
	for i, r := range rows {
		f.y[i] = y[r]
	}
	m.Columns, m.LearningRate, m.Init = f.features, f.o.LearningRate, 0
	for _, v := range f.y {
		m.Init += v
	}
	m.Init /= float64(f.n)
	m.nodes, m.first = m.nodes[:0], append(m.first[:0], 0)
	f.model = m
	f.pred, f.residual = resize(f.pred, f.n), resize(f.residual, f.n)
	f.rows, f.spare = resize(f.rows, f.n), resize(f.spare, f.n)
	for i := range f.n {
		f.pred[i] = m.Init
	}
	f.hist.begin(f, v, rows)
	for range f.o.Trees {
		f.boost()
	}
	return nil
}

// Fitted returns the model's predictions of the rows that Fit fitted to, in their
// order, until the next fit.
func (f *Fitter) Fitted() []float64 { return f.pred }

// prepare checks the input.
func (f *Fitter) prepare(v View, y []float64, rows []int32, o Options) error {
	if len(v.columns) == 0 {
		return errors.New("no columns to fit to")
	}
	o = o.withDefaults()
	if len(y) != v.n {
		return fmt.Errorf("%d targets for %d rows", len(y), v.n)
	}
	if rows != nil && len(rows) == 0 || v.n == 0 {
		return errors.New("no rows to fit to")
	}
	f.o, f.features = o, len(v.columns)
	if o.Depth > maxDepth {
		return fmt.Errorf("depth %d; trees go to %d", o.Depth, maxDepth)
	}
	n := len(rows)
	if rows == nil {
		n = v.n
	}
	if n > maxRecords {
		return fmt.Errorf("%d records; a fit takes %d: give it a sample of them", n, maxRecords)
	}
	return nil
}

func (f *Fitter) everything(n int) []int32 {
	for i := len(f.all); i < n; i++ {
		f.all = append(f.all, int32(i))
	}
	return f.all[:n]
}

// boost adds one tree.
func (f *Fitter) boost() {
	for i, p := range f.pred {
		f.residual[i] = f.y[i] - p
	}
	f.hist.target(f)
	first := len(f.model.nodes)
	f.grow(first)
	tree := f.model.nodes[first:]
	f.model.first = append(f.model.first, len(f.model.nodes))
	f.hist.done(f, tree)
	for _, leaf := range f.leaves {
		step := float64(f.o.LearningRate * tree[leaf.id].Value)
		for _, i := range f.rows[leaf.start:leaf.end] {
			f.pred[i] += step
		}
	}
}

// resize returns a slice of length n in the memory of s where that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
