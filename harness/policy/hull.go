package policy

import (
	"cmp"
	"math/bits"
	"slices"
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
func relax(ms []menu, budget int64) relaxation {
	r := relaxation{choice: make([]int, len(ms))}
	var edges []edge
	for k, m := range ms {
		r.choice[k] = len(m) - 1
		r.d += m.least().d
		r.e += m.least().e
		edges = append(edges, hullEdges(k, m)...)
	}
	slices.SortFunc(edges, func(a, b edge) int {
		return cmp.Or(compareRatios(b.dd, b.de, a.dd, a.de), cmp.Compare(a.class, b.class), cmp.Compare(b.from, a.from))
	})
	closed := make([]bool, len(ms))
	for i := range edges {
		g := &edges[i]
		fits := g.de <= budget-r.e
		if !fits && r.brk == nil {
			r.brk = g
			hi, lo := bits.Mul64(uint64(budget-r.e), uint64(g.dd))
			saved, _ := bits.Div64(hi, lo, uint64(g.de)) // < dd, as budget−e < de
			r.lower = r.d - int64(saved)
		}
		if !fits || closed[g.class] {
			closed[g.class] = true
			continue
		}
		r.choice[g.class] = g.to
		r.d -= g.dd
		r.e += g.de
	}
	if r.brk == nil {
		r.lower = r.d
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
