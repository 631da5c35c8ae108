package population

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy"
)

var near9 = cmpopts.EquateApprox(0, 1e-9)

// one replaces the +Inf of a class that is deferred altogether by the 1 that
// the closed forms give it.
func one(th policy.Thresholds) []float64 {
	out := make([]float64, len(th))
	for i, v := range th {
		out[i] = min(v, 1)
	}
	return out
}

// Expected values: the quadratics of the constraint solved by hand to 10
// digits; the formula and the numeric solver must both give them to 1e-9.
func TestClosedFormsAndSolverAgree(t *testing.T) {
	for _, tc := range []struct {
		name     string
		p, delta []float64
		xi       float64
		theta    []float64
		lambda   float64
	}{
		{name: "single", p: []float64{1}, delta: []float64{1}, xi: .9, theta: []float64{.5527864045}, lambda: 2.2360679775},
		{name: "single, half", p: []float64{1}, delta: []float64{1}, xi: .5, theta: []float64{0}},
		{name: "single, less", p: []float64{1}, delta: []float64{1}, xi: .2, theta: []float64{0}},
		{name: "symmetric", p: []float64{.25, .25, .25, .25}, delta: []float64{.8, .8, .8, .8}, xi: .75,
			// (1 − √(1.64 − 1.2))/.8 = (1 − √.44)/.8, λ = 1/√.44
			theta: []float64{.4208438024, .4208438024, .4208438024, .4208438024}, lambda: 1.5075567229},
		{name: "symmetric, all accepted", p: []float64{.5, .5}, delta: []float64{.8, .8}, xi: .4, theta: []float64{0, 0}},
		{name: "asymmetric", p: []float64{.7, .3}, delta: []float64{1, .5}, xi: .9,
			theta: []float64{.4811254783, .9622509567}, lambda: 1 / (1 - .4811254783)},
		{name: "saturated", p: []float64{.7, .3}, delta: []float64{1, .5}, xi: .95, theta: []float64{.6220355270, 1},
			lambda: 1 / (1 - .6220355270)},
		{name: "three classes", p: []float64{.5, .3, .2}, delta: []float64{1, .9, .8}, xi: .9,
			theta: []float64{.5562398430, .5562398430 / .9, .5562398430 / .8}, lambda: 1 / (1 - .5562398430)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			theta, factor := uniformClasses(tc.p, tc.delta, tc.xi)
			if diff := cmp.Diff(tc.theta, theta, near9); diff != "" || math.Abs(factor-tc.lambda) > 1e-9 {
				t.Errorf("formula: λ* %v, want %v; θ (-want +got):\n%s", factor, tc.lambda, diff)
			}
			sol := uniform(tc.p, tc.delta, 0).Multi(1 - tc.xi)
			if diff := cmp.Diff(tc.theta, one(sol.Thresholds), near9); diff != "" || math.Abs(lambda(sol)-tc.lambda) > 1e-8 {
				t.Errorf("solver: λ* %v, want %v; θ (-want +got):\n%s", lambda(sol), tc.lambda, diff)
			}
			if !sol.Feasible || sol.Error > 1-tc.xi+1e-12 || sol.LowerBound != sol.Deferred || len(sol.Warnings) != 0 {
				t.Errorf("solver: %+v", sol)
			}
		})
	}
}

// uniformClasses is the closed form of the paper's analytic examples
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
func uniformClasses(p, delta []float64, xi float64) (theta []float64, lambda float64) {
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
