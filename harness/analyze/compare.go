package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// compare adds the comparison rows that the study asks for, with a threshold per
// class where there are classes.
func (t *table) compare() error {
	if t.r.IsChain() || len(t.r.Study.Policy.Compare) == 0 {
		return nil
	}
	exact, err := solve(t.r, spec.Solver(policy.Exact), t.r.PerClass())
	if err != nil {
		return err
	}
	for _, c := range t.r.Study.Policy.Compare {
		var x row
		switch c {
		case spec.Randomised:
			x, err = randomised(t.s, exact)
		case spec.Generalised:
			x, err = generalised(t.s, exact)
		default:
			x, err = solved(t.s, spec.Solver(c), exact)
		}
		if err := t.add(x, err); err != nil {
			return fmt.Errorf("compare with %s: %w", c, err)
		}
	}
	return nil
}

// solved is the row of another solver.
func solved(s *measurer, solver spec.Solver, exact policy.Policy) (row, error) {
	p, err := solve(s.r, solver, s.r.PerClass())
	if err != nil {
		return row{}, err
	}
	x, err := fittedRow(s, Fitted{Name: mainRow(s.r) + "-" + string(solver), Policy: chain.Policy{Policy: p}})
	if err != nil {
		return x, err
	}
	columns := s.r.Pair(s.r.Fit)
	x.Compared = compared(s.r, exact, result.Compared{Errors: p.FitError.Float(), Deferred: float64(p.FitDeferred),
		Met: p.Feasible}, float64(columns.Value(p.Decide(columns), exact.Objective)))
	return x, nil
}

// randomised is the row of the mixture of two neighbouring policies of the hull
// that meets the budget exactly: its expectation over coins.
func randomised(s *measurer, exact policy.Policy) (row, error) {
	front, err := frontier(s.r, s.r.PerClass())
	if err != nil {
		return row{}, err
	}
	mix, err := front.Mix(s.r.Study.Policy.Target)
	if err != nil {
		return row{}, err
	}
	c := compared(s.r, exact, result.Compared{Errors: mix.Error, Deferred: mix.Deferred, Met: mix.Feasible}, mix.Value)
	name := mainRow(s.r) + "-randomised"
	x, err := s.row(entry{name: name, title: title(s.r, name), charge: cost.Cascade,
		chance: deferring(mix.Expected(s.r.Pair(s.r.Test))),
		notes:  []result.Note{note.Mixture(mix.Alpha, mix.Deferred, exact.FitDeferred, byCost(s.r, c))}})
	x.mixture, x.Compared = &mix, c
	return x, err
}

// compared completes a comparison with the exact policy's result on the fit part and,
// for the cost objective, the cost of both policies. value is in the objective's units.
func compared(r *records.Records, exact policy.Policy, c result.Compared, value float64) *result.Compared {
	c.With, c.Exact = mainRow(r), exact.FitDeferred
	if exact.Objective.Summed() {
		unit := r.Pair(r.Fit).Unit(exact.Objective)
		c.Cost, c.ExactCost = unit*value, unit*float64(exact.Certificate.Value)
	}
	return &c
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
		return cost.Latency.Unit("")
	}
	return r.Study.Cost.Model.Unit(currency(r.Study, r.Cascade))
}
