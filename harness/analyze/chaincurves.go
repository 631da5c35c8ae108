package analyze

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/policy/chain"
	"infnet/harness/records"
)

// chainFamilies are the families of a chain: the pairs that it contains, each by all thresholds on its first model's
// confidence, and the chain, by the thresholds of least cost at budgets of the fit part.
func chainFamilies(r *records.Records, all rows) (out []family, err error) {
	for k := range all {
		x := &all[k]
		if x.fitted == nil || x.fitted.Promise != nil {
			continue
		}
		f := family{name: x.Policy, title: x.Title, charge: cost.Cascade, models: x.fitted.Series}
		if x.fitted.contained(r) {
			beta := r.Models[f.models[0]].Beta
			f.kind, f.fit, f.test = byThreshold, records.Pick(beta, r.Fit), records.Pick(beta, r.Test)
		} else {
			f.kind, f.chosen = byChain, &place{thetas: x.fitted.Policy.Thresholds}
			if f.path, err = chainPath(r); err != nil {
				return nil, fmt.Errorf("curve of the chain: %w", err)
			}
		}
		if err := f.check(r); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// chainPath is a chain's path on the fit part, the laxest policy first, and at its end the one that asks everybody.
func chainPath(r *records.Records) ([]policy.Thresholds, error) {
	path, err := chain.Path(r.Series(r.Fit), promised(r))
	slices.Reverse(path)
	return append(path, slices.Repeat(policy.Thresholds{math.Inf(1)}, r.Last())), err
}

// operation is what the chosen policy of a family does: on each test record what it defers and its error, the sums of
// both on the fit part, and its plan.
type operation struct {
	deferred, errs         []float64
	fitDeferred, fitErrors float64
	plan                   plan
}

// operationOf is the chosen policy of family i; of a chain it is its row's.
func (c *contest) operationOf(i int) (o operation) {
	f, r := &c.families[i], c.s.r
	if f.chosen == nil {
		return o
	}
	if f.kind == byChain {
		return c.operationOfChain(i)
	}
	for k, w := range f.chosen.weight {
		o.errs = append(o.errs, c.gains[i].student[k]-float64(w*c.gains[i].saved[k]))
	}
	for k, defers := range f.chosen.fit {
		o.fitErrors += c.fitGains[i].student[k]
		if defers {
			o.fitDeferred++
			o.fitErrors -= c.fitGains[i].saved[k]
		}
	}
	o.deferred = f.chosen.weight
	o.plan = plan{models: everyModel(r), final: deferring(f.chosen.weight), charge: cost.Cascade}
	return o
}

// operationOfChain is it of the chain, by its fitted thresholds.
func (c *contest) operationOfChain(i int) (o operation) {
	r, thresholds := c.s.r, c.families[i].chosen.thetas
	one := func(examples []int) (deferred, errs []float64) {
		s := byStages(r, []policy.Thresholds{thresholds}, examples, gains{})
		deferred, errs = make([]float64, len(examples)), r.Student().Errors(examples)
		for k, at := range s.changes {
			deferred[at], errs[at] = s.costs[k], errs[at]-s.saved[k]
		}
		return deferred, errs
	}
	deferred, errs := one(r.Fit)
	for k := range deferred {
		o.fitDeferred, o.fitErrors = o.fitDeferred+deferred[k], o.fitErrors+errs[k]
	}
	o.deferred, o.errs = one(r.Test)
	o.plan = plan{models: everyModel(r), final: certainly(len(r.Models), r.Series(r.Test).Stages(thresholds)),
		charge: cost.Cascade}
	return o
}
