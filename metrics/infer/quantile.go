package infer

import (
	"math"

	"infnet/harness/calc"
)

// Quantile returns the quantile of ascending numbers at p ∈ [0,1]: Hyndman and
// Fan's type 7, linear between order statistics, as NumPy's default.
//
//	h = (n−1)p,   Q = x_⌊h⌋ + (h − ⌊h⌋)(x_⌊h⌋+1 − x_⌊h⌋)   (x from 0)
//
// gonum's stat.Quantile has no such type. No numbers panic.
func Quantile(sorted []float64, p float64) float64 {
	// R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages",
	// The American Statistician 50 (1996).
	h := float64(p * float64(len(sorted)-1))
	j := min(int(h), len(sorted)-1)
	t := h - float64(j)
	if !(t > 0) { // infinite neighbours must not make it NaN
		return sorted[j]
	}
	return sorted[j] + float64(t*(sorted[j+1]-sorted[j]))
}

// Kolmogorov returns the upper tail of Kolmogorov's distribution, the limit of
// P(√n·D > λ):
//
//	Q(λ) = 2·Σ_{k≥1} (−1)^{k−1}·exp(−2k²λ²)
//	     = 1 − √(2π)/λ·Σ_{k≥1} exp(−(2k−1)²π²/(8λ²))
//
// The second series is used below 1.18, where it converges faster. gonum has
// the statistic, but not its distribution.
func Kolmogorov(lambda float64) float64 {
	if lambda <= 0 {
		return 1
	}
	if lambda < 1.18 {
		y := calc.Exp(-math.Pi * math.Pi / (8 * lambda * lambda))
		sum := y + calc.Pow(y, 9) + calc.Pow(y, 25) + calc.Pow(y, 49)
		return max(0, 1-float64(math.Sqrt(2*math.Pi)/lambda*sum))
	}
	x := calc.Exp(-2 * lambda * lambda)
	return min(1, 2*(x-calc.Pow(x, 4)+calc.Pow(x, 9)-calc.Pow(x, 16)))
}

// Expanded is the tail of a percentile interval that makes up for how few units were resampled: the bootstrap's spread
// is too small by √((units−1)/units), and its quantiles are a normal's, where Student's t is due:
//
//	Φ(−√(units/(units−1)) · t_{1−tail, units−1})
func Expanded(tail float64, units int) float64 {
	// T. C. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69 (2015), §3.4 (expanded
	// percentile interval).
	if units < 2 {
		return 0
	}
	// T² / (units − 1 + T²) has a beta distribution.
	n := float64(units)
	y := calc.BetaQuantile(0.5, (n-1)/2, 1-2*tail)
	return calc.NormalBelow(-math.Sqrt(n * y / (1 - y)))
}
