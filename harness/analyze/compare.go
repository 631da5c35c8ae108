package analyze

import (
	"fmt"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/harness/spec"
)

// compare adds the rows that the study wants beside ours, in the richest form
// it fits: a threshold per class where there are classes.
func (b *Bench) compare(s *scorer) error {
	if len(b.in.Study.Policy.Compare) == 0 {
		return nil
	}
	exact, err := b.solve(spec.Solver(policy.Exact), b.PerClass())
	if err != nil {
		return err
	}
	for _, c := range b.in.Study.Policy.Compare {
		switch c {
		case spec.Randomised:
			err = b.randomised(s, exact)
		case spec.Generalised:
			err = b.generalised(s, exact)
		default:
			err = b.comparand(s, spec.Solver(c), exact)
		}
		if err != nil {
			return fmt.Errorf("compare with %s: %w", c, err)
		}
	}
	return nil
}

// main names the row of the exact policy that comparands are set beside.
func (b *Bench) main() string {
	if b.PerClass() {
		return Multi
	}
	return Single
}

// comparand adds the row of another solver.
func (b *Bench) comparand(s *scorer, solver spec.Solver, exact policy.Policy) error {
	p, err := b.solve(solver, b.PerClass())
	if err != nil {
		return err
	}
	f := Fitted{Name: b.main() + "-" + string(solver), Policy: p}
	row, err := b.fittedRow(s, f)
	if err != nil {
		return err
	}
	records := b.Pair(b.Fit)
	row.Compared = b.beside(exact, p.FitError.Float(), float64(p.FitDeferred), float64(records.Value(p.Decide(records), exact.Objective)), p.Feasible)
	b.out.Rows = append(b.out.Rows, row)
	b.fitted = append(b.fitted, f)
	b.out.Policies = append(b.out.Policies, b.describe(f))
	return nil
}

// randomised adds the mixture of two neighbouring policies of the hull that
// meets the budget exactly: its expectation over coins.
func (b *Bench) randomised(s *scorer, exact policy.Policy) error {
	p := b.in.Study.Policy
	frontier := policy.FrontierSingle
	if b.PerClass() {
		frontier = policy.FrontierMulti
	}
	options := policy.Options{Setting: p.Setting, Target: p.Target, Objective: p.Objective}
	front, err := frontier(b.Pair(b.Fit), options)
	if err != nil {
		return err
	}
	mix, err := front.Mix(p.Target)
	if err != nil {
		return err
	}
	b.mixture = &mix
	row, err := s.row(b.main()+"-randomised", b.title(b.main()+"-randomised"), mix.Expected(b.Pair(b.Test)), cost.Cascade)
	if err != nil {
		return err
	}
	row.Compared = b.beside(exact, mix.Error, mix.Deferred, mix.Value, mix.Feasible)
	row.Notes = append(row.Notes, result.NewNote(note.Mixture{
		Alpha: mix.Alpha, Deferred: mix.Deferred, Exact: exact.FitDeferred, ByCost: b.byCost(row.Compared),
	}))
	b.out.Rows = append(b.out.Rows, row)
	return nil
}

// byCost is what a comparison says of costs.
func (b *Bench) byCost(c *result.Compared) note.ByCost {
	return note.ByCost{
		Minimised: b.in.Study.Policy.Objective == policy.Cost, Cost: c.Cost, ExactCost: c.ExactCost, Unit: b.costUnit(),
	}
}

// costUnit names the unit of costs; "" = the spec's own.
func (b *Bench) costUnit() string {
	return b.in.Study.Cost.Model.Unit(currency(b.in.Study, b.Cascade)).Name
}

// beside sets what a policy does on the fit part beside the exact one. value is
// what it comes to under the objective, in the objective's units.
func (b *Bench) beside(exact policy.Policy, errors, deferred, value float64, met bool) *result.Compared {
	out := &result.Compared{With: b.main(), Errors: errors, Deferred: deferred, Exact: exact.FitDeferred, Met: met}
	if exact.Objective == policy.Cost {
		unit := b.Pair(b.Fit).Unit(policy.Cost)
		out.Cost, out.ExactCost = unit*value, unit*float64(exact.Certificate.Value)
	}
	return out
}
