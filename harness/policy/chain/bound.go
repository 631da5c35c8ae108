package chain

import (
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/policy"
)

// multipliers is the number of Lagrange multipliers tried for a lower bound.
const multipliers = 40

// lower returns a lower bound on the cost of all thresholds within the budget;
// see Fit. The dual function is concave in λ, so a golden-section search on ln λ
// converges to its maximum. Every value it tries is a valid bound.
func (d *descent) lower(budget int64) int64 {
	var whole int64
	for _, w := range d.weight {
		whole += w
	}
	// λ in weight per unit of error: from nothing to where one error outweighs
	// every cost, as far as sums stay within 64 bits.
	units := float64(d.scale) * float64(d.r.Len())
	lo, hi := calc.Log(1e-3/float64(d.scale)), calc.Log(min(float64(whole)*float64(d.r.Len()), 1e18/units))
	best := int64(0)
	at := func(x float64) int64 {
		v := d.dual(calc.Exp(x), budget)
		best = max(best, v)
		return v
	}
	golden := (math.Sqrt(5) - 1) / 2
	a, b := hi-float64(golden*(hi-lo)), lo+float64(golden*(hi-lo))
	fa, fb := at(a), at(b)
	for range multipliers - 2 {
		if fa < fb {
			lo, a, fa = a, b, fb
			b = lo + float64(golden*(hi-lo))
			fb = at(b)
		} else {
			hi, b, fb = b, a, fa
			a = hi - float64(golden*(hi-lo))
			fa = at(a)
		}
	}
	return best
}

// dual is a lower bound on the weight of all thresholds within the budget, for
// one λ ≥ 0. Everything is rounded down; λ keeps 20 bits, so that its products
// with errors of up to 2³² units are exact.
func (d *descent) dual(lambda float64, budget int64) int64 {
	lambda = math.Float64frombits(math.Float64bits(lambda) &^ (1<<33 - 1))
	price := func(e int64) int64 { return int64(math.Floor(lambda * float64(e))) }
	n := d.r.Len()
	levels := slices.Clone(d.r.Beta[1])
	slices.Sort(levels)
	levels = slices.Compact(levels)
	gains := newPrefixes(len(levels))
	base := int64(0)
	for _, e := range d.err[0] {
		base += price(e)
	}
	least := base
	for i := 0; i < n; {
		for b := d.r.Beta[0][d.order[0][i]]; i < n && d.r.Beta[0][d.order[0][i]] == b; i++ {
			rec := d.order[0][i]
			second := d.weight[1] + price(d.err[1][rec])
			free, paid := int64(math.MaxInt64), d.weight[1]
			for m := 2; m < len(d.err); m++ {
				paid += d.weight[m]
				free = min(free, paid+price(d.err[m][rec]))
			}
			base += second - price(d.err[0][rec])
			rank, _ := slices.BinarySearch(levels, d.r.Beta[1][rec])
			gains.add(rank, free-second)
		}
		least = min(least, base, base+gains.least())
	}
	return least - int64(math.Ceil(math.Nextafter(lambda*float64(budget), math.Inf(1))))
}

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
