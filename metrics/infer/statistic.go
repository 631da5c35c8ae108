package infer

import (
	"fmt"
	"slices"
)

// Sums returns Σ x over each resample, in order. It panics unless x has one
// value per record.
func (rs *Resamples) Sums(x []float64) []float64 {
	total := rs.perCluster(x)
	out := make([]float64, rs.options.Count)
	parallel(len(out), func(lo, hi int) {
		buf := rs.buffer()
		for r := lo; r < hi; r++ {
			out[r] = dot(rs.row(r, buf), total)
		}
	})
	return out
}

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

// dot keeps four sums so that the additions need not wait for each other. The
// conversions keep the compiler from fusing multiply and add, which would
// change the last bit on some machines.
func dot(w []uint16, x []float64) float64 {
	var a, b, c, d float64
	x = x[:len(w)]
	i := 0
	for ; i+4 <= len(w); i += 4 {
		a += float64(float64(w[i]) * x[i])
		b += float64(float64(w[i+1]) * x[i+1])
		c += float64(float64(w[i+2]) * x[i+2])
		d += float64(float64(w[i+3]) * x[i+3])
	}
	for ; i < len(w); i++ {
		a += float64(float64(w[i]) * x[i])
	}
	return (a + b) + (c + d)
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
func (rs *Resamples) Of(value func(sums []float64) float64, columns ...[]float64) (Interval, error) {
	sums := make([]float64, len(columns))
	for j, x := range columns {
		sums[j] = sum(x)
	}
	point := value(sums)
	resampled := make([][]float64, len(columns))
	for j, x := range columns {
		resampled[j] = rs.Sums(x)
	}
	out := make([]float64, rs.options.Count)
	for r := range out {
		for j := range columns {
			sums[j] = resampled[j][r]
		}
		out[r] = value(sums)
	}
	return rs.Interval(point, out)
}

// Mean returns the interval of the mean of x. With clusters of unequal size a
// resample's number of records varies too, and the mean is the ratio of both.
func (rs *Resamples) Mean(x []float64) (Interval, error) {
	return rs.Interval(sum(x)/float64(rs.records), rs.Means(x))
}

// Means returns the mean of x over each resample, in order.
func (rs *Resamples) Means(x []float64) []float64 {
	out := rs.Sums(x)
	if rs.clusters == rs.records {
		for r := range out {
			out[r] /= float64(rs.records)
		}
		return out
	}
	n := rs.Sums(slices.Repeat([]float64{1}, rs.records))
	for r := range out {
		out[r] /= n[r]
	}
	return out
}

// Saved returns the interval of 100·(1 − Σ cost / Σ master) in percent, from
// what each query paid and what the master would have cost on it.
func (rs *Resamples) Saved(cost, master []float64) (Interval, error) {
	return rs.Of(func(s []float64) float64 { return 100 * (1 - s[0]/s[1]) }, cost, master)
}

// Difference returns the interval of mean(x) − mean(y), paired by record.
func (rs *Resamples) Difference(x, y []float64) (Interval, error) {
	d := make([]float64, len(x))
	for i := range x {
		d[i] = x[i] - y[i]
	}
	return rs.Mean(d)
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
func (rs *Resamples) RateOf(x []float64) (Interval, error) {
	if len(x) != rs.records || x[0] != 0 && x[0] != 1 {
		return rs.Mean(x)
	}
	for _, v := range x {
		if v != x[0] {
			return rs.Mean(x)
		}
	}
	iv, err := ClopperPearson(int(x[0])*rs.clusters, rs.clusters, rs.options.Level)
	iv.N = rs.records
	return iv, err
}

// Counts returns the interval of value(counts), where counts[c] is how often
// cell c occurs and cells[i] < k is the cell of record i: every statistic of a
// confusion matrix, such as F1. value must not keep its argument.
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
	order := byCell(cells, k)
	clusterOf := make([]int32, len(order.records))
	for j, i := range order.records {
		clusterOf[j] = rs.cluster[i]
	}
	out := make([]float64, rs.options.Count)
	parallel(len(out), func(lo, hi int) {
		buf, counts := rs.buffer(), make([]float64, k)
		for r := lo; r < hi; r++ {
			row := rs.row(r, buf)
			for c := range counts {
				n := 0
				for _, cl := range clusterOf[order.start[c]:order.start[c+1]] {
					n += int(row[cl])
				}
				counts[c] = float64(n)
			}
			out[r] = value(counts)
		}
	})
	return out
}

// grouped lists the records cell by cell: those of cell c are
// records[start[c]:start[c+1]].
type grouped struct {
	records []int32
	start   []int
}

func byCell(cells []int, k int) grouped {
	g := grouped{records: make([]int32, len(cells)), start: make([]int, k+1)}
	for _, c := range cells {
		g.start[c+1]++
	}
	for c := range k {
		g.start[c+1] += g.start[c]
	}
	next := append([]int(nil), g.start[:k]...)
	for i, c := range cells {
		g.records[next[c]] = int32(i)
		next[c]++
	}
	return g
}
