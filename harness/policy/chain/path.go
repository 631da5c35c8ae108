package chain

import (
	"slices"

	"infnet/harness/policy"
)

// Numbers of budgets that a path is fitted to: of three models, which are fitted exactly, and of more.
const (
	pathSteps = 60
	longSteps = 20
)

// Path returns the thresholds of least error, then those of budgets that rise in equal
// steps to the first model's errors, each with its least cost.
func Path(r Records, o policy.Options) ([]policy.Thresholds, error) {
	scale, steps := policy.Scale(r.Err...), int64(pathSteps)
	if len(r.Err) > 3 {
		steps = longSteps
	}
	fit := func(errors int64) (Policy, error) { // none possible: the least
		b := policy.Budget{Errors: policy.Count{Units: errors, Scale: scale}, N: r.Len()}
		return Fit(r, policy.Options{Setting: o.Setting, Target: b.AsTarget()})
	}
	p, err := fit(0)
	if err != nil {
		return nil, err
	}
	path := []policy.Thresholds{p.Thresholds}
	least, most := p.FitError.Units, int64(0)
	for _, v := range r.Err[0] {
		most += policy.Units(v, scale)
	}
	for k := int64(1); k <= steps && most > least; k++ {
		if p, err = fit(least + (most-least)*k/steps); err != nil {
			return nil, err
		}
		if !slices.Equal(p.Thresholds, path[len(path)-1]) {
			path = append(path, p.Thresholds)
		}
	}
	return path, nil
}
