package curve

import (
	"fmt"
	"math"

	"infnet/harness/calc"
)

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

// histogram counts numbers in so many bins.
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

// Breaks returns the edges of the bins, 0 and 1 included.
func (h *Histogram) Breaks() []float64 {
	out := []float64{0}
	for _, b := range h.bins {
		out = append(out, b.Last)
	}
	return out
}
