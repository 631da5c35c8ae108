package guarantee

import (
	"math"

	"infnet/harness/calc"
)

// binomialPValue tests "the error rate is above alpha" by k errors among n
// independent records:
//
//	p = P(Bin(n, α) ≤ k)
//
// It is valid for any rate above α, 1 where α = 0 or k = n, and 0 where α ≥ 1,
// as no rate is above that.
func binomialPValue(k, n int, alpha float64) float64 {
	switch {
	case alpha >= 1:
		return 0
	case k >= n || alpha <= 0:
		return 1
	}
	return calc.BinomialAtMost(k, n, alpha)
}

// hoeffdingBentkus tests "the mean loss is above alpha" by the sum of n
// independent losses in [0,1], R̂ = sum/n:
//
//	p = min( exp(−n·kl(min(R̂,α), α)), e·P(Bin(n,α) ≤ ⌈nR̂⌉) )
//	kl(a,b) = a·ln(a/b) + (1−a)·ln((1−a)/(1−b))
func hoeffdingBentkus(sum float64, n int, alpha float64) float64 {
	// A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan and L. Lei,
	// "Learn then Test" (2021), proposition on the Hoeffding–Bentkus p-value.
	if alpha >= 1 {
		return 0
	}
	if alpha <= 0 {
		return 1
	}
	a := min(sum/float64(n), alpha)
	kl := float64((1 - a) * calc.Log((1-a)/(1-alpha)))
	if a > 0 {
		kl += float64(a * calc.Log(a/alpha))
	}
	hoeffding := calc.Exp(-float64(n) * max(kl, 0))
	bentkus := math.E * binomialPValue(int(math.Ceil(sum)), n, alpha)
	return min(1, hoeffding, bentkus)
}

// bettingPValue tests "the mean is above a" by independent x_i ∈ [0,1] in an
// order that does not depend on them. A gambler who bets against it multiplies
// a capital of 1 by 1 − ν_i(x_i − a) for each:
//
//	K_t = Π_{i≤t} (1 − ν_i(x_i − a)),   p = 1/max_t K_t
//
// Each stake ν_i ∈ [0, 1/(1−a)] depends on earlier ones alone, so under the
// null K is a nonnegative supermartingale and P(max K ≥ 1/δ) ≤ δ (Ville). The
// stake is tuned to end near 1/δ after all n:
//
//	ν_i = min( sqrt(2·ln(1/δ) / (n·σ̂²_{i−1})), most/(1−a) ),   most ∈ (0,1)
//
// with the running variance σ̂² of x. δ, n and most steer its power only.
func bettingPValue(xs []float64, a, delta, most float64) float64 {
	// I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random
	// variables by betting", JRSS B 86 (2024), §4 and its plug-in variance.
	if a >= 1 {
		return 0 // no mean is above 1
	}
	most /= 1 - a
	stake := math.Sqrt(2 * calc.Log(1/delta) / float64(len(xs)))
	capital, top := 1.0, 1.0
	sum, square := 0.5, 0.25 // of x and of its deviations; a first guess of mean ½, variance ¼
	for i, x := range xs {
		sigma := math.Sqrt(square / float64(i+1))
		nu := most
		if stake < most*sigma {
			nu = stake / sigma
		}
		capital *= 1 - float64(nu*(x-a))
		top = max(top, capital)
		sum += x
		d := x - sum/float64(i+2)
		square += float64(d * d)
	}
	return 1 / top
}
