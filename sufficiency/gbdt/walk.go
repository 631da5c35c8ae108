package gbdt

import "math"

// together is the number of rows that walk down all trees before the next ones
// do, while their values are in the cache.
const together = 2048

// walks are some trees over the columns of a view.
type walks struct {
	columns []seen
	steps   []step
	first   []int32 // by tree: where its steps begin
}

// seen is a column of a view: row i has the value x[at[i]], or x[i] where at is
// nil.
type seen struct {
	x  []float32
	at []uint32
}

// step is a node of a tree.
type step struct {
	value   float64 // what a leaf adds
	feature int32   // −1 in a leaf
	bound   float32 // the largest value that goes left
	next    [2]int32
}

// walks prepares trees from to to of the model.
func (m *Model) walks(v View, from, to int) walks {
	w := walks{first: make([]int32, 0, to-from)}
	for _, c := range v.columns {
		w.columns = append(w.columns, seen{c.x[c.c], c.rows})
	}
	for t := from; t < to; t++ {
		w.first = append(w.first, int32(len(w.steps)))
		for _, node := range m.Tree(t) {
			w.steps = append(w.steps, step{float64(m.LearningRate * node.Value), node.Feature, upTo32(node.Threshold),
				[2]int32{node.Left, node.Right}})
		}
	}
	return w
}

// upTo32 is the largest 32-bit number that is no larger than x.
func upTo32(x float64) float32 {
	y := float32(x)
	if float64(y) > x {
		y = math.Nextafter32(y, float32(math.Inf(-1)))
	}
	return y
}

// add adds tree t's share to dst[start:end]; rows are those of all of dst, nil is
// all rows.
func (w *walks) add(dst []float64, t int, rows []int32, start, end int) {
	tree := w.steps[w.first[t]:]
	for i := start; i < end; i++ {
		r := int32(i)
		if rows != nil {
			r = rows[i]
		}
		s := &tree[0]
		for s.feature >= 0 {
			column, at := &w.columns[s.feature], uint32(r)
			if column.at != nil {
				at = column.at[r]
			}
			right := 0
			if column.x[at] > s.bound {
				right = 1
			}
			s = &tree[s.next[right]]
		}
		dst[i] += s.value
	}
}
