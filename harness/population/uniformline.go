package population

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/metrics/infer"
)

// slope is δ of the line 1 − δβ, by least squares through error 1 at β = 0:
//
//	δ = Σ β_i(1 − e_i) / Σ β_i²,   clipped to (0,1]
func (s slice) slope() float64 {
	xy, xx := 0.0, 0.0
	for i, b := range s.beta {
		xy += float64(b * (1 - s.student[i]))
		xx += float64(b * b)
	}
	if xx == 0 {
		return leastSlope
	}
	return min(max(xy/xx, leastSlope), 1)
}

// leastSlope keeps the closed forms defined where confidence carries no
// information.
const leastSlope = 1e-6

// assumed states the assumptions of uniform-line and how well the records of class
// k agree: the Kolmogorov–Smirnov test of uniform confidences, and the error at
// low and high confidence next to the line's.
func (s slice) assumed(k int) policy.Warning {
	d, p := uniformity(s.beta)
	delta := s.slope()
	half := func(keep func(float64) bool) (observed, line float64, n int) {
		for i, b := range s.beta {
			if keep(b) {
				observed, line, n = observed+s.student[i], line+1-float64(delta*b), n+1
			}
		}
		return observed / float64(max(n, 1)), line / float64(max(n, 1)), n
	}
	low, lowLine, nLow := half(func(b float64) bool { return b < 0.5 })
	high, highLine, nHigh := half(func(b float64) bool { return b >= 0.5 })
	return policy.Warning{Kind: Assumed, Class: k, Message: fmt.Sprintf(
		"assumes that confidences are uniform on [0,1] (Kolmogorov and Smirnov's D = %.3f, p = %.3g) and errors 1 − δβ, δ "+
			"= %.3f: below β = ½ %.3f of %d err where the line has %.3f, above %.3f of %d where it has %.3f",
		d, p, delta, low, nLow, lowLine, high, nHigh, highLine)}
}

// uniformity tests uniform numbers on [0,1]: D and its p-value, approximated as
//
//	p = infer.Kolmogorov((√n + 0.12 + 0.11/√n)·D)
func uniformity(x []float64) (d, p float64) {
	// M. A. Stephens, "Use of the Kolmogorov–Smirnov, Cramér–von Mises and
	// related statistics without extensive tables", JRSS B 32 (1970).
	d = curve.Uniformity(slices.Sorted(slices.Values(x)))
	root := math.Sqrt(float64(len(x)))
	return d, infer.Kolmogorov((root + 0.12 + 0.11/root) * d)
}

// closed replaces the solver's thresholds by the closed form where there is one: in
// the oracle setting at a numeric target (UniformClasses). The two agree to
// rounding.
func (e Estimate) closed(o Options, sol *Solution) {
	xi, numeric := o.Target.Numeric()
	if o.Setting != policy.Oracle || !numeric || !sol.Feasible {
		return
	}
	var p, delta []float64
	var at []int
	total := 0.0
	for k, c := range e.Population {
		if c.slope > 0 && c.P > 0 {
			p, delta, at = append(p, c.P), append(delta, c.slope), append(at, k)
			total += c.P
		}
	}
	for i := range p {
		p[i] /= total
	}
	v, _ := xi.Float64()
	theta, _ := UniformClasses(p, delta, v)
	for i, k := range at {
		sol.Thresholds[k] = theta[i]
	}
}

// UniformClasses is the closed form of the paper's analytic examples
// (app:st-o-proofs, app:mt-o-proof): the thresholds of classes with masses p (summing to
// 1), β ~ U(0,1), ε_k = 1−δ_kβ, δ_k ∈ (0,1], and λ* in units of c_m. With A =
// Σp_k/δ_k and D = Σp_kδ_k over the classes that are not saturated,
//
//	u = 1 − √(1 − (2ξ−D)/A),   θ_k = u/δ_k,   λ*/c_m = 1/(1−u)
//
// if u ≤ min δ_k; else θ_k = 1 for the classes with δ_k < u, whose queries then
// make no error, and the rest is solved again. The constraint is weighted by
// p_k, which the paper's displayed sum leaves out; the paper holds that there is
// no closed form, but with u = 1−c_m/λ the constraint is a quadratic in u.
func UniformClasses(p, delta []float64, xi float64) (theta []float64, lambda float64) {
	theta = make([]float64, len(p))
	saturated := make([]bool, len(p))
	for {
		// Σ p_k [1 − δ_k/2 − u/δ_k + u²/(2δ_k)] = 1−ξ over the classes left;
		// a saturated one has error 0.
		a, c := 0.0, -2*(1-xi)
		for k := range p {
			if !saturated[k] {
				a += p[k] / delta[k]
				c += float64(p[k] * (2 - delta[k]))
			}
		}
		if c <= 0 {
			return theta, 0 // accepting what is left is within the budget
		}
		u := 1 - math.Sqrt(max(1-c/a, 0))
		again := false
		for k := range p {
			if !saturated[k] && u > delta[k] {
				saturated[k], theta[k], again = true, 1, true
			}
		}
		if again {
			continue
		}
		for k := range p {
			if !saturated[k] {
				theta[k] = u / delta[k]
			}
		}
		return theta, 1 / (1 - u)
	}
}

// line is the error curve intercept − slope·β.
func line(intercept, slope float64) func(float64) float64 {
	return func(x float64) float64 { return intercept - float64(slope*x) }
}
