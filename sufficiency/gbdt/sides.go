package gbdt

// side is what a split's score needs to know of the number k of records on its
// left: with S the sum of their residuals, the score is
//
//	(S − expected)²·weight   expected = k·mean   weight = 1/(k·(n−k))
//
// which orders the splits of a node as the reduction of the squared error does.
type side struct{ expected, weight float64 }

// sides holds the sides of a level's nodes, worked out once for all columns.
type sides struct {
	flat  []side
	start []int // of each node, for k = 0 to n
}

// level works them out for the nodes to be searched that have few records. Too small
// a side weighs 0.
func (s *sides) level(h *hist, level []node, minLeaf int) {
	s.start = resize(s.start, len(level))
	need := 0
	for i := range level {
		s.start[i] = need
		if level[i].search && h.few(&level[i]) {
			need += level[i].records() + 1
		}
	}
	s.flat = resize(s.flat, need)
	for i := range level {
		if !level[i].search || !h.few(&level[i]) {
			continue
		}
		n := level[i].records()
		mean := float64(h.total(&level[i])) / float64(n)
		flat := s.flat[s.start[i]:][:n+1]
		for k := range flat {
			flat[k] = side{expected: float64(k) * mean}
			if k >= minLeaf && n-k >= minLeaf {
				flat[k].weight = 1 / (float64(k) * float64(n-k))
			}
		}
	}
}

// of returns the sides of node i from k = 0 up.
func (s *sides) of(i int) []side { return s.flat[s.start[i]:] }
