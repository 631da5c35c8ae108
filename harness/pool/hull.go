package pool

import (
	"cmp"
	"slices"
)

// Hull returns the lower convex hull of candidates, the cheapest first: what is best
// at some price of an error. Between neighbours lies what a coin between the two
// does. Each further one costs more and errs less; of equal points the first stays.
// What differs by the rounding of sums alone is equal.
func Hull(list []Candidate) []Candidate {
	var out []Candidate
	for _, c := range ascending(list) {
		if len(out) > 0 && c.Error >= out[len(out)-1].Error-slack {
			continue
		}
		if k := len(out) - 1; k >= 0 && c.Cost <= out[k].Cost*(1+slack) {
			out = out[:k] // it errs more, and costs no less
		}
		for len(out) > 1 && !turns(out[len(out)-2].Point, out[len(out)-1].Point, c.Point) {
			out = out[:len(out)-1]
		}
		out = append(out, c)
	}
	return out
}

// turns reports whether b lies strictly below the line from a to c.
func turns(a, b, c Point) bool {
	return (b.Cost-a.Cost)*(a.Error-c.Error) < (c.Cost-a.Cost)*(a.Error-b.Error)
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
	var out []Candidate
	for _, c := range ascending(list) {
		if len(out) == 0 || c.Error < out[len(out)-1].Error {
			out = append(out, c)
		}
	}
	return out
}

// ascending orders by cost, then by error.
func ascending(list []Candidate) []Candidate {
	return slices.SortedStableFunc(slices.Values(list), func(a, b Candidate) int {
		return cmp.Or(cmp.Compare(a.Cost, b.Cost), cmp.Compare(a.Error, b.Error))
	})
}
