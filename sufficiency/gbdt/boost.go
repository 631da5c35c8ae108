package gbdt

import (
	"errors"
	"fmt"
	"math"
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
	bag    []int32 // records of the tree in ascending order; all unless subsampled
	drawn  []bool  // which they are
	leaves []span
	level  []node
	below  []node
	mask   []bool // by node and column: drawn as a candidate
	order  []int

	all    []int32
	exact  *exact
	hist   *hist
	grower grower
	model  *Model
}

// span is a leaf: a node of the tree and its records f.rows[start:end].
type span struct{ id, start, end int32 }

// node is a node of the level being grown. Two children stand side by side,
// left first.
type node struct {
	id, start, end int32
	sum            float64 // of residuals
	fixed          int64   // sum of the learner's integers
	search         bool    // may be split
	slot           int32   // of its histogram
	split          candidate
}

func (s *node) records() int { return int(s.end - s.start) }

// candidate is a split; feature −1 is none. score is comparable within a node.
type candidate struct {
	score     float64
	threshold float64
	feature   int32
	bin       uint8
}

// grower is a learner: how residuals are kept, splits found, records divided.
type grower interface {
	begin(f *Fitter, v View, rows []int32)   // a fit begins
	target(f *Fitter)                        // f.residual and f.bag of a new tree are set
	integers() []int64                       // residuals by local record, as integers
	search(f *Fitter, level []node, dep int) // sets split of the nodes to search
	divide(f *Fitter, s *node) int32         // parts f.rows of a node, the left ones first
	done(f *Fitter, tree []Node)             // the tree's values are set, f.leaves valid
}

