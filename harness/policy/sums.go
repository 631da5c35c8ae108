package policy

import (
	"math"
	"math/bits"
	"slices"
)

// sums holds, for every suffix of the classes and every number of errors they
// can make together, the fewest deferrals: the (min,+) convolution of the
// classes' menus. The frontier is read off it, and each of its points is traced
// back.
//
// Convolving everything with everything is O(E·U). But on a frontier no point
// is far above the convex hull, and the distance of a sum from its hull is
//
//	gap(s+o) = r_λ(s) + r_λ(o),   r_λ(x) = d + λe − min(d + λe)
//
// with λ the hull's slope at the sum. So for each stretch of hull only options
// with r_λ ≤ w are added, which are a few neighbours of the tangent point, and
// only sums within w of the hull are kept. Every edge of the hull has a w of its
// own, as few of them are far from the frontier. A frontier found this way is exact
// if above no edge one of its points is further than its w; else that grows. In
// practice O(E·K) times a small number.
//
// After the bounds of Pisinger (1995), A minimal algorithm for the
// multiple-choice knapsack problem, used for all budgets at once.
type sums struct {
	hull   hullPath
	level  []row // level[k]: classes k and above
	work   int64
	window []float64 // w, by edge of the hull
}

// row is a suffix of the classes: least[e−from] are the fewest deferrals with
// exactly e errors, none where there is no such sum near the hull.
type row struct {
	from  int64
	least []int64
}

const (
	none    = int64(1) << 62
	maxSumE = 1 << 26 // entries of all rows together, 8 bytes each
	wider   = 8       // a wider window takes little longer, and another pass as long as all before
)

// newSums returns nil if the work limit or the memory does not suffice.
func newSums(hull hullPath, workLimit int64) *sums {
	entries, size := int64(0), int64(0)
	for k := len(hull.ms) - 1; k >= 0; k-- {
		size += hull.ms[k][0].e - hull.ms[k].least().e
		if entries += size + 1; entries > maxSumE {
			return nil
		}
	}
	s := &sums{hull: hull, work: workLimit}
	records, top := int64(1), int64(0)
	for _, m := range hull.ms {
		records += m.least().deferred
		top += m.least().d
	}
	s.window = slices.Repeat([]float64{2 * float64(1+top/records)}, len(hull.edges))
	for exact := false; !exact; exact = s.widened() {
		if !s.convolve() {
			return nil
		}
	}
	return s
}

func (s *sums) convolve() bool {
	ms := s.hull.ms
	s.level = make([]row, len(ms)+1)
	s.level[len(ms)] = row{least: []int64{0}}
	corner := coordinates{}
	for k := len(ms) - 1; k >= 0; k-- {
		corner.e += ms[k].least().e
		corner.d += ms[k].least().d
		if !s.add(k, corner) {
			return false
		}
	}
	return true
}

// add makes row k from row k+1. corner are the fewest errors of the classes
// from k on.
func (s *sums) add(k int, corner coordinates) bool {
	below := s.level[k+1]
	near := newNeighbours(s.hull.ms[k])
	here := row{from: corner.e, least: make([]int64, int64(len(below.least))+near.m[0].e-near.m.least().e)}
	stretch := func(at coordinates, lambda, window float64, length int64) {
		cells := here.least[at.e-here.from:][:length]
		for i := range cells { // one more than may be kept
			cells[i] = int64(math.Floor(float64(at.d)-float64(lambda*float64(i))+window)) + 1
		}
		for _, o := range near.at(lambda, window) {
			// Both rows are cut to the sums that fall in this stretch.
			offset := at.e - o.e - below.from
			lo, hi := max(0, -offset), min(length, int64(len(below.least))-offset)
			s.work -= 1 + max(0, hi-lo)/8 // an addition takes an eighth of a looked-at pair
			if lo < hi {
				takeLess(cells[lo:hi], below.least[offset+lo:offset+hi], o.d)
			}
		}
		for i := range cells {
			if cells[i] > int64(math.Floor(float64(at.d)-float64(lambda*float64(i))+window)) {
				cells[i] = none
			}
		}
	}
	var edges []edge // of these classes, between vertices
	vertices := []coordinates{corner}
	for _, g := range s.hull.edges {
		if g.class >= k {
			at := vertices[len(edges)]
			edges, vertices = append(edges, g), append(vertices, coordinates{at.e + g.de, at.d - g.dd})
		}
	}
	windows := s.windows(edges, vertices)
	for i, g := range edges {
		stretch(vertices[i], g.slope(), windows[i], g.de)
		if s.work < 0 {
			return false
		}
	}
	stretch(vertices[len(edges)], 0, windows[len(edges)], 1)
	s.level[k] = here
	return true
}

