package gbdt

// span is a leaf: a node of the tree and its records f.rows[start:end].
type span struct{ id, start, end int32 }

// node is a node of the level being grown. Two children stand side by side,
// left first.
type node struct {
	id, start, end int32
	sum            float64 // of residuals
	fixed          int64   // sum of integer residuals, as counted
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

// grow grows one tree level by level.
func (f *Fitter) grow(first int) {
	copy(f.rows, f.everything(f.n))
	f.leaves, f.level = f.leaves[:0], f.level[:0]
	root := node{end: int32(f.n)}
	root.sum, _ = sums(f.residual, f.rows, nil)
	root.fixed = sum(f.hist.what, f.rows)
	f.plant(first, &root, 0)
	f.level = append(f.level, root)
	for depth := 0; len(f.level) > 0; depth++ {
		f.hist.search(f, f.level, depth)
		f.below = f.below[:0]
		for i := range f.level {
			s := &f.level[i]
			if !s.search || s.split.feature < 0 {
				f.leaves = append(f.leaves, span{s.id, s.start, s.end})
				continue
			}
			l, r := f.children(s, f.hist.divide(f, s), depth+1)
			f.plant(first, &l, depth+1)
			f.plant(first, &r, depth+1)
			at := &f.model.nodes[first+int(s.id)]
			at.Feature, at.Threshold, at.Left, at.Right = s.split.feature, s.split.threshold, l.id, r.id
			f.below = append(f.below, l, r)
		}
		f.level, f.below = f.below, f.level
	}
}

// children returns the two nodes that a split of s before record mid makes.
func (f *Fitter) children(s *node, mid int32, depth int) (l, r node) {
	l, r = node{start: s.start, end: mid, slot: s.slot}, node{start: mid, end: s.end, slot: s.slot}
	left, right := f.rows[l.start:l.end], f.rows[r.start:r.end]
	l.sum, r.sum = sums(f.residual, left, right)
	if depth == f.o.Depth {
		return l, r // leaves: nobody asks for the sum of integers
	}
	if len(left) < len(right) {
		l.fixed = sum(f.hist.what, left)
		r.fixed = s.fixed - l.fixed
	} else {
		r.fixed = sum(f.hist.what, right)
		l.fixed = s.fixed - r.fixed
	}
	return l, r
}

// sums adds the numbers of two sets of records, each in order. They are added
// side by side because every addition waits for the one before it.
func sums(x []float64, a, b []int32) (inA, inB float64) {
	both := min(len(a), len(b))
	for k, i := range a[:both] {
		inA += x[i]
		inB += x[b[k]]
	}
	for _, i := range a[both:] {
		inA += x[i]
	}
	for _, i := range b[both:] {
		inB += x[i]
	}
	return inA, inB
}

func sum(x []int64, records []int32) int64 {
	total := int64(0)
	for _, i := range records {
		total += x[i]
	}
	return total
}

// plant gives a node its place in the tree.
func (f *Fitter) plant(first int, s *node, depth int) {
	s.id = int32(len(f.model.nodes) - first)
	mean := s.sum / float64(s.records())
	s.search = depth < f.o.Depth && s.records() >= 2*f.o.MinLeaf &&
		f.impure(f.rows[s.start:s.end], mean)
	s.split.feature = -1
	f.model.nodes = append(f.model.nodes, Node{Feature: -1, Records: s.end - s.start, Value: mean})
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
