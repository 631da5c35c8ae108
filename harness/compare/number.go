package compare

import (
	"infnet/harness/accept"
	"infnet/metrics"
)

// costs is what a query costs, in the mean: a number that tables do not have.
const costs = "cost"

// latency is the cost model whose costs are measured times.
const latency = "latency"

// oracle is the setting in which the master is the reference.
const oracle = "oracle"

// number is one number of a row of the table: which way it is good, and how a run's records make it.
type number struct {
	metric, unit string
	direction    Direction

	// values of every test record that the number follows from; nil = not known, and no such function: not tested
	columns func(a *arm, r *accept.Row) [][]float64
	value   func(a *arm, columns [][]float64) float64 // the number; nil = the mean of the one column
	sums    func(sums []float64) float64              // of the columns, if it is no mean
	counted *metrics.Metric                           // of the confusion matrix of true and predicted classes
	paid    bool                                      // the first column is what records cost
}

// numbers lists what is compared of a row.
func (s *subject) numbers(r rows) []number {
	fails := number{metric: accept.Error, direction: Lower}
	if s.old.m.Soft == s.now.m.Soft && s.sameReference() {
		fails.columns = alone((*arm).errors)
	}
	out := []number{fails}
	for _, name := range s.now.m.Metrics {
		if _, ok := r.old.Values[name]; ok {
			out = append(out, s.performance(name))
		}
	}
	priced := !s.measured()
	if !lone(r.now.Policy) {
		saved := number{metric: accept.PerQuery, unit: "%", direction: Higher, paid: true,
			sums: func(sums []float64) float64 { return 100 * (1 - sums[0]/sums[1]) }}
		saved.value = func(_ *arm, c [][]float64) float64 { return saved.sums([]float64{average(c[0]), average(c[1])}) }
		if priced && s.old.cascade.CostModel == s.now.cascade.CostModel {
			saved.columns = func(a *arm, r *accept.Row) [][]float64 {
				return [][]float64{a.costs(r), a.m.Models[len(a.m.Models)-1].Cost} // beside the master's
			}
		}
		out = append(out, number{metric: accept.Deferred, direction: Neither, columns: alone((*arm).deferred)},
			number{metric: accept.Saved, unit: "%", direction: Higher}, saved) // the constants move with it: no test
	}
	if r.known && s.old.cascade.Unit == s.now.cascade.Unit {
		cost := number{metric: costs, unit: s.now.cascade.Unit, direction: Lower, paid: true}
		if priced {
			cost.columns = alone((*arm).costs)
		}
		out = append(out, cost)
	}
	return out
}

// alone makes one column of a number's columns.
func alone(of func(a *arm, r *accept.Row) []float64) func(*arm, *accept.Row) [][]float64 {
	return func(a *arm, r *accept.Row) [][]float64 { return [][]float64{of(a, r)} }
}

// performance is the number of a performance metric.
func (s *subject) performance(name string) number {
	m, err := metrics.Get(metrics.Name(name))
	n := number{metric: name, direction: Higher}
	if err == nil && m.Direction == metrics.LowerIsBetter {
		n.direction = Lower
	}
	switch {
	case err != nil || !s.sameReference():
	case m.Name == metrics.Accuracy:
		n.columns = alone(func(a *arm, r *accept.Row) []float64 { return a.right(r, name) })
	case m.Counts != nil:
		n.counted = &m
		n.columns = func(a *arm, r *accept.Row) [][]float64 {
			if c := a.cells(r); c != nil {
				return [][]float64{c}
			}
			return nil
		}
		n.value = func(a *arm, c [][]float64) float64 { return confusion(&m, whole(c[0]), a.k) }
	default:
		n.columns = func(a *arm, r *accept.Row) [][]float64 { return a.scores(r, name) }
		if m.Sums != nil {
			n.sums, n.value = m.Value, func(_ *arm, c [][]float64) float64 { return m.Value(totals(c)) }
		}
	}
	return n
}

// whole are cells as numbers of cells.
func whole(x []float64) []int {
	out := make([]int, len(x))
	for i, v := range x {
		out[i] = int(v)
	}
	return out
}

// confusion is the value of a metric of the confusion matrix.
func confusion(m *metrics.Metric, cells []int, k int) float64 {
	c, places := metrics.Occupied(k, cells)
	counts := make([]float64, c.Len())
	for _, at := range places[0] {
		counts[at]++
	}
	return m.Counts(c, counts)(c, counts)
}

func totals(columns [][]float64) []float64 {
	out := make([]float64, len(columns))
	for c, x := range columns {
		for _, v := range x {
			out[c] += v
		}
	}
	return out
}

func average(x []float64) float64 { return totals([][]float64{x})[0] / float64(len(x)) }
