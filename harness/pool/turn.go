package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Turn is the price ratio at which the comparison of a cascade of two models with
// its rivals changes.
type Turn struct {
	Ratio     float64        // of the student's cost to the master's, as measured
	BreakEven infer.Interval // the cascade is cheaper below it; 0 = at no price
}

// TurnOf finds the price ratio for a cascade that pays the master on the deferred queries; ours is what it errs, and
// what it pays the master. On every resample the coin is found anew that errs at most the margin more:
//
//	1 − deferred / p
//
// with the least probability p of asking the master; 1 where even the master errs more. Nothing is cheaper than a free
// master, or than a student that errs so rarely.
func TurnOf(rs *infer.Resamples, ours, student, master Measured, margin float64) (Turn, error) {
	out := Turn{Ratio: priceRatio(sum(student.Cost), sum(master.Cost))}
	columns := [][]float64{slices.Repeat([]float64{1}, rs.Records()), ours.Cost, ours.Error, student.Error, master.Cost,
		master.Error}
	sums, never := tallied(rs, columns...), true
	each := make([]float64, len(sums[0]))
	for b := range each {
		p := MasterShare(sums[3][b], sums[5][b], sums[2][b]+float64((margin+slack)*sums[0][b]))
		if math.IsNaN(p) {
			p = 1
		}
		if p == 0 || sums[4][b] == 0 {
			continue
		}
		never = false
		if even := 1 - sums[1][b]/sums[4][b]/p; even > rounding {
			each[b] = even
		}
	}
	var err error
	if out.BreakEven, err = rs.Interval(each[0], each[1:]); never {
		out.BreakEven.Method = "by definition"
	}
	return out, err
}

// Ratio is the ratio of a pair's prices, and the ratio below which one of its thresholds
// makes the pair cheaper than both models and all coins between them; 0 = at no price.
type Ratio struct {
	Now       float64 // the student's mean cost over the master's; +Inf where only the master is free
	BreakEven float64
	At        Candidate // the threshold that allows the highest ratio
}

// Turn finds the highest break-even price ratio of a pair, whatever the threshold then
// errs: 1 − deferred / p, with the share of the master's cost that deferred queries pay, and the least probability p of
// asking the master at which a coin errs no more. At the ratio r and the master's price 1 the pair costs r + deferred,
// and the coin (1 − p)·r + p.
func (f *Found) Turn(p Pair) Ratio {
	student, master := f.Errors[p.Student], f.Errors[p.Master]
	return f.turn(p, func(c Candidate) float64 { // where it errs less than both, the master alone is the nearest rival
		share := MasterShare(student, master, max(master, c.Error+slack))
		if share == 0 {
			return 0
		}
		return 1 - f.deferred(p, c)/share
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
		return 1 - f.deferred(p, c)/share
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
