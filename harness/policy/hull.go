package policy

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"infnet/harness/calc"
)

// edge joins two neighbours of a class's lower convex hull: going from option
// `from` to option `to` saves dd > 0 deferrals and makes de > 0 errors more.
type edge struct {
	class, from, to int
	dd, de          int64
}

// relaxation is the Lagrangian solution of the multiple-choice knapsack
//
//	min Σ_k d_{k,j_k}   subject to   Σ_k e_{k,j_k} ≤ B
//
// found from the hulls of the classes' options.
type relaxation struct {
	choice []int // a solution within the budget: an option per class
	d, e   int64 // its deferrals and errors
	lower  int64 // no solution within the budget has fewer deferrals
	brk    *edge // the first edge that did not fit; nil: everything is accepted, which is optimal
}

// relax solves the Lagrangian dual exactly. For all but finitely many
// multipliers λ the minimisers of d + λe are hull vertices, so walking the hull
// edges in order of slope visits every Lagrangian solution: O(U log U) for U
// options, where a grid of multipliers only samples them. It starts at the
// fewest errors, buys back acceptances at the best rate, and after the first
// edge that does not fit takes the later ones that do. The lower bound is the
// dual value, rounded up; slopes are compared as integer cross products.
// The budget must be feasible: at least leastErrors.
//
// Zemel (1984), An O(n) algorithm for the linear multiple choice knapsack
// problem; Kellerer, Pferschy and Pisinger (2004), Knapsack Problems, §11.2.
func relax(ms []menu, budget int64) relaxation { return newHullPath(ms).relax(budget) }

// hullPath is the nested sequence of Lagrangian solutions: it starts at every
// class's fewest errors and takes the hull edges of all classes, the best
// saving per error first. What one step accepts no later step defers again.
type hullPath struct {
	ms    []menu
	edges []edge
	e, d  []int64 // errors and deferrals before edge i; one entry more than edges
}

// newHullPath sorts the edges: O(U log U).
func newHullPath(ms []menu) hullPath {
	p := hullPath{ms: ms}
	var e, d int64
	for k, m := range ms {
		e += m.least().e
		d += m.least().d
		p.edges = append(p.edges, hullEdges(k, m)...)
	}
	slices.SortFunc(p.edges, func(a, b edge) int {
		return cmp.Or(compareRatios(b.dd, b.de, a.dd, a.de), cmp.Compare(a.class, b.class), cmp.Compare(b.from, a.from))
	})
	p.e, p.d = make([]int64, len(p.edges)+1), make([]int64, len(p.edges)+1)
	p.e[0], p.d[0] = e, d
	for i, g := range p.edges {
		p.e[i+1], p.d[i+1] = p.e[i]+g.de, p.d[i]-g.dd
	}
	return p
}

// choice returns the options after the first i edges.
func (p hullPath) choice(i int) []int {
	choice := make([]int, len(p.ms))
	for k, m := range p.ms {
		choice[k] = len(m) - 1
	}
	for _, g := range p.edges[:i] {
		choice[g.class] = g.to
	}
	return choice
}

// within returns how many edges fit in the budget before the first that does
// not. The budget must be feasible.
func (p hullPath) within(budget int64) int {
	i, hit := slices.BinarySearch(p.e, budget)
	if !hit {
		i--
	}
	return i
}

// price returns the deferrals saved per error unit more, at errors e: the slope
// of the hull to the right of e, 0 at its end.
func (p hullPath) price(e int64) float64 {
	if i := p.within(e); i < len(p.edges) {
		return float64(p.edges[i].dd) / float64(p.edges[i].de)
	}
	return 0
}

func (p hullPath) relax(budget int64) relaxation {
	first := p.within(budget)
	r := relaxation{choice: p.choice(first), d: p.d[first], e: p.e[first], lower: p.d[first]}
	if first == len(p.edges) {
		return r
	}
	r.brk = &p.edges[first]
	hi, lo := bits.Mul64(uint64(budget-r.e), uint64(r.brk.dd))
	saved, _ := bits.Div64(hi, lo, uint64(r.brk.de)) // < dd, as budget−e < de
	r.lower = r.d - int64(saved)
	closed := make([]bool, len(p.ms))
	for _, g := range p.edges[first:] {
		if closed[g.class] || g.de > budget-r.e {
			closed[g.class] = true
			continue
		}
		r.choice[g.class] = g.to
		r.d -= g.dd
		r.e += g.de
	}
	return r
}

// hullEdges returns the edges of the lower convex hull of a menu's points
// (errors, deferrals), from the fewest errors on: the saving per error dd/de
// falls strictly. Points on an edge are no vertices.
func hullEdges(class int, m menu) []edge {
	var vertex []int
	for i := len(m) - 1; i >= 0; i-- {
		for len(vertex) >= 2 {
			a, b := m[vertex[len(vertex)-2]], m[vertex[len(vertex)-1]]
			if compareRatios(a.d-b.d, b.e-a.e, b.d-m[i].d, m[i].e-b.e) > 0 {
				break
			}
			vertex = vertex[:len(vertex)-1]
		}
		vertex = append(vertex, i)
	}
	edges := make([]edge, 0, len(vertex)-1)
	for i := 1; i < len(vertex); i++ {
		a, b := m[vertex[i-1]], m[vertex[i]]
		edges = append(edges, edge{class, vertex[i-1], vertex[i], a.d - b.d, b.e - a.e})
	}
	return edges
}

// compareRatios compares a/b with c/d exactly, for a, c ≥ 0 and b, d > 0.
func compareRatios(a, b, c, d int64) int {
	hi1, lo1 := bits.Mul64(uint64(a), uint64(d))
	hi2, lo2 := bits.Mul64(uint64(c), uint64(b))
	return cmp.Or(cmp.Compare(hi1, hi2), cmp.Compare(lo1, lo2))
}

// grid is the multipliers of LagrangianGrid: 0, and 60 from 0.01 to 100
// deferrals per error, evenly spaced in the logarithm. The paper names no grid.
func grid() []float64 {
	const n = 60
	ls := make([]float64, 1, n+1)
	for i := range n {
		ls = append(ls, calc.Pow(10, -2+4*float64(i)/(n-1)))
	}
	return ls
}

// sweep is the paper's alg:multi_nonoracle_lagrangian_compact: for each
// multiplier the options minimising d + λe, first option on ties; of those
// within the budget the one with the fewest deferrals, first multiplier on
// ties. hit is false if there is none; then the choice is the one of least error.
// O(L·U) for L multipliers and U options.
func sweep(ms []menu, budget Count) (choice []int, hit bool) {
	choice = make([]int, len(ms))
	for k, m := range ms {
		choice[k] = len(m) - 1
	}
	best := int64(math.MaxInt64)
	for _, lambda := range grid() {
		perUnit := lambda / float64(budget.Scale)
		try := make([]int, len(ms))
		var d, e int64
		for k, m := range ms {
			try[k] = m.cheapestAt(perUnit)
			d += m[try[k]].d
			e += m[try[k]].e
		}
		if e <= budget.Units && d < best {
			best, choice, hit = d, try, true
		}
	}
	return choice, hit
}

// cheapestAt returns the first option of least d + λe.
func (m menu) cheapestAt(perUnit float64) int {
	low, best := math.Inf(1), 0
	for j, o := range m {
		if v := float64(o.d) + float64(perUnit*float64(o.e)); v < low {
			low, best = v, j
		}
	}
	return best
}
