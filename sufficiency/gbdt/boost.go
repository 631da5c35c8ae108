package gbdt

import (
	"errors"
	"fmt"

	"infnet/harness/calc"
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

	all    []int32
	exact  *exact
	hist   *hist
	grower grower
	model  *Model
}

// Fit fits m, whose memory is used again, to the rows of the view; nil is all
// of them. y has one target per row of the view. Bins and sorted orders are
// those of all rows of the tables, whichever are fitted.
func (f *Fitter) Fit(m *Model, v View, y []float64, rows []int32, o Options) error {
	if err := f.prepare(v, y, rows, o); err != nil {
		return fmt.Errorf("gbdt: %w", err)
	}
	if rows == nil {
		rows = f.everything(v.n)
	}
	var held []int32
	if f.o.Patience > 0 {
		rows, held = holdOut(rows, f.o)
	}
	f.n = len(rows)
	f.y = resize(f.y, f.n)
	for i, r := range rows {
		f.y[i] = y[r]
	}
	m.Columns, m.LearningRate, m.Loss = f.features, f.o.LearningRate, f.o.Loss
	m.Init = initial(f.y, f.o.Loss)
	m.nodes, m.first = m.nodes[:0], append(m.first[:0], 0)
	f.model = m
	f.pred, f.residual = resize(f.pred, f.n), resize(f.residual, f.n)
	f.rows, f.spare = resize(f.rows, f.n), resize(f.spare, f.n)
	for i := range f.n {
		f.pred[i] = m.Init
	}
	f.grower.begin(f, v, rows)
	stop := newStopper(m, v, y, held, f.o)
	for range f.o.Trees {
		f.boost()
		if stop.after(m) {
			break
		}
	}
	stop.cut(m)
	return nil
}

// Fitted returns the model's predictions of the rows that Fit fitted to, in their
// order, until the next fit; nil where the model is not what they were fitted
// with, since trees were held back or dropped.
func (f *Fitter) Fitted() []float64 {
	if f.o.Patience > 0 {
		return nil
	}
	return f.pred
}

// prepare checks the input and picks the learner.
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
	if o.Learner == Hist {
		if o.Depth > maxHistDepth {
			return fmt.Errorf("depth %d; the hist learner goes to %d", o.Depth, maxHistDepth)
		}
		n := len(rows)
		if rows == nil {
			n = v.n
		}
		if n > maxHistRecords {
			return fmt.Errorf("%d records; the hist learner takes %d: give it a sample of them", n, maxHistRecords)
		}
		if f.hist == nil {
			f.hist = &hist{}
		}
		f.grower = f.hist
		return nil
	}
	if f.exact == nil {
		f.exact = &exact{}
	}
	f.grower = f.exact
	return nil
}

func (f *Fitter) everything(n int) []int32 {
	for i := len(f.all); i < n; i++ {
		f.all = append(f.all, int32(i))
	}
	return f.all[:n]
}

// initial is the constant that fits best: the mean, or its log-odds, with the
// mean kept off 0 and 1 by one float32 step as scikit-learn does.
func initial(y []float64, loss Loss) float64 {
	sum := 0.0
	for _, v := range y {
		sum += v
	}
	mean := sum / float64(len(y))
	if loss == Logistic {
		const eps = 1.1920929e-07
		mean = min(max(mean, eps), 1-eps)
		return calc.Log(mean / (1 - mean))
	}
	return mean
}

// boost adds one tree.
func (f *Fitter) boost() {
	for i, p := range f.pred {
		if f.o.Loss == Logistic {
			p = Probability(p)
		}
		f.residual[i] = f.y[i] - p
	}
	f.grower.target(f)
	first := len(f.model.nodes)
	f.grow(first)
	tree := f.model.nodes[first:]
	f.model.first = append(f.model.first, len(f.model.nodes))
	if f.o.Loss == Logistic {
		f.newton(tree)
	}
	f.grower.done(f, tree)
	for _, leaf := range f.leaves {
		step := float64(f.o.LearningRate * tree[leaf.id].Value)
		for _, i := range f.rows[leaf.start:leaf.end] {
			f.pred[i] += step
		}
	}
}

// newton sets the values of leaves to one Newton step of the logistic loss:
//
//	Σ residual / Σ p(1−p)
func (f *Fitter) newton(tree []Node) {
	for _, leaf := range f.leaves {
		num, den := 0.0, 0.0
		for _, i := range f.rows[leaf.start:leaf.end] {
			g := f.residual[i]
			num += g
			den += float64((f.y[i] - g) * (1 - f.y[i] + g))
		}
		tree[leaf.id].Value = 0
		if den >= 1e-150 {
			tree[leaf.id].Value = num / den
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
