package page

import (
	"cmp"
	"math"
	"math/big"
	"slices"
	"strings"

	"infnet/harness/policy"
)

// Limits of the slider. Beyond mostBudgets positions, or mostCells thresholds, its positions are spread evenly. Where
// errors are soft there are few, as each is a search of its own.
const (
	mostBudgets = 5000
	mostCells   = 400_000
	fewBudgets  = 1000
	softBudgets = 200
)

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
	low, high, points := int64(math.MaxInt64), int64(0), 0
	whole := g.Fit.Scale == 1
	for _, p := range paths {
		f := p.front
		low, high = min(low, f.Point(0).Error.Units), max(high, f.Point(f.Len()-1).Error.Units)
		whole, points = whole && f.Whole(), points+f.Len()
	}
	named, names, err := namedTargets(paths, o)
	if err != nil {
		return nil, err
	}
	for _, p := range named {
		low, high = min(low, p.budget), max(high, p.budget)
	}
	low = max(0, low-max(1, (high-low)/20))
	all := slices.Clone(named)
	switch {
	case g.Fit.Scale > 1:
		all = append(all, decimals(low, high, g.Fit)...)
	case whole && high-low < mostBudgets && points*max(1, len(g.Classes)) <= mostCells:
		for b := low; b <= high; b++ {
			all = append(all, g.at(b))
		}
	default:
		for k := range int64(fewBudgets) {
			all = append(all, g.at(low+(high-low)*k/(fewBudgets-1)))
		}
	}
	slices.SortStableFunc(all, func(a, b position) int { return cmp.Compare(a.budget, b.budget) })
	all = slices.CompactFunc(all, func(a, b position) bool { return a.budget == b.budget })
	g.Budgets = make([]int64, len(all))
	for i, p := range all {
		g.Budgets[i] = p.budget
		if g.Fit.Scale > 1 {
			g.Targets = append(g.Targets, p.target.String())
		}
	}
	for i, p := range named {
		at, _ := slices.BinarySearch(g.Budgets, p.budget)
		g.Marks = append(g.Marks, mark{names[i], at})
	}
	return all, nil
}

// at is the position of a whole number of errors.
func (g *group) at(errors int64) position {
	b := policy.Budget{Errors: policy.Count{Units: errors, Scale: 1}, N: g.Fit.Records}
	return position{b.AsTarget(), errors}
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
	for digits < 6 && float64(high-low)/n*math.Pow10(digits) < softBudgets/2 {
		digits++
	}
	unit := int64(math.Pow10(digits))
	first, last := int64((1-float64(high)/n)*float64(unit)), int64((1-float64(low)/n)*float64(unit))+1
	skip := (last-first)/softBudgets + 1
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
func (p *path) pack(all []position, test *tally) (*thresholdPath, error) {
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
			e, d := test.of(before)
			out.Errors, out.Deferred = append(out.Errors, fitted.FitError.Units), append(out.Deferred, fitted.FitDeferred)
			out.TestErrors, out.TestDeferred = append(out.TestErrors, e), append(out.TestDeferred, d)
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

// tally counts what thresholds do on the records: errors in units, and deferrals. Records of a class are sorted once
// and their errors summed, so that a policy costs a search per class.
type tally struct {
	beta    [][]float64 // by class, ascending
	student [][]int64   // errors of the student from here on
	master  [][]int64   // errors of the master before
}

func newTally(r policy.Records, classes int, scale int64) *tally {
	t := &tally{make([][]float64, classes), make([][]int64, classes), make([][]int64, classes)}
	order := make([][]int, classes)
	for i := range r.Beta {
		k := 0
		if classes > 1 {
			k = r.Class[i]
		}
		order[k] = append(order[k], i)
	}
	for k, list := range order {
		slices.SortStableFunc(list, func(i, j int) int {
			switch {
			case r.Beta[i] < r.Beta[j]:
				return -1
			case r.Beta[i] > r.Beta[j]:
				return 1
			}
			return 0
		})
		n := len(list)
		t.beta[k], t.student[k], t.master[k] = make([]float64, n), make([]int64, n+1), make([]int64, n+1)
		for p, i := range list {
			t.beta[k][p] = r.Beta[i]
			t.master[k][p+1] = t.master[k][p] + policy.Units(r.MasterError(i), scale)
		}
		for p := n - 1; p >= 0; p-- {
			t.student[k][p] = t.student[k][p+1] + policy.Units(r.Student[list[p]], scale)
		}
	}
	return t
}

func (t *tally) of(thetas policy.Thresholds) (errors int64, deferred int) {
	for k, beta := range t.beta {
		theta := thetas[min(k, len(thetas)-1)]
		at, _ := slices.BinarySearch(beta, theta)
		errors += t.master[k][at] + t.student[k][at]
		deferred += at
	}
	return errors, deferred
}
