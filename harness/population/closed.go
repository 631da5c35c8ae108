package population

import (
	"fmt"
	"math"

	"infnet/harness/curve"
)

// The closed forms of the paper's analytic examples (app:st-o-proofs,
// app:mt-o-proof): β uniform on [0,1] and linear error curves. All are clipped
// to 0 where accepting everything is within the budget.

// UniformSingle returns the optimal threshold for β ~ U(0,1), ε_s = 1−β and a
// master that never errs, at performance ξ ∈ [0,1]:
//
//	θ* = 1 − √(2(1−ξ)),   0 for ξ ≤ ½
func UniformSingle(xi float64) (float64, error) {
	if !(xi >= 0 && xi <= 1) {
		return 0, fmt.Errorf("performance %v: want a number in [0,1]", xi)
	}
	return max(0, 1-math.Sqrt(2*(1-xi))), nil
}

// UniformSymmetric returns the common threshold of K ≥ 1 equally frequent
// classes with β ~ U(0,1), ε = 1−δβ, δ ∈ (0,1], and the multiplier λ* in units
// of c_m (0 where nothing is deferred):
//
//	θ* = (1 − √(1+δ²−2δξ))/δ,   0 for 2ξ ≤ δ,   λ*/c_m = 1/(1−δθ*)
//
// The formula exceeds 1 where even deferring all but the surest is not enough,
// which for δ ≤ 1 and ξ ≤ 1 it never is. λ* is +Inf at ξ = δ = 1.
func UniformSymmetric(delta, xi float64) (theta, lambda float64, err error) {
	if !(xi >= 0 && xi <= 1) || !(delta > 0 && delta <= 1) {
		return 0, 0, fmt.Errorf("slope %v, performance %v: want numbers in (0,1] and [0,1]", delta, xi)
	}
	if 2*xi <= delta { // Error(0) = 1 − δ/2 ≤ 1−ξ … the root is not positive
		return 0, 0, nil
	}
	// 1+δ²−2δξ = (1−δ)² + 2δ(1−ξ), which does not cancel.
	theta = min((1-math.Sqrt(float64((1-delta)*(1-delta))+float64(2*delta*(1-xi))))/delta, 1)
	return theta, 1 / (1 - float64(delta*theta)), nil
}

// UniformClasses returns the thresholds of classes with masses p (summing to
// 1), β ~ U(0,1), ε_k = 1−δ_kβ, δ_k ∈ (0,1], and λ* in units of c_m. With A =
// Σp_k/δ_k and D = Σp_kδ_k over the classes that are not saturated,
//
//	u = 1 − √(1 − (2ξ−D)/A),   θ_k = u/δ_k,   λ*/c_m = 1/(1−u)
//
// if u ≤ min δ_k; else θ_k = 1 for the classes with δ_k < u, whose queries then
// make no error, and the rest is solved again. The constraint is weighted by
// p_k, which the paper's displayed sum leaves out; the paper holds that there is
// no closed form, but with u = 1−c_m/λ the constraint is a quadratic in u.
func UniformClasses(p, delta []float64, xi float64) (theta []float64, lambda float64, err error) {
	if len(p) == 0 || len(p) != len(delta) || !(xi >= 0 && xi <= 1) {
		return nil, 0, fmt.Errorf("%d masses, %d slopes, performance %v: want as many, at least one, and a number in [0,1]", len(p), len(delta), xi)
	}
	total := 0.0
	for k := range p {
		if !(p[k] >= 0) || !(delta[k] > 0 && delta[k] <= 1) {
			return nil, 0, fmt.Errorf("class %d: mass %v, slope %v: want numbers ≥ 0 and in (0,1]", k, p[k], delta[k])
		}
		total += p[k]
	}
	if math.Abs(total-1) > massSlack {
		return nil, 0, fmt.Errorf("the masses sum to %v: want 1", total)
	}
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
			return theta, 0, nil // accepting what is left is within the budget
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
		return theta, 1 / (1 - u), nil
	}
}

// UniformMaster returns the leftmost optimal threshold for β ~ U(0,1), ε_s =
// 1−β and a master that errs with probability m ∈ [0,1] on every query, at
// error budget b ∈ [0,1]:
//
//	θ* = (1−m) − √((1−m)² − 1 + 2b),   0 for b ≥ ½
//
// feasible is false where b < m − m²/2, the least error, and θ is then the 1−m
// that attains it.
func UniformMaster(m, b float64) (theta float64, feasible bool, err error) {
	if !(m >= 0 && m <= 1) || !(b >= 0 && b <= 1) {
		return 0, false, fmt.Errorf("master error %v, budget %v: want numbers in [0,1]", m, b)
	}
	// (1−m)² − 1 + 2b = m² − 2m + 2b
	square := float64(m*m) + float64(2*(b-m))
	switch {
	case b >= 0.5:
		return 0, true, nil
	case square < 0:
		return 1 - m, false, nil
	}
	return (1 - m) - math.Sqrt(square), true, nil
}

// Line is the error curve Intercept − Slope·β.
type Line struct{ Intercept, Slope float64 }

// At returns the line's value.
func (l Line) At(x float64) float64 { return l.Intercept - float64(l.Slope*x) }

// UniformPopulation is the population of the closed forms: masses p, β ~
// U(0,1), ε_s,k = 1−δ_kβ, a master that errs with probability m, costs 0 and 1.
func UniformPopulation(p, delta []float64, m float64) (Population, error) {
	if len(p) != len(delta) {
		return Population{}, fmt.Errorf("%d masses, %d slopes: want as many", len(p), len(delta))
	}
	out := Population{MasterCost: 1}
	for k := range p {
		out.Classes = append(out.Classes, Class{P: p[k], Beta: curve.Beta{A: 1, B: 1}, Excess: Line{1 - m, delta[k]}, Master: m})
	}
	return out, out.check()
}
