package infer

import (
	"fmt"
	"slices"
)

// Sums returns Σ x over each resample, in order. It panics unless x has one
// value per record.
func (rs *Resamples) Sums(x []float64) []float64 { return rs.SumsOf(x)[0] }

// perCluster sums x within clusters: all that a resample needs to know.
func (rs *Resamples) perCluster(x []float64) []float64 {
	if len(x) != rs.records {
		panic(fmt.Sprintf("infer: %d values for %d records", len(x), rs.records))
	}
	if rs.clusters == rs.records {
		return x
	}
	total := make([]float64, rs.clusters)
	for i, c := range rs.cluster {
		total[c] += x[i]
	}
	return total
}

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

// ones counts every record once.
func (rs *Resamples) ones() []float64 {
	rs.counting.Do(func() { rs.one = slices.Repeat([]float64{1}, rs.records) })
	return rs.one
}
