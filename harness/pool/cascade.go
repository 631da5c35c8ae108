package pool

import (
	"math"
	"slices"

	"infnet/harness/calc"
)

// sweep holds the records in the order of one model's confidence.
type sweep struct {
	r     Records
	model int
	rank  []int // records, the least confident first
}

func newSweep(r Records, model int) *sweep {
	return &sweep{r: r, model: model, rank: calc.Ascending(r[model].Beta)}
}

// run moves the threshold over the records that are asked, in the order of rank, and
// calls at with what asking the model about them, and the next model about those
// below the threshold, costs and errs per record of the whole set.
func (s *sweep) run(asked []int, next Model, at func(theta float64, p Point)) {
	n, m := float64(s.r.Len()), s.r[s.model]
	var p Point
	for _, i := range asked {
		p.Cost += m.Cost[i]
		p.Error += m.Error[i]
	}
	at(0, Point{p.Cost / n, p.Error / n})
	for k := 0; k < len(asked); {
		beta := m.Beta[asked[k]]
		for k < len(asked) && m.Beta[asked[k]] == beta {
			i := asked[k]
			p.Cost += next.Cost[i]
			p.Error += next.Error[i] - m.Error[i]
			k++
		}
		theta := math.Inf(1)
		if k < len(asked) {
			theta = m.Beta[asked[k]]
		}
		at(theta, Point{p.Cost / n, p.Error / n})
	}
}

// frontier is everything one threshold can do with the model and a master: a
// candidate for every threshold that decides differently, from accepting everything
// (θ = 0) to deferring everything (θ = +Inf). Records of equal confidence move
// together. It is exact: nothing else is left to a threshold.
func (s *sweep) frontier(master int) []Candidate {
	var out []Candidate
	s.run(s.rank, s.r[master], func(theta float64, p Point) {
		out = append(out, Candidate{Policy{Kind: Cascade, Models: []int{s.model, master}, Theta: []float64{theta}}, p})
	})
	return out
}

// mostSteps bounds the thresholds tried for the first of three models, and the work
// of all chains together.
const (
	mostSteps = 200
	mostWork  = 400_000_000
)

// steps is how many thresholds of the first model a chain of three tries: all of
// them where there are so few, else evenly spaced ones. Those of the second model
// are all tried.
func steps(n, chains int) int {
	return max(8, min(mostSteps, mostWork/max(1, n*chains)))
}

// chains3 are the candidates of three models in series, the hull of each threshold of
// the first model.
func chains3(first, second *sweep, third int, limit int) []Candidate {
	r, n := first.r, first.r.Len()
	place := make([]int, n) // of a record in the order of the first model
	var cuts []int          // records that the first model defers, at each of its thresholds
	for k, i := range first.rank {
		place[i] = k
		if k > 0 && r[first.model].Beta[i] != r[first.model].Beta[first.rank[k-1]] {
			cuts = append(cuts, k)
		}
	}
	var out []Candidate
	kept, errs := make([]Point, n+1), r[first.model]
	for k := n - 1; k >= 0; k-- { // what the first model keeps from place k on
		kept[k] = Point{Error: kept[k+1].Error + errs.Error[first.rank[k]]}
	}
	base, models := sum(errs.Cost), []int{first.model, second.model, third}
	var asked []int
	var points []Point
	var thetas []float64
	for _, cut := range thinned(cuts, limit) {
		asked, points, thetas = asked[:0], points[:0], thetas[:0]
		for _, i := range second.rank {
			if place[i] < cut {
				asked = append(asked, i)
			}
		}
		second.run(asked, r[third], func(next float64, p Point) {
			if next == 0 || math.IsInf(next, 1) {
				return // then one of the three is never asked, or never kept: a pair does as well
			}
			p.Cost += base / float64(n)
			p.Error += kept[cut].Error / float64(n)
			points, thetas = append(points, p), append(thetas, next)
		})
		for _, i := range lower(points) {
			theta := []float64{errs.Beta[first.rank[cut]], thetas[i]}
			out = append(out, Candidate{Policy{Kind: Cascade, Models: models, Theta: theta}, points[i]})
		}
	}
	return out
}

// thinned returns at most limit evenly spaced values of a list, its ends among them.
func thinned(list []int, limit int) []int {
	if len(list) <= limit {
		return list
	}
	out := make([]int, 0, limit)
	for k := range limit {
		out = append(out, list[k*(len(list)-1)/(limit-1)])
	}
	return slices.Compact(out)
}
