package policy

import (
	"cmp"
	"math"
	"slices"
)

// solution is an option per class, with a bound on the optimum.
type solution struct {
	choice []int
	lower  int64
	proven bool // optimal, ties broken
}

// exact finds the optimal options: fewest deferrals, then fewest errors, then
// the lexicographically smallest thresholds. The budget must be feasible.
//
// The Lagrangian bound of relax is nearly tight, and an option can only be part of
// a solution if its reduced cost d + λe − min_j(d_j + λe_j) fits in the gap between
// the bound and the value searched for. So the search looks for a solution of
// value lower, lower+1, lower+3, …: each time it runs a dynamic program over the
// options and states that could be part of one. The first solution it finds is
// optimal. Every state of an optimal solution is kept, so ties are broken as in a
// full search. The worst case is O(U·min(D,E)); in practice it takes a small
// multiple of the sort.
//
// After Pisinger (1995), A minimal algorithm for the multiple-choice knapsack
// problem; the widening search replaces its expanding core.
func exact(ms []menu, budget, workLimit int64) solution {
	r := relax(ms, budget)
	if r.brk == nil { // the cheapest option of every class is within the budget
		return solution{r.choice, r.lower, true}
	}
	s := newSearch(ms, budget, r, workLimit)
	lower := r.lower
	for step := int64(0); ; step = 2*step + 1 {
		limit := min(lower+step, r.d)
		choice, ok := s.within(limit)
		if choice != nil {
			return solution{choice, s.value, true}
		}
		if !ok { // out of work
			return solution{r.choice, lower, false}
		}
		if limit == r.d {
			panic("policy: the search missed a solution that is known")
		}
		lower = limit + 1
	}
}

// search looks for solutions near the Lagrangian one. Deferrals x and errors y
// of options and states are relative to an anchor: each class's minimiser of
// d + λe.
type search struct {
	ms      []menu
	lambda  float64 // deferrals per error unit at the break
	anchor  []option
	room    int64   // budget − errors of the anchors
	anchorD int64   // deferrals of the anchors
	tol     float64 // more than all rounding errors of reduced costs together
	work    int64   // pairs still allowed
	kept    int64   // states held in this round
	value   int64   // deferrals of the solution found
}

// maxKept bounds the states held at a time: 16 bytes each.
const maxKept = 1 << 26

// candidate is an option that may be part of a solution; r is its reduced cost.
type candidate struct {
	x, y  int64
	r     float64
	index int
}

type state struct{ x, y int64 }

func newSearch(ms []menu, budget int64, r relaxation, work int64) *search {
	s := &search{ms: ms, lambda: float64(r.brk.dd) / float64(r.brk.de), anchor: make([]option, len(ms)), room: budget,
		work: work}
	size := 1.0
	for k, m := range ms {
		best := math.Inf(1)
		for _, o := range m {
			if v := float64(o.d) + float64(s.lambda*float64(o.e)); v < best {
				best, s.anchor[k] = v, o
			}
		}
		s.room -= s.anchor[k].e
		s.anchorD += s.anchor[k].d
		size += float64(m.least().d) + float64(s.lambda*float64(m[0].e))
	}
	s.tol = 0x1p-49 * float64(len(ms)+8) * size
	return s
}

// within returns the optimal options if some solution defers at most limit,
// or nil. ok is false if the work limit was reached before that was known.
//
// With Σr the reduced costs of a solution and y its errors relative to the
// anchors, its deferrals relative to them are Σr − λy, so it defers at most
// limit iff Σr + λ(room − y) ≤ slack. Both terms are ≥ 0.
func (s *search) within(limit int64) (choice []int, ok bool) {
	slack := float64(limit-s.anchorD) + float64(s.lambda*float64(s.room)) + s.tol
	candidates := make([][]candidate, len(s.ms))
	// The least and most that the classes before k can still add to y.
	least, most := make([]int64, len(s.ms)+1), make([]int64, len(s.ms)+1)
	for k := range s.ms {
		var lo, hi int64
		candidates[k] = s.candidates(k, slack)
		for _, d := range candidates[k] {
			lo, hi = min(lo, d.y), max(hi, d.y)
		}
		least[k+1], most[k+1] = least[k]+lo, most[k]+hi
	}
	s.kept = 0
	floor := float64(s.room) - slack/s.lambda // no solution makes fewer errors
	states := make([][]state, len(s.ms)+1)
	states[len(s.ms)] = []state{{}}
	for k := len(s.ms) - 1; k >= 0; k-- {
		s.work -= int64(len(states[k+1])) * int64(len(candidates[k]))
		if s.work < 0 {
			return nil, false
		}
		if s.kept += int64(len(states[k+1])); s.kept > maxKept {
			return nil, false
		}
		states[k] = s.merge(states[k+1], candidates[k], window{slack, s.room - least[k], floor - float64(most[k]) - 1})
		if s.work < 0 {
			return nil, false
		}
		if len(states[k]) == 0 {
			return nil, true
		}
	}
	// States are ordered by deferrals, and each has fewer errors than the last.
	goal := states[0][0]
	if s.anchorD+goal.x > limit {
		return nil, true
	}
	s.value = s.anchorD + goal.x
	return s.walk(goal, states, candidates), true
}

// candidates returns the options of class k with reduced cost at most slack,
// cheapest first.
func (s *search) candidates(k int, slack float64) []candidate {
	var out []candidate
	for j, o := range s.ms[k] {
		x, y := o.d-s.anchor[k].d, o.e-s.anchor[k].e
		if r := s.reduced(x, y); r <= slack {
			out = append(out, candidate{x, y, max(r, 0), j})
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.r, b.r), a.index-b.index) })
	return out
}

func (s *search) reduced(x, y int64) float64 { return float64(x) + float64(s.lambda*float64(y)) }

// walk reconstructs the options of the solution with sums goal. From class 1
// on it takes the smallest threshold from which the rest can be made up, which
// is the lexicographically smallest solution.
func (s *search) walk(goal state, states [][]state, candidates [][]candidate) []int {
	choice := make([]int, len(s.ms))
	for k := range s.ms {
		slices.SortFunc(candidates[k], func(a, b candidate) int { return a.index - b.index })
		found := false
		for _, d := range candidates[k] {
			rest := state{goal.x - d.x, goal.y - d.y}
			i, hit := slices.BinarySearchFunc(states[k+1], rest.x, func(t state, x int64) int { return cmp.Compare(t.x, x) })
			if hit && states[k+1][i].y == rest.y {
				choice[k], goal, found = d.index, rest, true
				break
			}
		}
		if !found {
			panic("policy: the optimal state has no predecessor")
		}
	}
	return choice
}
