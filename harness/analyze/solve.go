package analyze

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/records"
	"infnet/harness/seed"
	"infnet/harness/spec"
)

// options are those of the study's policies by an exact method.
func options(r *records.Records) policy.Options {
	o := promised(r)
	o.Objective = r.Study.Policy.Objective
	return o
}

// frontier is that of a single threshold, or of thresholds per class, over all budgets of the fit part.
func frontier(r *records.Records, perClass bool) (front *policy.Frontier, err error) {
	of := policy.FrontierSingle
	if perClass {
		of = policy.FrontierMulti
	}
	if front, err = of(r.Pair(r.Fit), options(r)); err != nil {
		return nil, fmt.Errorf("frontier of thresholds: %w", err)
	}
	return front, nil
}

// solve fits thresholds on the fit part by any solver: one for all, or one per
// class.
func solve(r *records.Records, solver spec.Solver, perClass bool) (policy.Policy, error) {
	columns, o, fit := r.Pair(r.Fit), options(r), policy.FitSingle
	method, counted := solver.Counted()
	if o.Method = method; !counted || perClass && method == policy.Linear { // linear time is for a single threshold
		o.Method = policy.Exact
	}
	if perClass {
		fit = policy.FitMulti
	}
	exact, err := fit(columns, o)
	if err != nil || counted {
		return exact, err
	}
	return populate(r, solver, perClass, columns, exact)
}

// populate solves for an estimated population and counts, on the records it
// was estimated from, what the thresholds come to next to the exact ones.
func populate(r *records.Records, solver spec.Solver, perClass bool, records policy.Records,
	exact policy.Policy) (policy.Policy, error) {
	p := r.Study.Policy
	solution, err := population.Fit(records, population.Options{
		Setting: p.Setting, Target: p.Target, Method: population.Method(solver), PerClass: perClass,
		Stream: func(class int) *rand.Rand { // what is tested: the student's confidences, of all records or of a class
			what := "all"
			if perClass {
				what = "class " + strconv.Itoa(class)
			}
			return seed.Stream(r.Study.Seed, "goodness of fit", r.Stream(), r.Cascade.Models[student], what)
		},
	})
	if err != nil {
		return policy.Policy{}, fmt.Errorf("%s: %w", solver, err)
	}
	out := exact
	out.Thresholds, out.Warnings = solution.Thresholds, solution.Warnings
	if p.Objective == policy.Cost { // a density has no costs of single queries, so its bound is not on this objective
		out.Warnings = slices.DeleteFunc(out.Warnings, func(w policy.Warning) bool { return w.Kind == population.Duality })
	}
	if text := goodness(r, solution.Fit); text != "" {
		out.Warnings = append(out.Warnings, policy.Warning{Kind: goodnessOfFit, Class: -1, Message: text})
	}
	outcome, err := records.Outcome(out.Decide(records))
	if err != nil {
		return policy.Policy{}, fmt.Errorf("%s: %w", solver, err)
	}
	out.FitError, out.FitDeferred = outcome.Error, outcome.Deferred
	out.Feasible = outcome.Error.Units <= out.Budget.Errors.Units
	value, bound := records.Value(out.Decide(records), p.Objective), int64(0) // no bound where the budget is missed
	if out.Feasible && exact.Feasible {
		bound = exact.Certificate.LowerBound
	}
	out.Certificate = policy.Certificate{Method: policy.Method(solver), Value: value, LowerBound: bound,
		Gap: value - bound, Optimal: value == bound}
	if !out.Feasible && exact.Feasible {
		out.Warnings = append(out.Warnings, policy.Warning{Kind: "budget-missed", Class: -1, Message: fmt.Sprintf(
			"The thresholds of the estimated population make %s errors on the fit part, where %s were allowed.", outcome.Error,
			out.Budget.Errors)})
	}
	return out, nil
}

// goodnessOfFit is the kind of the note that says how well a Beta distribution
// describes the confidences.
const goodnessOfFit policy.WarningKind = "goodness-of-fit"

// poorFit is the p-value from which a Beta distribution is said not to fit.
const poorFit = 0.05

// goodness returns a sentence on how well the fitted Beta distributions describe
// the confidences; "" if none was fitted.
func goodness(r *records.Records, fits []population.BetaFit) string {
	if len(fits) == 0 {
		return ""
	}
	var parts, poor []string
	for _, f := range fits {
		name, g := className(r, f.Class), f.Goodness
		if name != "" {
			name += ": "
		}
		parts = append(parts, fmt.Sprintf("%sBeta(%.3g, %.3g), D = %.3g (p = %.2g), A² = %.3g (p = %.2g), n = %d", name,
			f.Beta.A, f.Beta.B, g.KS, g.KSP, g.AD, g.ADP, g.N))
		if min(g.KSP, g.ADP) <= poorFit {
			poor = append(poor, strings.TrimSuffix(name, ": "))
		}
	}
	text := fmt.Sprintf("Fit of the Beta distribution to the confidences of the fit part, Kolmogorov and Smirnov's D "+
		"and Anderson and Darling's A², p by parametric bootstrap of %d draws: %s.",
		curve.GoodnessDraws, strings.Join(parts, "; "))
	switch {
	case len(poor) == 1 && poor[0] == "":
		text += " It does not fit (p ≤ 0.05): the thresholds rest on a distribution that these confidences do not have."
	case len(poor) > 0:
		text += fmt.Sprintf(" It does not fit (p ≤ 0.05) for %s: their thresholds rest on a distribution that these "+
			"confidences do not have.", strings.Join(poor, ", "))
	}
	return text
}
