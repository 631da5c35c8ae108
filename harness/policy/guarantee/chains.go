package guarantee

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/policy"
	"infnet/harness/policy/chain"
)

// ChainResult is a chain with a guarantee for new records, or without one.
type ChainResult struct {
	Policy chain.Policy // over both halves together, as in Result
	Promise
}

// FitChain fits a threshold for each model of a chain but the last so that the
// chain as a whole keeps a promise, by LearnThenTest. The candidates are fitted
// to half A alone: the chain of least error there, then those of budgets that
// rise in equal steps to the first model's errors, each with its least cost.
// They need not be nested, because the sequence of tests makes no use of a
// shape of the risk. "best" is the model of fewest errors on half A, the later
// one on a tie. The costs of the records steer the candidates, so they must not
// come from half B.
func FitChain(r chain.Records, h Halves, o policy.Options, g Terms) (ChainResult, error) {
	g = g.withDefaults()
	if err := g.Check(o); err != nil {
		return ChainResult{}, err
	}
	if g.Method != LearnThenTest {
		return ChainResult{}, fmt.Errorf("guarantee method %q for three models or more: it needs losses that fall along one "+
			"path of thresholds; use %q", g.Method, LearnThenTest)
	}
	if err := r.Validate(); err != nil {
		return ChainResult{}, err
	}
	j, err := h.prepare(r.Len(), true, g)
	if err != nil {
		return ChainResult{}, err
	}
	o = policy.Options{Setting: o.Setting, Target: o.Target}
	r.Err = slices.Clone(r.Err)
	if last := len(r.Err) - 1; o.Setting == policy.Oracle || r.Err[last] == nil {
		r.Err[last] = make([]float64, r.Len())
	}
	a, b := pick(r, h.Propose), pick(r, h.Test)
	path, err := chain.Path(a, o)
	if err != nil {
		return ChainResult{}, err
	}
	j.scale = policy.Scale(b.Err...)
	j.outcome = func(theta policy.Thresholds) (errs []float64, deferred int) {
		for i, m := range b.Stages(theta) {
			errs = append(errs, b.Err[m][i])
			if m == len(theta) {
				deferred++
			}
		}
		return errs, deferred
	}
	last, reference := len(r.Beta), referenceOf(a.Err, o.Target)
	j.ref = b.Err[reference]
	theta, promise, err := j.learnThenTest(o, path, reference, last, func(model int) policy.Thresholds {
		theta := make(policy.Thresholds, last)
		for m := range model {
			theta[m] = math.Inf(1)
		}
		return theta
	})
	if err != nil {
		return ChainResult{}, err
	}
	out := ChainResult{Promise: promise}
	return out, out.describe(pick(r, slices.Concat(h.Propose, h.Test)), o, theta, reference)
}

// referenceOf is the model that a target names, fixed by the errors on half A: "best"
// errs least there, the later one on a tie.
func referenceOf(errs [][]float64, target policy.Target) int {
	last := len(errs) - 1
	switch {
	case target.Equal(policy.Student):
		return 0
	case !target.Equal(policy.Best):
		return last
	}
	best := last
	for m := last - 1; m >= 0; m-- {
		if sum(errs[m]) < sum(errs[best]) {
			best = m
		}
	}
	return best
}

func pick(r chain.Records, list []int) chain.Records {
	out := chain.Records{Cost: r.Cost}
	take := func(columns [][]float64) (picked [][]float64) {
		for _, c := range columns {
			column := make([]float64, len(list))
			for k, i := range list {
				column[k] = c[i]
			}
			picked = append(picked, column)
		}
		return picked
	}
	out.Beta, out.Err = take(r.Beta), take(r.Err)
	return out
}

// describe fills in the policy over all records used.
func (g *ChainResult) describe(all chain.Records, o policy.Options, theta policy.Thresholds, reference int) error {
	p, err := chain.Fit(all, o)
	if err != nil {
		return err
	}
	p.Thresholds, p.Warnings, p.Cost, p.Bound = theta, nil, 0, 0
	p.FitError.Units, p.Asked = 0, make([]int, len(all.Err))
	for i, stage := range all.Stages(theta) {
		p.FitError.Units += policy.Units(all.Err[stage][i], p.FitError.Scale)
		for m := range stage + 1 {
			p.Asked[m]++
			p.Cost += all.Cost[m] / float64(p.N)
		}
	}
	p.FitDeferred = p.Asked[len(p.Asked)-1]
	errors := int64(0)
	for _, v := range all.Err[reference] {
		errors += policy.Units(v, p.FitError.Scale)
	}
	p.Certificate = policy.Certificate{Method: p.Certificate.Method, Optimal: true} // it compares with nothing
	g.settle(&p.Policy, errors)
	g.Policy = p
	return nil
}
