package population

import "math"

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

// Line is the error curve Intercept − Slope·β.
type Line struct{ Intercept, Slope float64 }

// At returns the line's value.
func (l Line) At(x float64) float64 { return l.Intercept - float64(l.Slope*x) }
