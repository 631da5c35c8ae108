package page

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"infnet/harness/policy"
)

// mostPositions are those of the slider, about, beside named targets: each is a search of its own.
const mostPositions = 200

// position is one place of the slider: a target and the errors that it allows on the fit part, in units.
type position struct {
	target policy.Target
	budget int64
}

// path is a frontier that becomes a path of thresholds.
type path struct {
	front *policy.Frontier
	into  **thresholdPath
}

// positions places the positions of the slider, from just below the least error of any thresholds to where nothing
// changes any more. Named targets always have one.
func (g *group) positions(paths []*path, o policy.Options) ([]position, error) {
	low, high := int64(math.MaxInt64), int64(0)
	for _, p := range paths {
		low, high = min(low, p.front.Point(0).Error.Units), max(high, p.front.Point(p.front.Len()-1).Error.Units)
	}
	named, names, err := namedTargets(paths, o)
	if err != nil {
		return nil, err
	}
	for _, p := range named {
		low, high = min(low, p.budget), max(high, p.budget)
	}
	low = max(0, low-max(1, (high-low)/20))
	all := append(slices.Clone(named), decimals(low, high, g.Fit)...)
	slices.SortStableFunc(all, func(a, b position) int { return cmp.Compare(a.budget, b.budget) })
	all = slices.CompactFunc(all, func(a, b position) bool { return a.budget == b.budget })
	for _, p := range all {
		g.Budgets, g.Targets = append(g.Budgets, p.budget), append(g.Targets, p.target.String())
	}
	for i, p := range named {
		at, _ := slices.BinarySearch(g.Budgets, p.budget)
		g.Marks = append(g.Marks, mark{names[i], at})
	}
	return all, nil
}

// namedTargets are the study's own target, and those that name a model, where the setting has them.
func namedTargets(paths []*path, o policy.Options) (all []position, names []string, err error) {
	list := []policy.Target{o.Target}
	names = []string{"study"}
	if o.Setting != policy.Oracle {
		list = append(list, policy.Master, policy.Student, policy.Best)
		names = append(names, "master", "student", "best")
	}
	for _, t := range list {
		p, err := paths[0].front.At(t)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, position{t, p.Budget.Errors.Units})
	}
	return all, names, nil
}

// decimals are targets of few digits whose budgets lie between two numbers of units.
func decimals(low, high int64, fit alone) (all []position) {
	n := float64(fit.Records) * float64(fit.Scale)
	digits := 2
	for digits < 6 && float64(high-low)/n*math.Pow10(digits) < mostPositions/2 {
		digits++
	}
	unit := int64(math.Pow10(digits))
	first, last := int64((1-float64(high)/n)*float64(unit)), int64((1-float64(low)/n)*float64(unit))+1
	skip := (last-first)/mostPositions + 1
	for k := max(0, first); k <= min(last, unit); k += skip {
		text := strings.TrimRight(new(big.Rat).SetFrac64(k, unit).FloatString(digits), "0")
		t, err := policy.ParseTarget(strings.TrimSuffix(text, "."))
		if err != nil {
			continue // a number outside [0,1] is no target
		}
		b := policy.NumericBudget(t, fit.Records, fit.Scale).Errors.Units
		all = append(all, position{t, b})
	}
	return all
}

// pack takes the policy of every position, as a fit to its target finds it, and counts what it does on the test part.
func (p *path) pack(all []position, test policy.Records) (*thresholdPath, error) {
	out := &thresholdPath{}
	var before policy.Thresholds
	for _, x := range all {
		fitted, err := p.front.At(x.target)
		if err != nil {
			return nil, err
		}
		last := len(out.Errors) - 1
		if last < 0 || out.Errors[last] != fitted.FitError.Units || out.Deferred[last] != fitted.FitDeferred ||
			!slices.Equal(before, fitted.Thresholds) {
			before = fitted.Thresholds
			o, err := test.Outcome(fitted.Decide(test))
			if err != nil {
				return nil, err
			}
			out.Errors, out.Deferred = append(out.Errors, fitted.FitError.Units), append(out.Deferred, fitted.FitDeferred)
			out.TestErrors, out.TestDeferred = append(out.TestErrors, o.Error.Units), append(out.TestDeferred, o.Deferred)
			if out.Thetas == nil {
				out.Thetas = make([][]theta, len(before))
			}
			for k, v := range before {
				out.Thetas[k] = append(out.Thetas[k], theta(v))
			}
		}
		out.At = append(out.At, len(out.Errors)-1)
	}
	return out, nil
}
