package policy

import (
	"fmt"
	"math"
	"slices"
)

// ErrorPrice is what an error costs: a key of a study's [policy], and a flag of infnet fit.
type ErrorPrice struct {
	ErrorCost float64 `toml:"error_cost" json:",omitzero" usual:"none" range:"more than 0, up to 1e12" fix:"5.0 prices an error at five units of cost" placeholder:"E" help:"pairs: what an error costs, in the unit of costs. Adds thresholds of least loss (cost plus errors), what each way loses, and from which price on the master alone is right"`
}

// Priced and Abstaining name the methods of policies fitted to the price of an error, and to
// that of a missing answer too.
const (
	Priced     Method = "priced"
	Abstaining Method = "abstaining"
)

// PricePath holds, for every price of an error, the thresholds of least loss on a
// set of records:
//
//	Σ cost of the deferred records + price · Σ errors
//
// They are the vertices of the hull of the frontier: the price is the slope, and
// they change where it is the frontier's shadow price. Class by class the least is
// taken, so it is exact with several thresholds too.
type PricePath struct {
	c    *columns
	hull hullPath
	unit float64 // of the objective, in the records' unit of cost
}

// NewPricePath fits to every price at once: O(N) after a linear sort. The records need
// costs; the options say the setting, and the target that results are set beside.
func NewPricePath(r Records, o Options, single bool) (*PricePath, error) {
	o.Objective, o.Method = Cost, Exact
	c, err := newColumns(r, o)
	if err != nil {
		return nil, err
	}
	p := &PricePath{c: c, hull: newHullPath(c.menus(single)), unit: r.Unit(Cost)}
	c.r = Records{}
	return p, nil
}

func (p *PricePath) Len() int { return len(p.hull.e) }

// From returns the least price of an error at which policy i loses least; it does up
// to where policy i−1 begins, the first at all higher prices.
func (p *PricePath) From(i int) float64 {
	return p.hull.price(p.hull.e[i]) * float64(p.c.scale) * p.unit
}

func (p *PricePath) Thresholds(i int) Thresholds { return thresholds(p.hull.ms, p.hull.choice(i)) }

// At returns the policy of least loss at a price; of several the one of fewest
// errors. Its budget is that of the options' target, which it need not meet.
func (p *PricePath) At(price float64) (Policy, error) {
	if !(price > 0) || math.IsInf(price, 1) {
		return Policy{}, fmt.Errorf("an error priced at %v: want a finite number above 0", price)
	}
	i := 0
	for p.From(i) > price {
		i++
	}
	out := p.c.start(p.c.o, p.hull.ms)
	out.take(p.hull.ms, p.hull.choice(i), -1)
	out.Certificate.Method, out.Feasible = Priced, out.FitError.Units <= out.Budget.Errors.Units
	out.Warnings = slices.DeleteFunc(out.Warnings, func(w Warning) bool { return w.Kind == Infeasible })
	return out, nil
}
