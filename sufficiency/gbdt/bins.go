package gbdt

import (
	"math"
	"runtime"
	"slices"
)

// MaxBins is the largest number of bins a column is cut into.
const MaxBins = 256

// sampled is the largest number of rows whose values are looked at for the
// borders of bins; a longer table shows one row of each of that many stretches,
// and every column's smallest and largest value. A border then lies off its
// quantile by 0.5/√131,072 at most, as a standard deviation: a third of what a
// bin holds.
const sampled = 1 << 17

// bin returns the bins and their upper borders.
func (t *Features) bin() ([][]uint8, [][]float64) {
	t.binned.Do(func() {
		t.bins, t.cuts = make([][]uint8, len(t.x)), make([][]float64, len(t.x))
		sample := sampleOf(t.n, sampled)
		parallel(runtime.GOMAXPROCS(0), len(t.x), func(c int) {
			t.cuts[c] = cutsOf(sortedOf(t.x[c], sample))
			t.bins[c] = binsOf(t.x[c], t.cuts[c])
		})
	})
	return t.bins, t.cuts
}

// sampleOf returns one row of each of most stretches of n rows, at a place in it
// that a hash of its number chooses (G. L. Steele, D. Lea and C. H. Flood, Fast
// splittable pseudorandom number generators, OOPSLA 2014); nil is all rows.
func sampleOf(n, most int) []int32 {
	if n <= most {
		return nil
	}
	rows := make([]int32, most)
	for k := range rows {
		z := uint64(k+1) * 0x9e3779b97f4a7c15
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		start, end := uint64(k)*uint64(n)/uint64(most), uint64(k+1)*uint64(n)/uint64(most)
		rows[k] = int32(start + z%(end-start))
	}
	return rows
}

// ordered turns a value into bits that are ordered as values are.
func ordered(x float32) uint32 {
	b := math.Float32bits(x)
	return b ^ (uint32(int32(b)>>31) | 1<<31)
}

// unordered turns them back.
func unordered(b uint32) float32 {
	return math.Float32frombits(b ^ (^uint32(int32(b)>>31) | 1<<31))
}

// sortedOf returns the ordered bits of a column's values in rows, nil for all rows,
// ascending; with rows, the column's smallest and largest value are among them.
func sortedOf(x []float32, rows []int32) []uint32 {
	out := make([]uint32, len(x))
	for i, v := range x {
		out[i] = ordered(v)
	}
	if rows != nil {
		some := []uint32{slices.Min(out), slices.Max(out)}
		for _, r := range rows {
			some = append(some, out[r])
		}
		out = some
	}
	slices.Sort(out)
	return out
}

// cutsOf returns at most MaxBins−1 borders of sorted values, midpoints of
// neighbouring ones: between all of them where they are few, else those nearest
// above the quantiles k/MaxBins.
func cutsOf(sorted []uint32) []float64 {
	distinct := 1
	for i := 1; i < len(sorted); i++ {
		if sorted[i] != sorted[i-1] {
			distinct++
		}
	}
	var cuts []float64
	next := 1 // the quantile looked for
	for i := 1; i < len(sorted); i++ {
		if sorted[i] == sorted[i-1] {
			continue
		}
		if distinct > MaxBins {
			if i*MaxBins < next*len(sorted) {
				continue
			}
			next = i*MaxBins/len(sorted) + 1
		}
		cuts = append(cuts, midpoint(unordered(sorted[i-1]), unordered(sorted[i])))
	}
	return cuts
}

// midpoint is the threshold between two neighbouring values, lo < hi: x ≤ it
// exactly for those up to lo.
func midpoint(lo, hi float32) float64 {
	return float64(float64(lo)/2) + float64(float64(hi)/2)
}

// binsOf returns the bins of values: bin b holds cuts[b−1] < x ≤ cuts[b].
func binsOf(x []float32, cuts []float64) []uint8 {
	ends, bins := make([]uint32, len(cuts)), make([]uint8, len(x)) // by border, the largest value up to it
	for b, cut := range cuts {
		ends[b] = ordered(upTo32(cut))
	}
	for i, v := range x {
		b, _ := slices.BinarySearch(ends, ordered(v))
		bins[i] = uint8(b)
	}
	return bins
}
