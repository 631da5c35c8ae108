package pool

import (
	"cmp"
	"slices"
)

// Oracle is the cheapest way to err at most so often for one who knows every cost and
// every error in advance and chooses, query by query, among some options. Where a
// budget falls between two queries a coin decides the last one, so that the cost is a
// convex function of the error, and exact: the linear relaxation of a multiple-choice
// knapsack, solved by taking edges of the queries' convex hulls by slope.
type Oracle struct {
	start []Point // each query's cheapest option
	edges []edge  // from there to fewer errors, the cheapest per error first
}

// edge lessens the error of a query, at a cost.
type edge struct {
	query       int
	cost, error float64 // more cost, less error
}

// NewOracle makes the oracle of queries that each have these options.
func NewOracle(options [][]Point) *Oracle {
	o := &Oracle{}
	for q, list := range options {
		hull := lower(list)
		at := list[hull[0]]
		o.start = append(o.start, at)
		for _, k := range hull[1:] {
			o.edges = append(o.edges, edge{q, list[k].Cost - at.Cost, at.Error - list[k].Error})
			at = list[k]
		}
	}
	slices.SortStableFunc(o.edges, func(a, b edge) int { return cmp.Compare(a.cost/a.error, b.cost/b.error) })
	return o
}

// Choices are the options of an oracle that asks one of some models. One that is bound to a cascade of them stops where
// it likes, but pays every model before.
func Choices(r Records, models []int, bound bool) [][]Point {
	out := make([][]Point, r.Len())
	for i := range out {
		paid := 0.0
		for _, m := range models {
			if !bound {
				paid = 0
			}
			paid += r[m].Cost[i]
			out[i] = append(out[i], Point{paid, r[m].Error[i]})
		}
	}
	return out
}

// Cost returns the least cost per query at which the mean error is at most most, for
// queries that count so many times each, and whether any choice errs so rarely: if not,
// it is the cost of the fewest errors.
func (o *Oracle) Cost(weights []float64, most float64) (cost float64, ok bool) {
	var n, err float64
	for q, p := range o.start {
		n += weights[q]
		cost += float64(weights[q] * p.Cost)
		err += float64(weights[q] * p.Error)
	}
	const slack = 1e-9 // sums of the same errors in another order
	excess := err - float64(most*n)
	for _, e := range o.edges {
		if excess <= slack {
			return cost / n, true
		}
		w := weights[e.query]
		if gain := float64(w * e.error); gain > excess {
			return (cost + float64(w*e.cost*(excess/gain))) / n, true
		} else {
			cost, excess = cost+float64(w*e.cost), excess-gain
		}
	}
	return cost / n, excess <= slack
}

// Curve returns the vertices of the oracle's cost–error curve, the cheapest first.
func (o *Oracle) Curve() []Point {
	n := float64(len(o.start))
	var at Point
	for _, p := range o.start {
		at.Cost += p.Cost
		at.Error += p.Error
	}
	out := []Point{{at.Cost / n, at.Error / n}}
	for _, e := range o.edges {
		at.Cost += e.cost
		at.Error -= e.error
		out = append(out, Point{at.Cost / n, at.Error / n})
	}
	return out
}
