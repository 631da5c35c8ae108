package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// Rival is the comparison of a policy with the best single model, or coin between
// two, that errs no more on the fit part.
type Rival struct {
	Coin  Coin
	Found bool // else no single model errs so rarely, and there is nothing to compare

	Cost  infer.Interval // what the policy costs, as a share of what the rival costs
	Error infer.Interval // errors per query of the policy minus those of the rival
	Free  bool           // the rival costs nothing: Cost is undefined
}

// Verdict is what the interval of the cost says of a policy.
type Verdict string

// The verdicts.
const (
	Cheaper   Verdict = "cheaper"   // the policy costs less than its rival
	Costlier  Verdict = "costlier"  // the rival costs less
	Undecided Verdict = "undecided" // the interval holds both
	Equal     Verdict = "equal"     // they cost the same on every resample
	Unrivaled Verdict = "unrivaled" // no single model errs so rarely
)

// rounding is how far sums of equal costs may differ.
const rounding = 1e-9

// Verdict compares the costs.
func (r *Rival) Verdict() Verdict {
	switch {
	case !r.Found:
		return Unrivaled
	case r.Free || r.Cost.Low > 1+rounding:
		return Costlier
	case r.Cost.High < 1-rounding:
		return Cheaper
	case r.Cost.Low >= 1-rounding && r.Cost.High <= 1+rounding:
		return Equal
	}
	return Undecided
}

// Measured are costs and errors of one policy or model, by measured record.
type Measured struct{ Cost, Error []float64 }

// Against measures a policy and its rival on the same resamples, record by record.
func Against(rs *infer.Resamples, ours Measured, models []Measured, rival Coin) (Rival, error) {
	out := Rival{Coin: rival, Found: true}
	var costs, errs [][]float64
	for _, m := range models {
		costs, errs = append(costs, m.Cost), append(errs, m.Error)
	}
	theirs := rival.Mix(costs)
	var err error
	if out.Error, err = rs.Difference(ours.Error, rival.Mix(errs)); err != nil {
		return out, err
	}
	if slices.Max(theirs) == 0 {
		out.Free = true
		return out, nil
	}
	out.Cost, err = ratio(rs, ours.Cost, theirs)
	return out, err
}

// ratio is the interval of Σx/Σy; resamples with Σy = 0 are left out.
func ratio(rs *infer.Resamples, x, y []float64) (infer.Interval, error) {
	value, resampled := sum(x)/sum(y), rs.Sums(x)
	for i, below := range rs.Sums(y) {
		if resampled[i] /= below; below == 0 {
			resampled[i] = math.NaN() // left out
		}
	}
	return rs.IntervalWhereDefined(value, resampled)
}

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

// TurnOf finds the price ratio for a cascade that pays the master on the deferred
// queries. p is the least probability of asking the master at which a coin errs no
// more (MasterShare on the fit part); deferred is what each measured query pays the
// master, and master what it would pay. Nothing is cheaper than a free master.
func TurnOf(rs *infer.Resamples, p float64, student, master, deferred []float64) (Turn, error) {
	out := Turn{Ratio: priceRatio(sum(student), sum(master))}
	if p == 0 || sum(master) == 0 {
		n := rs.Records()
		out.BreakEven = infer.Interval{Level: rs.Level(), N: n, Method: "by definition"}
		return out, nil
	}
	v, err := ratio(rs, deferred, master)
	if err != nil {
		return out, err
	}
	turned := func(share float64) float64 {
		if even := 1 - share/p; even > rounding {
			return even
		}
		return 0
	}
	out.BreakEven = v
	out.BreakEven.Value, out.BreakEven.Low, out.BreakEven.High = turned(v.Value), turned(v.High), turned(v.Low)
	return out, nil
}
