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

// Of returns the interval of value(Σ columns[0], Σ columns[1], …): any
// statistic that is a function of sums over records, the columns resampled
// jointly. A difference of two policies' means is
//
//	Of(func(s []float64) float64 { return (s[0] - s[1]) / s[2] }, x, y, ones)
//
// value must not keep its argument.
func (rs *Resamples) Of(value func(sums []float64) float64, columns ...[]float64) (iv Interval, err error) {
	b := rs.Batch()
	b.Of("", &iv, value, columns...)
	err = b.Run()
	return iv, err
}

// Mean returns the interval of the mean of x. With clusters of unequal size a
// resample's number of records varies too, and the mean is the ratio of both.
func (rs *Resamples) Mean(x []float64) (iv Interval, err error) {
	b := rs.Batch()
	b.Mean("", &iv, x)
	err = b.Run()
	return iv, err
}

// Means returns the mean of x over each resample, in order.
func (rs *Resamples) Means(x []float64) (means []float64) {
	b := rs.Batch()
	b.meanOf("", x, func(m []float64) error { means = m; return nil })
	_ = b.Run() // its only statistic does not fail
	return means
}

// ones counts every record once.
func (rs *Resamples) ones() []float64 {
	rs.counting.Do(func() { rs.one = slices.Repeat([]float64{1}, rs.records) })
	return rs.one
}

// Saved returns the interval of 100·(1 − Σ cost / Σ master) in percent, from
// what each query paid and what the master would have cost on it.
func (rs *Resamples) Saved(cost, master []float64) (iv Interval, err error) {
	b := rs.Batch()
	b.Saved("", &iv, cost, master)
	err = b.Run()
	return iv, err
}

// Difference returns the interval of mean(x) − mean(y), paired by record.
func (rs *Resamples) Difference(x, y []float64) (iv Interval, err error) {
	b := rs.Batch()
	b.Difference("", &iv, x, y)
	err = b.Run()
	return iv, err
}

// Rate returns the interval of the share of records that are true. A rate of 0
// or 1, where every resample is the same and a percentile interval would have
// no width, gets the exact Clopper–Pearson interval, with n the number of
// clusters.
func (rs *Resamples) Rate(hit []bool) (Interval, error) {
	x := make([]float64, len(hit))
	for i, h := range hit {
		if h {
			x[i] = 1
		}
	}
	return rs.RateOf(x)
}

// RateOf is Rate for indicators already written as 0 and 1. Other values are
// allowed, and then the interval is Mean's.
func (rs *Resamples) RateOf(x []float64) (iv Interval, err error) {
	b := rs.Batch()
	b.RateOf("", &iv, x)
	err = b.Run()
	return iv, err
}

// Counts returns the interval of value(counts), where counts[c] is how often
// cell c occurs and cells[i] < k is the cell of record i: every statistic of a
// confusion matrix, such as F1. value must neither keep nor change its argument.
func (rs *Resamples) Counts(cells []int, k int, value func(counts []float64) float64) (Interval, error) {
	counts := make([]float64, k)
	for _, c := range cells {
		counts[c]++
	}
	return rs.Interval(value(counts), rs.CountsOf(cells, k, value))
}

// CountsOf returns the values of the statistic that Counts describes on each
// resample, in order. value may be called from several goroutines.
func (rs *Resamples) CountsOf(cells []int, k int, value func(counts []float64) float64) []float64 {
	if len(cells) != rs.records {
		panic(fmt.Sprintf("infer: %d cells for %d records", len(cells), rs.records))
	}
	of, occupied := dense(cells, k)
	out := make([]float64, rs.options.Count)
	parallel(len(out), func(lo, hi int) {
		sums, counts := make([][tallies]int32, len(occupied)), make([]float64, k)
		rs.ofRecords(lo, hi, func(r int, drawn []uint8) {
			tally(sums, of, drawn)
			for i, s := range sums {
				counts[occupied[i]] = float64(s[0] + s[1] + s[2] + s[3])
			}
			out[r] = value(counts)
		})
	})
	return out
}

// dense numbers the cells that occur: of every record, and back.
func dense(cells []int, k int) (of []int32, occupied []int) {
	number := slices.Repeat([]int32{-1}, k)
	of = make([]int32, len(cells))
	for i, c := range cells {
		if number[c] < 0 {
			number[c] = int32(len(occupied))
			occupied = append(occupied, c)
		}
		of[i] = number[c]
	}
	return of, occupied
}

// tallies is how many counters a cell has: additions to one need not wait for
// the last to another.
const tallies = 4

// tally counts the draws that fall in each cell.
func tally(sums [][tallies]int32, of []int32, drawn []uint8) {
	clear(sums)
	of = of[:len(drawn)]
	i := 0
	for ; i+tallies <= len(drawn); i += tallies {
		sums[of[i]][0] += int32(drawn[i])
		sums[of[i+1]][1] += int32(drawn[i+1])
		sums[of[i+2]][2] += int32(drawn[i+2])
		sums[of[i+3]][3] += int32(drawn[i+3])
	}
	for ; i < len(drawn); i++ {
		sums[of[i]][0] += int32(drawn[i])
	}
}
