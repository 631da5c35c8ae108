package infer

import "slices"

// Sparse is a column that is 0 on all records but some.
type Sparse struct {
	Records []int // ascending
	Values  []float64
}

// OfSparse is Of for columns that are 0 on most records, with the same bits: adding 0 changes no sum. value may be
// called from several goroutines and must not keep its argument.
func (rs *Resamples) OfSparse(value func(sums []float64) float64, columns []Sparse) (Interval, error) {
	sums := make([]float64, len(columns))
	totals := make([]sparseTotal, len(columns))
	var full []int // columns that are summed faster with their zeros
	var whole [][]float64
	for j, x := range columns {
		for _, v := range x.Values {
			sums[j] += v
		}
		if fullFrom*len(x.Records) > rs.records {
			full, whole = append(full, j), append(whole, rs.whole(x))
		} else {
			totals[j] = rs.sparsePerCluster(x)
		}
	}
	point, fullSums := value(sums), rs.SumsOf(whole...)
	out := make([]float64, rs.options.Count)
	parallel(len(out), func(lo, hi int) {
		sums := make([]float64, len(columns))
		rs.inBatches(lo, hi, func(first int, rows []uint8) {
			for r := first; len(rows) > 0; r++ {
				for j := range totals {
					sums[j] = totals[j].dot(rows)
				}
				for k, j := range full {
					sums[j] = fullSums[k][r]
				}
				out[r], rows = value(sums), rows[rs.clusters:]
			}
		})
	})
	return rs.Interval(point, out)
}

// fullFrom is how many numbers of a whole column are added, in order and several
// columns at a time, in the time that one picked record takes.
const fullFrom = 8

// whole returns a column with its zeros.
func (rs *Resamples) whole(x Sparse) []float64 {
	out := make([]float64, rs.records)
	for k, i := range x.Records {
		out[i] = x.Values[k]
	}
	return out
}

// sparseTotal are the sums of a column within clusters, without the zeros: a list for each lane (see SumsOf).
type sparseTotal [lanes]struct {
	clusters []int32
	values   []float64
}

func (rs *Resamples) sparsePerCluster(x Sparse) (out sparseTotal) {
	within := make(map[int32]float64, len(x.Records))
	var order []int32
	for k, i := range x.Records {
		c := rs.cluster[i]
		if _, ok := within[c]; !ok {
			order = append(order, c)
		}
		within[c] += x.Values[k]
	}
	slices.Sort(order)
	for _, c := range order {
		lane := &out[0]
		if int(c) < rs.clusters&^(lanes-1) {
			lane = &out[c%lanes]
		}
		lane.clusters, lane.values = append(lane.clusters, c), append(lane.values, within[c])
	}
	return out
}

// dot sums over the draws of one resample.
func (t *sparseTotal) dot(row []uint8) float64 {
	var sums [lanes]float64
	for lane := range t {
		for k, c := range t[lane].clusters {
			sums[lane] += float64(float64(row[c]) * t[lane].values[k])
		}
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}
