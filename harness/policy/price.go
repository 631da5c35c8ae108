package policy

import (
	"fmt"
	"math"
	"slices"
)

// ErrorPrice is what an error costs: a key of a study's [policy], and a flag of infnet fit.
type ErrorPrice struct {
	ErrorCost float64 `toml:"error_cost" json:",omitzero" usual:"none" range:"more than 0, up to 1e12" fix:"5.0 prices an error at five units of cost" placeholder:"E" help:"pairs: what an error costs, in the unit of costs. Adds thresholds of least loss (cost plus errors), and what each way loses"`
}

// Priced and Abstaining name the methods of policies fitted to the price of an error, and to
// that of a missing answer too.
const (
	Priced     Method = "priced"
	Abstaining Method = "abstaining"
)

// FitPriced returns the thresholds of least loss on a set of records at a price of an
// error; of several those of fewest errors:
//
//	Σ cost of the deferred records + price · Σ errors
//
// They are a vertex of the hull of the frontier, whose slope is the price. Class by class
// the least is taken, so it is exact with several thresholds too: O(N) after a linear sort.
// The records need costs; the options say the setting, and the target whose budget is set
// beside the errors, and need not be met.
func FitPriced(r Records, o Options, price float64, single bool) (Policy, error) {
	if !(price > 0) || math.IsInf(price, 1) {
		return Policy{}, fmt.Errorf("an error priced at %v: want a finite number above 0", price)
	}
	o.Objective, o.Method = Cost, Exact
	c, err := newColumns(r, o)
	if err != nil {
		return Policy{}, err
	}
	hull, i := newHullPath(c.menus(single)), 0
	for hull.price(hull.e[i])*float64(c.scale)*r.Unit(Cost) > price {
		i++
	}
	out := c.start(c.o, hull.ms)
	out.take(hull.ms, hull.choice(i), -1)
	out.Certificate.Method, out.Feasible = Priced, out.FitError.Units <= out.Budget.Errors.Units
	out.Warnings = slices.DeleteFunc(out.Warnings, func(w Warning) bool { return w.Kind == Infeasible })
	return out, nil
}
