package curve

import (
	"fmt"
	"math"
	"slices"
)

// Quantiles returns the quantiles of xs at each probability in ps ∈ [0,1], in
// order: Hyndman and Fan's type 7, linear between order statistics, as NumPy's
// default.
//
//	h = (n−1)p,   Q = x_⌊h⌋ + (h − ⌊h⌋)(x_⌊h⌋+1 − x_⌊h⌋)   (x ascending, from 0)
//
// Hyndman and Fan (1996), Sample quantiles in statistical packages.
func Quantiles(xs, ps []float64) ([]float64, error) {
	if len(xs) == 0 {
		return nil, fmt.Errorf("quantiles of no numbers")
	}
	for i, x := range xs {
		if math.IsNaN(x) {
			return nil, fmt.Errorf("number %d is NaN", i)
		}
	}
	sorted := slices.Sorted(slices.Values(xs))
	out := make([]float64, len(ps))
	for i, p := range ps {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("quantile at %v: want a probability in [0,1]", p)
		}
		h := float64(len(sorted)-1) * p
		j := min(int(h), len(sorted)-1)
		out[i] = sorted[j]
		if t := h - float64(j); t > 0 {
			out[i] += float64(t * (sorted[j+1] - sorted[j]))
		}
	}
	return out, nil
}
