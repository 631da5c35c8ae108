package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// compare makes the comparison rows that the study asks for, with a threshold per
// class where there are classes.
func compare(s *measurer) (out rows, err error) {
	if len(s.r.Study.Policy.Compare) == 0 {
		return nil, nil
	}
	exact, err := solve(s.r, spec.Solver(policy.Exact), s.r.PerClass())
	if err != nil {
		return nil, err
	}
	for _, c := range s.r.Study.Policy.Compare {
		var x row
		switch c {
		case spec.Randomised:
			x, err = randomised(s, exact)
		case spec.Generalised:
			x, err = generalised(s, exact)
		default:
			x, err = solved(s, spec.Solver(c), exact)
		}
		if err != nil {
			return nil, fmt.Errorf("compare with %s: %w", c, err)
		}
		out = append(out, x)
	}
	return out, nil
}

// mainRow names the row of ours in the richest form.
func mainRow(r *records.Records) string {
	if r.PerClass() {
		return Multi
	}
	return Single
}

// solved is the row of another solver.
func solved(s *measurer, solver spec.Solver, exact policy.Policy) (row, error) {
	p, err := solve(s.r, solver, s.r.PerClass())
	if err != nil {
		return row{}, err
	}
	x, err := fittedRow(s, Fitted{Name: mainRow(s.r) + "-" + string(solver), Policy: p})
	if err != nil {
		return x, err
	}
	columns := s.r.Pair(s.r.Fit)
	x.Compared = &result.Compared{
		Errors: p.FitError.Float(), Deferred: float64(p.FitDeferred), Met: p.Feasible,
	}
	completeComparison(s.r, x.Compared, exact, float64(columns.Value(p.Decide(columns), exact.Objective)))
	return x, nil
}

// randomised is the row of the mixture of two neighbouring policies of the hull
// that meets the budget exactly: its expectation over coins.
func randomised(s *measurer, exact policy.Policy) (row, error) {
	p := s.r.Study.Policy
	frontier := policy.FrontierSingle
	if s.r.PerClass() {
		frontier = policy.FrontierMulti
	}
	options := policy.Options{Setting: p.Setting, Target: p.Target, Objective: p.Objective}
	front, err := frontier(s.r.Pair(s.r.Fit), options)
	if err != nil {
		return row{}, err
	}
	mix, err := front.Mix(p.Target)
	if err != nil {
		return row{}, err
	}
	name := mainRow(s.r) + "-randomised"
	x, err := s.row(name, title(s.r, name), mix.Expected(s.r.Pair(s.r.Test)), cost.Cascade)
	if err != nil {
		return x, err
	}
	x.mixture = &mix
	x.Compared = &result.Compared{Errors: mix.Error, Deferred: mix.Deferred, Met: mix.Feasible}
	completeComparison(s.r, x.Compared, exact, mix.Value)
	x.Notes = append(x.Notes, note.Mixture(mix.Alpha, mix.Deferred, exact.FitDeferred, byCost(s.r, x.Compared)))
	return x, s.rival(&x)
}

// completeComparison adds the exact policy's result on the fit part and, for the
// cost objective, the cost of both policies. value is in the objective's units.
func completeComparison(r *records.Records, c *result.Compared, exact policy.Policy, value float64) {
	c.With, c.Exact = mainRow(r), exact.FitDeferred
	if exact.Objective.Summed() {
		unit := r.Pair(r.Fit).Unit(exact.Objective)
		c.Cost, c.ExactCost = unit*value, unit*float64(exact.Certificate.Value)
	}
}

// byCost returns the note of a comparison's costs.
func byCost(r *records.Records, c *result.Compared) note.ByCost {
	return note.ByCost{
		Minimised: r.Study.Policy.Objective.Summed(), Cost: c.Cost, ExactCost: c.ExactCost, Unit: costUnit(r),
	}
}

// costUnit returns the name of the unit of costs; "" = a unit of the spec's own.
func costUnit(r *records.Records) string {
	if r.Study.Policy.Objective == policy.Latency {
		return cost.Latency.Unit("").Name
	}
	return r.Study.Cost.Model.Unit(currency(r.Study, r.Cascade)).Name
}
