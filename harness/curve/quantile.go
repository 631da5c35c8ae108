package curve

import (
	"fmt"
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Quantiles returns the quantiles of xs at each probability in ps ∈ [0,1], in
// order, as infer.Quantile defines them.
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
		out[i] = infer.Quantile(sorted, p)
	}
	return out, nil
}
