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

// Value is the expectation of a quantity that each model has, such as its cost.
func (c Coin) Value(of []float64) float64 {
	if c.Single() {
		return of[c.First]
	}
	return float64((1-c.P)*of[c.First]) + float64(c.P*of[c.Second])
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
