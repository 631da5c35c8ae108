// Package population solves the paper's problem as its theory states it: with
// densities and error curves instead of counted records. It owns their estimates
// from records, the single and per-class thresholds found by root finding and
// equalisation, the policy without threshold form, and the diagnostics of what
// the threshold form costs. It refuses to call its thresholds optimal for the
// records: only the exact methods of package policy are. Its opinion: an estimate
// of a curve is only as good as its bandwidth, so count where you can.
package population

import (
	"fmt"
	"math/big"
	"slices"

	"infnet/harness/curve"
	"infnet/harness/policy"
)

// Class is the population of the queries on which the student predicts one
// class.
type Class struct {
	P      float64       // Pr(the student predicts the class) ∈ [0,1]; 0 = never
	Beta   curve.Density // of the confidence β given the class
	Master float64       // E[e_m | class] ∈ [0,1]
	Nodes  []float64     // further points of [0,1] at which integrals are cut; nil = none
	// Δ(β) = E[e_s − e_m | class, β] ∈ [−1,1], smooth between the nodes
	Excess func(beta float64) float64
}

// Population is a pair of models as seen by a policy, class by class. Masses sum to 1. A policy θ has
//
//	Def(θ)   = Σ_k p_k F_k(θ_k)
//	Error(θ) = Σ_k p_k [ε̄_m,k + ∫_{θ_k}^1 Δ_k f_k]
//
// (§3.2 of the paper and app:multi_general_policies; the oracle setting has
// e_m = 0). Its cost grows with Def(θ) alone.
type Population []Class

// Solution holds thresholds, and their error and deferrals in the population that they
// were solved for, which may itself be an estimate.
type Solution struct {
	Thresholds policy.Thresholds
	Feasible   bool    // Error ≤ Budget; else these are the thresholds of least error
	Budget     float64 // error per query allowed
	Error      float64 // error per query
	Deferred   float64 // share of queries deferred
	MinError   float64 // least error of any thresholds of this form
	Binding    bool    // the budget is what keeps more from being accepted
	Level      float64 // t* = c_m/λ*, the excess error at the margin; sup Δ where nothing binds
	// no thresholds within the budget defer less (Lagrangian duality); equals Deferred where every Δ falls, and
	// where the budget is infeasible
	LowerBound float64
	Fit        []BetaFit // one per class whose density is a fitted Beta and was tested
	Warnings   []policy.Warning
}

// BetaFit is the Beta distribution fitted to a class's confidences.
type BetaFit struct {
	Class    int // −1 = all classes pooled
	Beta     curve.Beta
	Goodness curve.Goodness
}

const (
	// an excess error rises somewhere; the global minimiser was taken, not the first crossing
	NotMonotone policy.WarningKind = "not-monotone"
	// all confidences of a class are equal, or nearly; a narrow kernel replaces the density
	NoSpread policy.WarningKind = "no-spread"
	// the thresholds meet the budget but may not be the cheapest that do; LowerBound says by how much
	Duality policy.WarningKind = "duality-gap"
)

func (s *Solution) warn(kind policy.WarningKind, class int, format string, args ...any) {
	s.Warnings = append(s.Warnings, policy.Warning{Kind: kind, Class: class, Message: fmt.Sprintf(format, args...)})
}

// Method is how a population is estimated: a density of β and an error curve.
type Method string

// The methods: the density of β, and the curve of the errors (appendix "Alternative approximation methods" of the
// paper).
const (
	KDE          Method = "kde"           // Gaussian kernels; Nadaraya–Watson with the same bandwidth
	Histogram    Method = "histogram"     // bins of equal width; means of bins of equal mass
	BetaLogistic Method = "beta-logistic" // a Beta distribution by maximum likelihood; logistic regression
)

func Methods() []Method { return []Method{KDE, Histogram, BetaLogistic} }

// Fit estimates the population of the records, class by class or classes ignored, and
// solves it for one threshold per class or for one. The budget of a named target is that model's
// error in the estimated population: the master's is its mean on the records,
// the student's that of accepting everything, so that target student accepts
// everything, and best asks for the same as master, as they do in package
// policy. Min means the least error of thresholds in the estimated population.
func Fit(r policy.Records, o Options) (Solution, error) {
	if !o.PerClass {
		r.Classes, r.Class = 0, nil
	}
	o = o.withDefaults()
	e, err := New(r, o)
	if err != nil {
		return Solution{}, err
	}
	s := e.Population.prepare()
	b, least := s.budget(o.Target)
	sol := s.solve(b, least, !o.PerClass)
	sol.Fit, sol.Warnings = e.Fit, append(slices.Clone(e.Warnings), sol.Warnings...)
	for i := range sol.Fit {
		if !o.PerClass {
			sol.Fit[i].Class = -1
		}
	}
	return sol, nil
}

// budget converts a target to an error per query; least asks for the least
// achievable one.
func (s *solver) budget(t policy.Target) (b float64, least bool) {
	if xi, ok := t.Numeric(); ok {
		b, _ := new(big.Rat).Sub(big.NewRat(1, 1), xi).Float64()
		return b, false
	}
	if t.Equal(policy.Min) {
		return 0, true
	}
	open, _, _ := s.acceptAll(0)
	student := max(s.error(open), 0) // a smooth curve may promise less than nothing
	switch {
	case t.Equal(policy.Master):
		return s.base, false
	case t.Equal(policy.Student):
		return student, false
	}
	return min(s.base, student), false
}
