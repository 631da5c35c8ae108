package curve

import (
	"fmt"
	"math"

	"infnet/harness/calc"
)

// Histogram is a density that is constant on bins of equal width on [0,1]:
// bin j is [j/m, (j+1)/m), the last with its right end.
type Histogram struct {
	count []float64 // per bin
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
	if err := unit(xs); err != nil {
		return nil, fmt.Errorf("histogram: %w", err)
	}
	bins, err := freedmanDiaconis(xs)
	if err != nil {
		return nil, err
	}
	return histogram(xs, bins), nil
}

// histogram counts checked numbers in so many bins.
func histogram(xs []float64, bins int) *Histogram {
	h := &Histogram{count: make([]float64, bins), below: make([]float64, bins+1)}
	for _, x := range xs {
		h.count[h.bin(x)]++
	}
	for j, c := range h.count {
		h.below[j+1] = h.below[j] + c
	}
	return h
}

func (h *Histogram) bin(x float64) int { return binOf(x, len(h.count)) }

func (h *Histogram) edge(j int) float64 { return edge(j, len(h.count)) }

// PDF returns the share of the bin over its width; 0 outside [0,1].
func (h *Histogram) PDF(x float64) float64 {
	if !(x >= 0 && x <= 1) {
		return 0
	}
	return h.count[h.bin(x)] / h.below[len(h.count)] * float64(len(h.count))
}

// CDF returns the distribution function, linear within bins.
func (h *Histogram) CDF(x float64) float64 {
	switch {
	case x <= 0:
		return 0
	case x >= 1:
		return 1
	}
	j := h.bin(x)
	part := min(max((x-h.edge(j))*float64(len(h.count)), 0), 1)
	return (h.below[j] + float64(part*h.count[j])) / h.below[len(h.count)]
}

// Breaks returns the edges of the bins, 0 and 1 included.
func (h *Histogram) Breaks() []float64 {
	out := make([]float64, len(h.count)+1)
	for j := range out {
		out[j] = h.edge(j)
	}
	return out
}

var (
	_ Density = (*Histogram)(nil)
	_ Broken  = (*Histogram)(nil)
)
