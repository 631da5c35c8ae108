package population

import (
	"infnet/harness/curve"
	"infnet/harness/policy"
)

// What tests compare the solver with, and how they call it on populations that
// no records were drawn from.

// FitSingle fits one threshold.
func FitSingle(r policy.Records, o Options) (Solution, error) { return Fit(r, o) }

// FitMulti fits a threshold per class.
func FitMulti(r policy.Records, o Options) (Solution, error) {
	o.PerClass = true
	return Fit(r, o)
}

// Single solves a population of one class for one threshold.
func (p Population) Single(b float64) Solution { return p.prepare().solve(b, false, true) }

// Multi solves a population for one threshold per class.
func (p Population) Multi(b float64) Solution { return p.prepare().solve(b, false, false) }

// The closed forms of the paper's analytic examples (app:st-o-proofs,
// app:mt-o-proof): β uniform on [0,1] and linear error curves. All are clipped
// to 0 where accepting everything is within the budget.

// uniform is the population of the closed forms: masses p, β ~ U(0,1), ε_s,k = 1−δ_kβ, a master that errs with
// probability m.
func uniform(p, delta []float64, m float64) (out Population) {
	for k := range p {
		out = append(out, Class{P: p[k], Beta: curve.Beta{A: 1, B: 1}, Excess: line(1-m, delta[k]), Master: m})
	}
	return out
}

// lambda is the multiplier λ* in units of c_m.
func lambda(s Solution) float64 {
	if !s.Binding {
		return 0
	}
	return 1 / s.Level
}
