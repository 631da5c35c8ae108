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
		threads := max(1, min(runtime.GOMAXPROCS(0), len(t.x)))
		memory := make([]sorter, threads)
		parallel(threads, len(t.x), func(c, worker int) {
			t.cuts[c] = cutsOf(memory[worker].sort(t.x[c], sample))
			t.bins[c] = make([]uint8, t.n)
			newRuler(t.cuts[c]).measure(t.bins[c], t.x[c])
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

// sorter sorts values in memory that it keeps.
type sorter struct{ keys, spare []uint32 }

// sort returns the ordered bits of a column's values in rows, nil for all rows,
// ascending; with rows, the column's smallest and largest value are among them.
// Three passes sort by 11 bits each.
func (s *sorter) sort(x []float32, rows []int32) []uint32 {
	keys := slices.Grow(s.keys[:0], len(x))
	if rows == nil {
		for _, v := range x {
			keys = append(keys, ordered(v))
		}
	} else {
		for _, r := range rows {
			keys = append(keys, ordered(x[r]))
		}
		low, high := x[0], x[0]
		for _, v := range x {
			if v < low {
				low = v
			}
			if v > high {
				high = v
			}
		}
		keys = append(keys, ordered(low), ordered(high))
	}
	const bits, mask = 11, 1<<11 - 1
	var start [3][1 << bits]uint32
	for _, k := range keys {
		start[0][k&mask]++
		start[1][k>>bits&mask]++
		start[2][k>>(2*bits)]++
	}
	to := resize(s.spare, len(keys))
	for pass := range start {
		at, shift := &start[pass], bits*pass
		sum := uint32(0)
		for d, count := range at {
			at[d], sum = sum, sum+count
		}
		for _, k := range keys {
			d := k >> (shift & 31) & mask
			to[at[d]] = k
			at[d]++
		}
		keys, to = to, keys
	}
	s.keys, s.spare = keys, to
	return keys
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

// ruler finds the bin of a value: bin b holds cuts[b−1] < x ≤ cuts[b]. The line
// between the outermost borders is divided into cells of equal length, each of
// which knows the borders that lie in it.
type ruler struct {
	ends         []float32 // by border, the largest value up to it
	first, scale float64
	cells        [cells]struct{ from, to uint8 } // bins of the values in it
}

const cells = 1 << 12

func newRuler(cuts []float64) *ruler {
	r := &ruler{ends: make([]float32, len(cuts))}
	if len(cuts) == 0 {
		return r
	}
	for b, cut := range cuts {
		r.ends[b] = upTo32(cut)
	}
	r.first = float64(r.ends[0])
	if length := float64(r.ends[len(cuts)-1]) - r.first; length > 0 {
		r.scale = (cells - 1) / length
	}
	// Rounding keeps the order of values, so a border in a cell before that of a
	// value lies below the value, and one in a cell behind it does not.
	b := 0
	for c := range r.cells {
		r.cells[c].from = uint8(b)
		for b < len(cuts) && r.cell(r.ends[b]) == c {
			b++
		}
		r.cells[c].to = uint8(b)
	}
	return r
}

func (r *ruler) cell(x float32) int {
	at := (float64(x) - r.first) * r.scale
	if at < 0 {
		return 0
	}
	if at > cells-1 {
		return cells - 1
	}
	return int(at)
}

// measure writes the bins of values.
func (r *ruler) measure(bins []uint8, x []float32) {
	bins = bins[:len(x)]
	for i, v := range x {
		cell := r.cells[r.cell(v)]
		from, to := int(cell.from), int(cell.to)
		for to-from > 4 {
			if mid := (from + to) / 2; v > r.ends[mid] {
				from = mid + 1
			} else {
				to = mid
			}
		}
		for from < to && v > r.ends[from] {
			from++
		}
		bins[i] = uint8(from)
	}
}
