package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Measured are costs and errors of one policy or model, by measured record.
type Measured struct{ Cost, Error []float64 }

func sum(x []float64) float64 {
	s := 0.0
	for _, v := range x {
		s += v
	}
	return s
}

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
	never := true
	turned := func(sums []float64) float64 {
		p := MasterShare(sums[3], sums[5], sums[2]+float64((margin+slack)*sums[0]))
		if math.IsNaN(p) {
			p = 1
		}
		if p == 0 || sums[4] == 0 {
			return 0
		}
		never = false
		if even := 1 - sums[1]/sums[4]/p; even > rounding {
			return even
		}
		return 0
	}
	at := make([]float64, len(columns))
	for k, x := range columns {
		at[k] = sum(x)
	}
	value, sums := turned(at), rs.SumsOf(columns...)
	each := make([]float64, len(sums[0]))
	for b := range each {
		for k := range at {
			at[k] = sums[k][b]
		}
		each[b] = turned(at)
	}
	var err error
	if out.BreakEven, err = rs.Interval(value, each); never {
		out.BreakEven.Method = "by definition"
	}
	return out, err
}
