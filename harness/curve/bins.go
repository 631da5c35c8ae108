package curve

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
)

// Bin is a run of neighbouring x.
type Bin struct {
	First float64 // least x; of equal width the bin's edge
	Last  float64 // largest x, likewise
	N     int     // points; of equal mass ≥ 1
	MeanX float64 // 0 if the bin is empty
	MeanY float64 // likewise
	Index []int   // of equal mass the points, by x
}

// EqualMass cuts the points (x, y) into at most `bins` ≥ 1 runs of about as
// many points each. Equal x stay together: bin j ends with the tie group that
// reaches (j+1)/bins of the points, so a large tie makes a large bin and fewer
// of them. O(n log n).
func EqualMass(x, y []float64, bins int) ([]Bin, error) {
	if len(x) == 0 || len(x) != len(y) || bins < 1 {
		return nil, fmt.Errorf("%d bins of %d x and %d y: want as many x as y, at least one, and at least one bin", bins,
			len(x), len(y))
	}
	for i := range x {
		if math.IsNaN(x[i]+y[i]) || math.IsInf(x[i]+y[i], 0) {
			return nil, fmt.Errorf("point %d is (%v, %v): want finite numbers", i, x[i], y[i])
		}
	}
	order := calc.Ascending(x)
	var out []Bin
	n := len(order)
	for from, to, j := 0, 0, 1; from < n; from = to {
		for j < bins && j*n <= from*bins { // shares that earlier ties have used up
			j++
		}
		for to = from; to < n && (to*bins < j*n || x[order[to]] == x[order[to-1]]); to++ {
		}
		b := Bin{First: x[order[from]], Last: x[order[to-1]], N: to - from, Index: order[from:to:to]}
		for _, i := range b.Index {
			b.MeanX += x[i]
			b.MeanY += y[i]
		}
		b.MeanX /= float64(b.N)
		b.MeanY /= float64(b.N)
		out = append(out, b)
	}
	return out, nil
}

// EqualWidth bins the points (x, y), x ∈ [0,1], into bins ≥ 1 of equal width,
// [j/m, (j+1)/m), the last with its right end; empty bins are kept.
func EqualWidth(x, y []float64, bins int) ([]Bin, error) {
	if len(x) != len(y) || bins < 1 {
		return nil, fmt.Errorf("%d bins of %d x and %d y: want as many x as y, and at least one bin", bins, len(x), len(y))
	}
	if err := unit(x); err != nil {
		return nil, fmt.Errorf("bins of equal width: %w", err)
	}
	out := make([]Bin, bins)
	for j := range out {
		out[j].First, out[j].Last = edge(j, bins), edge(j+1, bins)
	}
	for i, v := range x {
		b := &out[binOf(v, bins)]
		b.N++
		b.MeanX += v
		b.MeanY += y[i]
	}
	for j := range out {
		if n := float64(out[j].N); n > 0 {
			out[j].MeanX /= n
			out[j].MeanY /= n
		}
	}
	return out, nil
}

func edge(j, bins int) float64 { return float64(j) / float64(bins) }

// binOf finds the bin of equal width by its edges j/m as computed, not by x·m, which may round across one.
func binOf(x float64, bins int) int {
	j := min(int(x*float64(bins)), bins-1)
	if j+1 < bins && x >= edge(j+1, bins) {
		return j + 1
	}
	if x < edge(j, bins) {
		return j - 1
	}
	return j
}

// Steps is a curve of constant pieces: Y[j] on [X[j], X[j+1]), Y[0] below X[0]
// too, and the last from its X on. X is strictly increasing.
type Steps struct {
	X []float64
	Y []float64
}

// Binned returns the mean of y in bins of equal mass (as EqualMass): a piece
// begins at the least x of its bin. There are ⌈2·n^(1/3)⌉ bins, Rice's rule, with 10
// points a bin where there are that many.
func Binned(x, y []float64) (Steps, error) {
	return stepsOf(x, y, max(1, min(int(math.Ceil(2*calc.Cbrt(float64(len(x))))), len(x)/10)))
}

func stepsOf(x, y []float64, bins int) (Steps, error) {
	bs, err := EqualMass(x, y, bins)
	var s Steps
	for _, b := range bs {
		s.X, s.Y = append(s.X, b.First), append(s.Y, b.MeanY)
	}
	return s, err
}

// At returns the value of the piece x is on; O(log n). NaN gives NaN.
func (s Steps) At(x float64) float64 {
	if math.IsNaN(x) {
		return math.NaN()
	}
	i, hit := slices.BinarySearch(s.X, x)
	if !hit {
		i--
	}
	return s.Y[max(i, 0)]
}

func (s Steps) Breaks() []float64 {
	return slices.DeleteFunc(slices.Clone(s.X), func(x float64) bool { return x < 0 || x > 1 })
}

// Histogram is a density that is constant on bins of equal width on [0,1]:
// bin j is [j/m, (j+1)/m), the last with its right end.
type Histogram struct {
	bins  []Bin
	below []float64 // records before each bin; one entry more than bins
}

// mostBins bounds the rule of freedmanDiaconis.
const mostBins = 1000

// freedmanDiaconis returns the number of bins on [0,1] whose width is
// 2·IQR·n^(−1/3), between 1 and 1,000. Where the quartiles coincide, Sturges'
// ⌈log₂n⌉+1.
//
// Freedman and Diaconis (1981), On the histogram as a density estimator.
func freedmanDiaconis(xs []float64) (int, error) {
	q, err := Quantiles(xs, []float64{.25, .75})
	if err != nil {
		return 0, fmt.Errorf("bins: %w", err)
	}
	n := float64(len(xs))
	bins := math.Ceil(calc.Log2(n)) + 1
	if iqr := q[1] - q[0]; iqr > 0 {
		bins = math.Ceil(calc.Cbrt(n) / (2 * iqr))
	}
	return int(min(max(bins, 1), mostBins)), nil
}

// NewHistogram counts xs ∈ [0,1] in bins of equal width, as many as freedmanDiaconis says. O(n log n).
func NewHistogram(xs []float64) (*Histogram, error) {
	bins, err := freedmanDiaconis(xs)
	if err != nil {
		return nil, err
	}
	return histogram(xs, bins)
}

func histogram(xs []float64, bins int) (*Histogram, error) {
	counted, err := EqualWidth(xs, xs, bins)
	h := &Histogram{bins: counted, below: make([]float64, bins+1)}
	for j, b := range counted {
		h.below[j+1] = h.below[j] + float64(b.N)
	}
	return h, err
}

// PDF returns the share of the bin over its width; 0 outside [0,1].
func (h *Histogram) PDF(x float64) float64 {
	if !(x >= 0 && x <= 1) {
		return 0
	}
	m := len(h.bins)
	return float64(h.bins[binOf(x, m)].N) / h.below[m] * float64(m)
}

// CDF returns the distribution function, linear within bins.
func (h *Histogram) CDF(x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	m := len(h.bins)
	j := binOf(x, m)
	part := min(max((x-edge(j, m))*float64(m), 0), 1)
	return (h.below[j] + float64(part*float64(h.bins[j].N))) / h.below[m]
}

func (h *Histogram) Breaks() []float64 {
	out := []float64{0}
	for _, b := range h.bins {
		out = append(out, b.Last)
	}
	return out
}