// Fit fits m, whose memory is used again, to the rows of the view; nil is all
// of them. y has one target per row of the view. Bins and sorted orders are
// those of all rows of the tables, whichever are fitted.
func (f *Fitter) Fit(m *Model, v View, y []float64, rows []int32, o Options) error {
	if err := f.prepare(v, y, rows, o); err != nil {
		return fmt.Errorf("gbdt: %w", err)
	}
	if rows == nil {
		rows = f.everything(v.Rows())
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
	f.rows, f.spare, f.bag = resize(f.rows, f.n), resize(f.spare, f.n), resize(f.bag, f.n)
	for i := range f.n {
		f.pred[i], f.bag[i] = m.Init, int32(i)
	}
	f.grower.begin(f, v, rows)
	stop := newStopper(m, v, y, held, f.o)
	for range f.o.Trees {
		f.boost(v, rows)
		if stop.after(m) {
			break
		}
	}
	stop.cut(m)
	return nil
}

// prepare checks the input and picks the learner.
func (f *Fitter) prepare(v View, y []float64, rows []int32, o Options) error {
	if v.Columns() == 0 {
		return errors.New("no columns to fit to")
	}
	o, err := o.withDefaults(v.Columns())
	if err != nil {
		return err
	}
	if len(y) != v.Rows() {
		return fmt.Errorf("%d targets for %d rows", len(y), v.Rows())
	}
	if rows != nil && len(rows) == 0 || v.Rows() == 0 {
		return errors.New("no rows to fit to")
	}
	for _, r := range rows {
		if r < 0 || int(r) >= v.Rows() {
			return fmt.Errorf("row %d of %d", r, v.Rows())
		}
	}
	check := rows
	if check == nil {
		check = f.everything(v.Rows())
	}
	if err := checkTarget(y, check, o.Loss); err != nil {
		return err
	}
	f.o, f.features = o, v.Columns()
	if o.Learner == Hist {
		if o.Depth > maxHistDepth {
			return fmt.Errorf("depth %d; the hist learner goes to %d", o.Depth, maxHistDepth)
		}
		if len(check) > maxHistRows {
			return fmt.Errorf("%d records; the hist learner takes at most %d", len(check), maxHistRows)
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
		return math.Log(mean / (1 - mean))
	}
	return mean
}

// boost adds one tree.
func (f *Fitter) boost(v View, rows []int32) {
	for i, p := range f.pred {
		if f.o.Loss == Logistic {
			p = Probability(p)
		}
		f.residual[i] = f.y[i] - p
	}
	if f.o.Subsample < 1 {
		f.draw()
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
	if len(f.bag) < f.n {
		for i, drawn := range f.drawn {
			if !drawn {
				f.pred[i] += float64(f.o.LearningRate * tree[leafOf(tree, v, rows[i])].Value)
			}
		}
	}
}

// draw picks the records of the next tree, without replacement.
func (f *Fitter) draw() {
	want := max(1, int(f.o.Subsample*float64(f.n)))
	f.drawn = resize(f.drawn, f.n)
	f.bag = f.bag[:0]
	for i := range f.n { // Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S
		f.drawn[i] = f.o.Random.IntN(f.n-i) < want-len(f.bag)
		if f.drawn[i] {
			f.bag = append(f.bag, int32(i))
		}
	}
}

// grow grows one tree level by level.
func (f *Fitter) grow(first int) {
	f.rows, f.spare = f.rows[:len(f.bag)], f.spare[:len(f.bag)]
	copy(f.rows, f.bag)
	f.leaves, f.level = f.leaves[:0], f.level[:0]
	f.level = append(f.level, f.newNode(first, 0, int32(len(f.bag)), 0))
	for depth := 0; len(f.level) > 0; depth++ {
		f.drawFeatures()
		f.grower.search(f, f.level, depth)
		f.below = f.below[:0]
		for i := range f.level {
			s := &f.level[i]
			if !s.search || s.split.feature < 0 {
				f.leaves = append(f.leaves, span{s.id, s.start, s.end})
				continue
			}
			mid := f.grower.divide(f, s)
			l := f.newNode(first, s.start, mid, depth+1)
			r := f.newNode(first, mid, s.end, depth+1)
			at := &f.model.nodes[first+int(s.id)]
			at.Feature, at.Threshold, at.Left, at.Right = s.split.feature, s.split.threshold, l.id, r.id
			nl, nr := float64(l.records()), float64(r.records())
			diff := float64(nr*l.sum) - float64(nl*r.sum)
			at.Gain = diff * diff / (nl * nr * (nl + nr))
			l.slot, r.slot = s.slot, s.slot
			f.below = append(f.below, l, r)
		}
		f.level, f.below = f.below, f.level
	}
}

// newNode makes the node of f.rows[start:end] and its place in the tree.
func (f *Fitter) newNode(first int, start, end int32, depth int) node {
	s := node{id: int32(len(f.model.nodes) - first), start: start, end: end}
	integers := f.grower.integers()
	rows := f.rows[start:end]
	for _, i := range rows {
		s.sum += f.residual[i]
		s.fixed += integers[i]
	}
	n := float64(s.records())
	mean := s.sum / n
	s.search = depth < f.o.Depth && s.records() >= max(f.o.MinSplit, 2*f.o.MinLeaf) && f.impure(rows, mean)
	s.split.feature = -1
	f.model.nodes = append(f.model.nodes, Node{Feature: -1, Records: end - start, Value: mean})
	return s
}

// impure says whether the mean squared distance of residuals from their mean is
// more than 2⁻⁵². It is taken from the mean: as a difference of two large
// numbers it would be rounding where all residuals are equal, and such a node
// would be split at random.
func (f *Fitter) impure(rows []int32, mean float64) bool {
	squares := 0.0
	for _, i := range rows {
		d := f.residual[i] - mean
		squares += float64(d * d)
		if squares > 0x1p-52*float64(len(rows)) {
			return true
		}
	}
	return false
}

// drawFeatures draws the columns each node of the level may split on.
func (f *Fitter) drawFeatures() {
	if f.o.MaxFeatures == f.features {
		f.mask = f.mask[:0]
		return
	}
	f.mask = resize(f.mask, f.features*len(f.level))
	clear(f.mask)
	for i := len(f.order); i < f.features; i++ {
		f.order = append(f.order, i)
	}
	for i := range f.level {
		if !f.level[i].search {
			continue
		}
		order := f.order[:f.features]
		for k := range order {
			order[k] = k
		}
		for k := range f.o.MaxFeatures {
			j := k + f.o.Random.IntN(f.features-k)
			order[k], order[j] = order[j], order[k]
			f.mask[i*f.features+order[k]] = true
		}
	}
}

// masked says whether column c is none of those drawn for node i of the level.
func (f *Fitter) masked(i, c int) bool {
	return len(f.mask) > 0 && !f.mask[i*f.features+c]
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

// holdOut takes a share of the rows away.
func holdOut(rows []int32, o Options) (fit, held []int32) {
	want := min(max(1, int(o.Holdout*float64(len(rows)))), len(rows)-1)
	for i, r := range rows {
		if o.Random.IntN(len(rows)-i) < want-len(held) {
			held = append(held, r)
		} else {
			fit = append(fit, r)
		}
	}
	return fit, held
}

// stopper watches the loss on held-out rows.
type stopper struct {
	v     View
	y     []float64
	held  []int32
	pred  []float64
	o     Options
	best  float64
	trees int // of the best
	since int
}

func newStopper(m *Model, v View, y []float64, held []int32, o Options) *stopper {
	if len(held) == 0 {
		return nil
	}
	s := &stopper{v: v, y: y, held: held, o: o, pred: make([]float64, len(held))}
	for i := range s.pred {
		s.pred[i] = m.Init
	}
	s.best = s.loss()
	return s
}

func (s *stopper) loss() float64 {
	sum := 0.0
	for i, r := range s.held {
		if s.o.Loss == Logistic {
			sum += math.Log1p(math.Exp(-math.Abs(s.pred[i]))) + max(s.pred[i], 0) - float64(s.y[r]*s.pred[i])
		} else {
			sum += float64((s.y[r] - s.pred[i]) * (s.y[r] - s.pred[i]))
		}
	}
	return sum / float64(len(s.held))
}

// after looks at the model's newest tree and says whether to stop.
func (s *stopper) after(m *Model) bool {
	if s == nil {
		return false
	}
	m.add(s.pred, m.Tree(m.Trees()-1), s.v, s.held)
	loss := s.loss()
	if loss < s.best-s.o.Tolerance {
		s.best, s.trees, s.since = loss, m.Trees(), 0
		return false
	}
	s.since++
	return s.since >= s.o.Patience
}

// cut drops the trees behind the best.
func (s *stopper) cut(m *Model) {
	if s != nil {
		m.first = m.first[:s.trees+1]
		m.nodes = m.nodes[:m.first[s.trees]]
	}
}

// resize returns a slice of length n in the memory of s where that is enough.
func resize[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
