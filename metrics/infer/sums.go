package infer

import (
	"fmt"
	"slices"
)

// lanes is how many sums of every fourth record are kept of one column, so that
// additions need not wait for each other. A sum over a resample is
//
//	(s_0 + s_1) + (s_2 + s_3),   s_j = Σ count_i·x_i over i ≡ j mod 4, in order
//
// where s_0 also takes the last clusters if their number is no multiple of four.
const lanes = 4

// blockRecords is how many clusters are summed at a time: short enough for
// their columns to stay in the cache while all resamples of a batch go over
// them.
const blockRecords = 512

// SumsOf returns Σ x over each resample, in order, for each of several columns.
// The draws are gone through once for all of them. It panics unless every
// column has one value per record.
func (rs *Resamples) SumsOf(columns ...[]float64) [][]float64 {
	x := make([][]float64, len(columns))
	for c, column := range columns {
		x[c] = rs.perCluster(column)
	}
	return rs.sumsOf(x)
}

// Counts returns how often some records were drawn in each resample, all together: SumsOf a column of ones at few
// records.
func (rs *Resamples) Counts(of []int) []float64 {
	out := make([]float64, rs.options.Count)
	parallel(len(out), func(lo, hi int) {
		inBatches(rs, lo, hi, func(first int, rows []uint8) {
			for r := 0; r*rs.clusters < len(rows); r++ {
				row, n := rows[r*rs.clusters:][:rs.clusters], 0
				for _, i := range of {
					n += int(row[rs.cluster[i]])
				}
				out[first+r] = float64(n)
			}
		})
	})
	return out
}

// sumsOf is SumsOf of columns of one value per cluster.
func (rs *Resamples) sumsOf(x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for c := range out {
		out[c] = make([]float64, rs.options.Count)
	}
	if len(x) == 0 {
		return out
	}
	parallel(rs.options.Count, func(lo, hi int) {
		var acc []float64
		inBatches(rs, lo, hi, func(first int, rows []uint8) {
			n := rs.clusters
			k := len(rows) / n
			if len(acc) < k*len(x)*lanes {
				acc = make([]float64, k*len(x)*lanes)
			}
			acc := acc[:k*len(x)*lanes]
			clear(acc)
			whole := n &^ (lanes - 1)
			for at := 0; at < whole; at += blockRecords {
				addBlock(acc, rows, n, x, at, min(at+blockRecords, whole))
			}
			for r := range k {
				row := rows[r*n : (r+1)*n]
				for c := range x {
					s := acc[(r*len(x)+c)*lanes:][:lanes]
					for i := whole; i < n; i++ {
						s[0] += float64(float64(row[i]) * x[c][i])
					}
					out[c][first+r] = (s[0] + s[1]) + (s[2] + s[3])
				}
			}
		})
	})
	return out
}

// addBlock adds the clusters from lo to hi, a multiple of four apart, to the
// lanes of every resample and column.
func addBlock(acc []float64, rows []uint8, n int, x [][]float64, lo, hi int) {
	k, width := len(rows)/n, len(x)*lanes
	done := 0 // columns
	for ; done+tileColumns <= len(x) && fast; done += tileColumns {
		addTile(acc[done*lanes:], width, rows, n, x[done:done+tileColumns], lo, hi)
	}
	for ; done < len(x); done++ {
		r := 0
		for ; r+4 <= k && fast; r += 4 {
			addColumn(acc[r*width+done*lanes:], width, rows[r*n+lo:], n, x[done][lo:hi])
		}
		for ; r < k; r++ {
			addRow((*[lanes]float64)(acc[r*width+done*lanes:]), rows[r*n+lo:r*n+hi], x[done][lo:hi])
		}
	}
}

// addRow adds the products of one row and one column to its lanes. The
// conversions keep the compiler from fusing multiply and add, which would
// change the last bit on some machines.
func addRow(acc *[lanes]float64, row []uint8, x []float64) {
	a, b, c, d := acc[0], acc[1], acc[2], acc[3]
	x = x[:len(row)]
	for i := 0; i+lanes <= len(row); i += lanes {
		a += float64(float64(row[i]) * x[i])
		b += float64(float64(row[i+1]) * x[i+1])
		c += float64(float64(row[i+2]) * x[i+2])
		d += float64(float64(row[i+3]) * x[i+3])
	}
	acc[0], acc[1], acc[2], acc[3] = a, b, c, d
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