// windows returns how far above each stretch of some classes' hull sums are kept, the last vertex being the last
// stretch: as far as they may be parts of points within the window of any edge of the whole hull. At its slope the
// reduced cost of such a part is within the window, and no less than that of the nearest end of the stretch.
func (s *sums) windows(edges []edge, vertices []coordinates) []float64 {
	out, tangent, tolerance := make([]float64, len(vertices)), 0, s.tolerance()
	for i, g := range s.hull.edges {
		lambda, w := g.slope(), s.window[i]+tolerance
		for tangent < len(edges) && edges[tangent].slope() > lambda {
			tangent++
		}
		within := func(m int) bool {
			at, low := vertices[m], vertices[tangent]
			return float64(at.d-low.d)+float64(lambda*float64(at.e-low.e)) <= w+tolerance
		}
		for m := tangent; m < len(out) && within(m); m++ {
			out[m] = max(out[m], w)
		}
		for m := tangent; m > 0 && within(m); m-- {
			out[m-1] = max(out[m-1], w)
		}
	}
	return out
}

func (g edge) slope() float64 { return float64(g.dd) / float64(g.de) }

// takeLessPortable takes, cell by cell, what lies below with an option's deferrals added, where that is less.
func takeLessPortable(cells, below []int64, d int64) {
	for i, b := range below[:len(cells)] {
		cells[i] = min(cells[i], b+d)
	}
}

// tolerance is more than all rounding of reduced costs together.
func (s *sums) tolerance() float64 { return 0.25 + float64(0x1p-44*float64(s.hull.d[0])) }

// widened widens the windows that the frontier found leaves; it reports whether it leaves none.
func (s *sums) widened() (exact bool) {
	best, r := none, s.level[0]
	exact = true
	for i, g := range s.hull.edges {
		gap := 0.0
		for j := range g.de {
			best = min(best, r.least[s.hull.e[i]+j-r.from])
			hi, lo := bits.Mul64(uint64(j), uint64(g.dd))
			saved, _ := bits.Div64(hi, lo, uint64(g.de))
			gap = max(gap, float64(best-s.hull.d[i]+int64(saved))+1)
		}
		if gap > s.window[i] {
			s.window[i], exact = min(gap, float64(wider*s.window[i])+1), false
		}
	}
	return exact
}

// frontier returns the Pareto-optimal sums of all classes, fewest errors first.
func (s *sums) frontier() []coordinates {
	var out []coordinates
	best := none
	for i, d := range s.level[0].least {
		if d < best {
			best = d
			out = append(out, coordinates{s.level[0].from + int64(i), d})
		}
	}
	return out
}

// walk returns the options that sum to a point of the frontier: from class 1
// on the smallest threshold from which the rest can be made up, which is the
// lexicographically smallest solution.
func (s *sums) walk(goal coordinates) []int {
	choice := make([]int, len(s.hull.ms))
	for k, m := range s.hull.ms {
		rest, found := s.level[k+1], false
		for j, o := range m {
			i := goal.e - o.e - rest.from
			if i >= 0 && i < int64(len(rest.least)) && rest.least[i] == goal.d-o.d {
				choice[k], found = j, true
				goal = coordinates{goal.e - o.e, goal.d - o.d}
				break
			}
		}
		if !found {
			panic("policy: a point of the frontier has no predecessor")
		}
	}
	return choice
}

// neighbours lists a menu's options near the tangent of a slope. Slopes must
// be asked for in falling order.
type neighbours struct {
	m       menu
	below   []float64 // the hull's deferrals at each option's errors
	edges   []edge
	next    int // the first edge not steeper than the slope
	tangent int
	found   []option
}

func newNeighbours(m menu) *neighbours {
	n := &neighbours{m: m, below: make([]float64, len(m)), edges: hullEdges(0, m), tangent: len(m) - 1}
	n.below[len(m)-1] = float64(m.least().d)
	for _, g := range n.edges {
		from := m[g.from]
		for j := g.to; j < g.from; j++ {
			n.below[j] = float64(from.d) - float64(g.dd)*float64(m[j].e-from.e)/float64(g.de)
		}
	}
	return n
}

// at returns the options with reduced cost within a window at slope lambda.
// The slice is overwritten by the next call.
func (n *neighbours) at(lambda, window float64) []option {
	for n.next < len(n.edges) && float64(n.edges[n.next].dd) > lambda*float64(n.edges[n.next].de) {
		n.tangent = n.edges[n.next].to
		n.next++
	}
	n.found = n.found[:0]
	low := float64(n.m[n.tangent].d) + float64(lambda*float64(n.m[n.tangent].e))
	look := func(j int) bool {
		o := n.m[j]
		if float64(o.d)+float64(lambda*float64(o.e))-low <= window {
			n.found = append(n.found, o)
		}
		// The hull's own reduced cost is convex: beyond this it only grows.
		return n.below[j]+float64(lambda*float64(o.e))-low <= window
	}
	for j := n.tangent; j < len(n.m) && look(j); j++ {
	}
	for j := n.tangent - 1; j >= 0 && look(j); j-- {
	}
	return n.found
}
