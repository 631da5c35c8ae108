package policy

import (
	"cmp"
	"math"
	"slices"
)

// window bounds the states worth keeping.
type window struct {
	slack float64 // on the sum of reduced costs
	high  int64   // y above it cannot come back within the budget
	low   float64 // y below it leaves more unused than a good solution does
}

// merge adds every candidate to every state and keeps the Pareto-optimal sums in
// the window, ordered by x with y strictly falling. Dropping a dominated state
// never loses an optimal solution, nor one tied with it: any completion of the
// state also completes the dominating one, with fewer deferrals, or as many and
// fewer errors.
func (s *search) merge(states []state, candidates []candidate, w window) []state {
	if len(candidates) == 0 {
		return nil
	}
	x0, x1, y0, y1 := span(states, candidates)
	pairs := int64(len(states)) * int64(len(candidates))
	wide := min(max(4*pairs, 1<<12), 1<<25)
	switch {
	case y1-y0 < wide && (y1-y0 < x1-x0 || x1-x0 >= wide):
		return s.mergeDense(states, candidates, w, y0, y1, true)
	case x1-x0 < wide:
		return s.mergeDense(states, candidates, w, x0, x1, false)
	}
	return s.mergeSparse(states, candidates, w)
}

// span returns the range of sums of x and of y.
func span(states []state, candidates []candidate) (x0, x1, y0, y1 int64) {
	lo, hi := states[0], states[0]
	for _, t := range states {
		lo, hi = state{min(lo.x, t.x), min(lo.y, t.y)}, state{max(hi.x, t.x), max(hi.y, t.y)}
	}
	dlo, dhi := state{candidates[0].x, candidates[0].y}, state{candidates[0].x, candidates[0].y}
	for _, d := range candidates {
		dlo, dhi = state{min(dlo.x, d.x), min(dlo.y, d.y)}, state{max(dhi.x, d.x), max(dhi.y, d.y)}
	}
	return lo.x + dlo.x, hi.x + dhi.x, lo.y + dlo.y, hi.y + dhi.y
}

// mergeDense keeps an array over one coordinate, from lo to hi, of the least
// value of the other. byY: the array is over y.
func (s *search) mergeDense(states []state, candidates []candidate, w window, lo, hi int64, byY bool) []state {
	const none = math.MaxInt64
	best := make([]int64, hi-lo+1)
	for i := range best {
		best[i] = none
	}
	for _, t := range states {
		left := w.slack - s.reduced(t.x, t.y)
		at, other := t.x-lo, t.y
		if byY {
			at, other = t.y-lo, t.x
		}
		for _, d := range candidates {
			if d.r > left {
				break
			}
			if byY {
				best[at+d.y] = min(best[at+d.y], other+d.x)
			} else {
				best[at+d.x] = min(best[at+d.x], other+d.y)
			}
		}
	}
	var out []state
	floor := int64(none)
	for i, v := range best {
		if v >= floor { // none, or dominated
			continue
		}
		floor = v
		t := state{int64(i) + lo, v}
		if byY {
			t = state{v, int64(i) + lo}
		}
		if w.keeps(t) {
			out = append(out, t)
		}
	}
	if byY { // ascending y has falling x
		slices.Reverse(out)
	}
	return out
}

// maxSums bounds the sums mergeSparse lists at a time.
const maxSums = 1 << 24

// mergeSparse lists the sums and sorts them. Where too many remain it gives up
// by taking all work left.
func (s *search) mergeSparse(states []state, candidates []candidate, w window) []state {
	var sums []state
	for _, t := range states {
		left := w.slack - s.reduced(t.x, t.y)
		for _, d := range candidates {
			if d.r > left {
				break
			}
			if u := (state{t.x + d.x, t.y + d.y}); w.keeps(u) {
				sums = append(sums, u)
			}
		}
		if len(sums) > maxSums {
			if sums = pareto(sums); len(sums) > maxSums/2 {
				s.work = -1
				return nil
			}
		}
	}
	return slices.Clone(pareto(sums))
}

// pareto sorts sums by x and drops, in place, those that are dominated.
func pareto(sums []state) []state {
	slices.SortFunc(sums, func(a, b state) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) })
	out := sums[:0]
	for _, t := range sums {
		if len(out) == 0 || t.y < out[len(out)-1].y {
			out = append(out, t)
		}
	}
	return out
}

func (w window) keeps(t state) bool { return t.y <= w.high && float64(t.y) >= w.low }
