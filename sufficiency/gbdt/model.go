package gbdt

// Node is one node of a tree.
type Node struct {
	Feature   int32   // column split on; −1 in a leaf
	Left      int32   // child of x ≤ Threshold, an index into the tree
	Right     int32   // child of x > Threshold
	Records   int32   // of the fit that reached it
	Threshold float64 // midpoint of two neighbouring values, or border of two bins
	Value     float64 // what it would add, before the learning rate, were it a leaf
}

// Model is a fitted ensemble. Its prediction is
//
//	f(x) = Init + LearningRate · Σ_t Value of the leaf of tree t that x falls in
//
// the expected target. Safe for concurrent use once fitted.
type Model struct {
	Init         float64
	LearningRate float64
	Columns      int

	nodes []Node
	first []int // where each tree begins in nodes; one more than trees
}

// Trees returns the number of trees.
func (m *Model) Trees() int { return max(0, len(m.first)-1) }

// Tree returns the nodes of tree t, the root first. They must not be changed.
func (m *Model) Tree(t int) []Node { return m.nodes[m.first[t]:m.first[t+1]] }

// Predict writes f of the view's rows into dst, in the order of rows; nil is
// all rows.
func (m *Model) Predict(dst []float64, v View, rows []int32) {
	for i := range dst {
		dst[i] = m.Init
	}
	w := m.walks(v, 0, m.Trees())
	for start := 0; start < len(dst); start += together {
		end := min(start+together, len(dst))
		for t := range m.Trees() {
			w.add(dst, t, rows, start, end)
		}
	}
}
