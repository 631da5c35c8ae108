package pool

import (
	"cmp"
	"slices"

	"infnet/metrics/infer"
)

// Hull returns the lower convex hull of candidates, the cheapest first: what is best
// at some price of an error. Between neighbours lies what a coin between the two
// does. Each further one costs more and errs less; of equal points the first stays.
// What differs by the rounding of sums alone is equal.
func Hull(list []Candidate) (out []Candidate) {
	points := make([]Point, len(list))
	for i, c := range list {
		points[i] = c.Point
	}
	for _, i := range lower(points) {
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
		for k = len(out) - 1; k > 0 && !turns(points[out[k-1]], points[out[k]], p); k-- {
			out = out[:k]
		}
		out = append(out, i)
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
func Pareto(list []Candidate) (out []Candidate) {
	points := make([]Point, len(list))
	for i, c := range list {
		points[i] = c.Point
	}
	for _, i := range ascending(points) {
		if len(out) == 0 || points[i].Error < out[len(out)-1].Error {
			out = append(out, list[i])
		}
	}
	return out
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

// Loss is what a cascade costs beyond an oracle that errs as often, per query:
//
//	Signal     a perfect confidence in the same cascade would save it
//	Structure  asking the right model of the cascade straight away would save it: the price of the
//	           models asked before the one whose answer counts
//	Choice     the other models of the pool would save it
//
// Their sum is the whole loss. Each is 0 or more, as each oracle may do what the one
// before it does.
type Loss struct{ Signal, Structure, Choice infer.Interval }

// LossOf measures the loss of a cascade on records.
func LossOf(rs *infer.Resamples, r Records, p Policy) (Loss, error) {
	played, err := p.Play(r)
	if err != nil {
		return Loss{}, err
	}
	every := make([]int, len(r))
	for m := range every {
		every[m] = m
	}
	oracles := []*Oracle{NewOracle(Prefixes(r, p.Models)), NewOracle(Choices(r, p.Models)), NewOracle(Choices(r, every))}
	parts := func(weights, into []float64) {
		var n float64
		var mean Point
		for i, w := range weights {
			n += w
			mean.Cost += float64(w * played.Cost[i])
			mean.Error += float64(w * played.Error[i])
		}
		above := mean.Cost / n
		for k, o := range oracles {
			cost, _ := o.Cost(weights, mean.Error/n)
			into[k], above = above-cost, cost
		}
	}
	point, ones := make([]float64, len(oracles)), make([]float64, r.Len())
	for i := range ones {
		ones[i] = 1
	}
	parts(ones, point)
	each := rs.Several(len(oracles), func() func(counts []uint8, into []float64) {
		weights := make([]float64, r.Len())
		return func(counts []uint8, into []float64) {
			for i, c := range counts {
				weights[i] = float64(c)
			}
			parts(weights, into)
		}
	})
	var out Loss
	for k, into := range []*infer.Interval{&out.Signal, &out.Structure, &out.Choice} {
		if *into, err = rs.Interval(point[k], each[k]); err != nil {
			return out, err
		}
	}
	return out, nil
}
