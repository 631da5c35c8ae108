package pool

import (
	"fmt"
	"math"
)

// Coin asks one of two models, whatever the query: the second with probability P,
// else the first. With P = 0 it is the first model alone.
type Coin struct {
	First, Second int     // positions of models; equal where P = 0
	P             float64 // in [0,1)
}

// Alone is the coin that always asks one model.
func Alone(model int) Coin { return Coin{First: model, Second: model} }

// Single reports whether one model is always asked.
func (c Coin) Single() bool { return c.P == 0 }

// Of is the probability that a model is asked.
func (c Coin) Of(model int) float64 {
	switch {
	case c.P > 0 && model == c.Second:
		return c.P
	case model == c.First:
		return 1 - c.P
	}
	return 0
}

// Value is the expectation of a quantity that each model has, such as its cost.
func (c Coin) Value(of []float64) float64 {
	if c.Single() {
		return of[c.First]
	}
	return float64((1-c.P)*of[c.First]) + float64(c.P*of[c.Second])
}

// Mix is the expectation of a column that each model has, record by record.
func (c Coin) Mix(columns [][]float64) []float64 {
	out := make([]float64, len(columns[c.First]))
	for i, v := range columns[c.First] {
		out[i] = v
		if !c.Single() {
			out[i] = float64((1-c.P)*v) + float64(c.P*columns[c.Second][i])
		}
	}
	return out
}

// Cheapest returns what costs least among the single models and the coins between
// two of them whose expected error is at most most; ok is false where none errs so
// rarely. errors and costs are of the models, in any unit. Costs being equal, fewer
// errors win, then a single model, then the first.
//
// With one bound on the error, some optimum of the linear program over all lotteries has at most two models.
func Cheapest(errors, costs []float64, most float64) (best Coin, ok bool) {
	if len(errors) != len(costs) {
		panic(fmt.Sprintf("pool: %d errors and %d costs", len(errors), len(costs)))
	}
	consider := func(c Coin) {
		if !ok || less(c.Value(costs), c.Value(errors), best.Value(costs), best.Value(errors)) {
			best, ok = c, true
		}
	}
	for i, e := range errors {
		if e <= most {
			consider(Alone(i))
		}
	}
	for i, e := range errors {
		for j, worse := range errors {
			if e < most && worse > most && costs[j] < costs[i] {
				consider(Coin{First: i, Second: j, P: (most - e) / (worse - e)})
			}
		}
	}
	return best, ok
}

// less orders by cost, then by error.
func less(cost, err, otherCost, otherErr float64) bool {
	return cost < otherCost || cost == otherCost && err < otherErr
}

// MasterShare is the least probability of asking the master at which a coin between
// student and master errs at most most; NaN where none does.
func MasterShare(student, master, most float64) float64 {
	switch {
	case student <= most:
		return 0
	case master > most:
		return math.NaN()
	}
	return (student - most) / (student - master)
}

// Ratio is the ratio of a pair's prices, and the ratio below which one of its thresholds
// makes the pair cheaper than both models and all coins between them; 0 = at no price.
type Ratio struct {
	Now       float64 // the student's mean cost over the master's; +Inf where only the master is free
	BreakEven float64
	At        Candidate // the threshold that allows the highest ratio
}

// Turn finds the highest break-even price ratio of a pair, whatever the threshold then
// errs:
//
//	1 − deferred / p
//
// deferred is the share of the master's cost that deferred queries have, and p the least probability of asking the
// master at which a coin errs no more. At the ratio r and the master's price 1 the cascade costs r + deferred, and the
// coin (1 − p)·r + p.
func (f *Found) Turn(p Pair) Ratio {
	student, master := f.Errors[p.Student], f.Errors[p.Master]
	return f.turn(p, func(c Candidate) float64 { // where it errs less than both, the master alone is the nearest rival
		share := MasterShare(student, master, max(master, c.Error+slack))
		if share == 0 { // the student alone errs no more
			return 0
		}
		return max(0, 1-f.deferred(p, c)/share)
	})
}

// TurnAt finds the break-even price ratio of a pair that closes at least so much of the
// gap between the student's error and the master's: with share 1 it errs no more than
// the master. Its rival asks the master with that probability. ok is false where the
// master errs no less than the student, so that there is no gap.
func (f *Found) TurnAt(p Pair, share float64) (out Ratio, ok bool) {
	student, master := f.Errors[p.Student], f.Errors[p.Master]
	if student <= master+slack {
		return Ratio{}, false
	}
	most := student - float64(share*(student-master))
	return f.turn(p, func(c Candidate) float64 {
		if c.Error > most+slack {
			return 0
		}
		return max(0, 1-f.deferred(p, c)/share)
	}), true
}

// turn finds the threshold of the highest ratio.
func (f *Found) turn(p Pair, of func(Candidate) float64) Ratio {
	out := Ratio{Now: priceRatio(f.Costs[p.Student], f.Costs[p.Master])}
	if f.Costs[p.Master] == 0 {
		return out // nothing is cheaper than a free master
	}
	for _, c := range p.proper() {
		if ratio := of(c); ratio > out.BreakEven {
			out.BreakEven, out.At = ratio, c
		}
	}
	return out
}

// deferred is what deferred queries pay the master, as a share of what all would.
func (f *Found) deferred(p Pair, c Candidate) float64 {
	return (c.Cost - f.Costs[p.Student]) / f.Costs[p.Master]
}

// priceRatio is 1 where both are free.
func priceRatio(student, master float64) float64 {
	if student == master {
		return 1
	}
	return student / master
}
