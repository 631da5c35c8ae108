package pool

import (
	"cmp"
	"slices"
)

// Hull returns the lower convex hull of candidates, the cheapest first: what is best
// at some price of an error. Between neighbours lies what a coin between the two
// does. Each further one costs more and errs less; of equal points the first stays.
// What differs by the rounding of sums alone is equal.
func Hull(list []Candidate) []Candidate { return pick(list, lower) }

// pick returns the candidates whose points are picked.
func pick(list []Candidate, from func([]Point) []int) (out []Candidate) {
	points := make([]Point, len(list))
	for i, c := range list {
		points[i] = c.Point
	}
	for _, i := range from(points) {
		out = append(out, list[i])
	}
	return out
}

// lower is where the points on the lower convex hull are.
func lower(points []Point) (out []int) {
	for _, i := range ascending(points) {
		p, k := points[i], len(out)-1
		if k >= 0 && p.Error >= points[out[k]].Error-slack {
			continue
		}
		if k >= 0 && p.Cost <= points[out[k]].Cost*(1+slack) {
			out = out[:k] // it errs more, and costs no less
		}
		for k = len(out) - 1; k > 0; k-- {
			a, b := points[out[k-1]], points[out[k]]
			if (b.Cost-a.Cost)*(a.Error-p.Error) < (p.Cost-a.Cost)*(a.Error-b.Error) {
				break // b lies strictly below the line from a to p
			}
			out = out[:k]
		}
		out = append(out, i)
	}
	return out
}

// Price is the shadow price of an error between two neighbours of a hull: what one
// error less costs. Below it the cheaper of the two is the better choice, above it
// the other.
func Price(cheaper, better Point) float64 {
	return (better.Cost - cheaper.Cost) / (cheaper.Error - better.Error)
}

// Pareto returns the candidates that no other beats: the cheapest first, each further
// one costs more and errs less.
func Pareto(list []Candidate) []Candidate {
	return pick(list, func(points []Point) (out []int) {
		for _, i := range ascending(points) {
			if len(out) == 0 || points[i].Error < points[out[len(out)-1]].Error {
				out = append(out, i)
			}
		}
		return out
	})
}

// ascending orders by cost, then by error. Most lists are in that order.
func ascending(points []Point) []int {
	order := make([]int, len(points))
	for i := range order {
		order[i] = i
	}
	by := func(a, b Point) int { return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Error, b.Error)) }
	if !slices.IsSortedFunc(points, by) {
		slices.SortStableFunc(order, func(i, j int) int { return by(points[i], points[j]) })
	}
	return order
}
