package compare

import (
	"infnet/harness/accept"
	"infnet/metrics"
)

// costs is what a query costs, in the mean: a number that tables do not have.
const costs = "cost"

// latency is the cost model whose costs are measured times. All records of a night share the load of its machines, so
// they are no independent evidence, and nothing about times is tested.
const latency = "latency"

// oracle is the setting in which the master is the reference.
const oracle = "oracle"

// number is one number of a row of the table: which way it is good, and how a run's records make it.
type number struct {
	metric, unit string
	direction    Direction

	// values of every test record that the number follows from; nil = not known, and no such function: not tested
	columns func(*plays) [][]float64
	sums    func(sums []float64) float64 // of the columns, if it is not the mean of the one
	counted *metrics.Metric              // of the confusion matrix of true and predicted classes
	paid    bool                         // the first column is what records cost, and sums are of means
}

// of is the number that columns make.
func (n *number) of(columns [][]float64, k int) float64 {
	switch {
	case n.counted != nil:
		return n.confusion(columns[0], k)
	case n.sums == nil:
		return average(columns[0])
	}
	sums := make([]float64, len(columns))
	for c, x := range columns {
		if sums[c] = total(x); n.paid {
			sums[c] /= float64(len(x))
		}
	}
	return n.sums(sums)
}

// confusion is the value of a metric of the confusion matrix.
func (n *number) confusion(cells []float64, k int) float64 {
	c, places := metrics.Occupied(k, whole(cells))
	counts := make([]float64, c.Len())
	for _, at := range places[0] {
		counts[at]++
	}
	return n.counted.Counts(c, counts)(c, counts)
}

// whole are cells as numbers of cells.
func whole(x []float64) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

func total(x []float64) (sum float64) {
	for _, v := range x {
		sum += v
	}
	return sum
}

func average(x []float64) float64 { return total(x) / float64(len(x)) }

// alone makes one column of a number's columns.
func alone(of func(*plays) []float64) func(*plays) [][]float64 {
	return func(p *plays) [][]float64 { return [][]float64{of(p)} }
}

// numbers lists what is compared of a row; known says that its decisions are.
func (s *subject) numbers(old, now *accept.Row, known bool) []number {
	sameReference := s.old.cascade.Setting == s.now.cascade.Setting // else errors are against something else
	fails := number{metric: accept.Error, direction: Lower}
	if s.old.m.Soft == s.now.m.Soft && sameReference {
		fails.columns = alone((*plays).errors)
	}
	out := []number{fails}
	for _, name := range s.now.m.Metrics {
		if _, ok := old.Values[name]; ok {
			out = append(out, performance(name, sameReference))
		}
	}
	priced := !s.timed()
	if !lone(now.Policy) {
		saved := number{metric: accept.PerQuery, unit: "%", direction: Higher, paid: true,
			sums: func(of []float64) float64 { return 100 * (1 - of[0]/of[1]) }}
		if priced && s.old.cascade.CostModel == s.now.cascade.CostModel {
			saved.columns = func(p *plays) [][]float64 {
				return [][]float64{p.costs(), p.m.Models[len(p.m.Models)-1].Cost} // beside the master's
			}
		}
		out = append(out, number{metric: accept.Deferred, direction: Neither, columns: alone((*plays).deferred)},
			number{metric: accept.Saved, unit: "%", direction: Higher}, saved) // the constants move with it: no test
	}
	if known && s.old.cascade.Unit == s.now.cascade.Unit {
		cost := number{metric: costs, unit: s.now.cascade.Unit, direction: Lower, paid: true}
		if priced {
			cost.columns = alone((*plays).costs)
		}
		out = append(out, cost)
	}
	return out
}

// performance is the number of a performance metric.
func performance(name string, sameReference bool) number {
	m, err := metrics.Get(metrics.Name(name))
	n := number{metric: name, direction: Higher}
	switch {
	case err != nil || !sameReference:
	case m.Name == metrics.Accuracy:
		n.columns = alone(func(p *plays) []float64 { return p.right(name) })
	case m.Counts != nil:
		n.counted = &m
		n.columns = func(p *plays) [][]float64 {
			if c := p.cells(); c != nil {
				return [][]float64{c}
			}
			return nil
		}
	default:
		n.columns = func(p *plays) [][]float64 { return p.scores(name) }
		if m.Sums != nil {
			n.sums = m.Value
		}
	}
	return n
}
