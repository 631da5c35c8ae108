package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// MethodTogether is the method of intervals that hold together.
const MethodTogether = "bootstrap, simultaneous"

// Together returns intervals of several statistics that all hold at once with the
// level of the resamples: value ± q·sd, where q is the quantile of the largest
// |resampled − value|/sd over the statistics. A reader may pick the best of them
// afterwards (the max-statistic of J. P. Romano and M. Wolf, Stepwise multiple testing
// as formalized data snooping, 2005, in its single-step form; H. White, A reality
// check for data snooping, 2000). Statistics that no resample changes have no width.
func Together(rs *infer.Resamples, values []float64, each [][]float64) ([]infer.Interval, error) {
	out := make([]infer.Interval, len(values))
	spread := make([]float64, len(values))
	var largest []float64
	for k, v := range values {
		var err error
		if out[k], err = rs.Interval(v, each[k]); err != nil {
			return nil, err
		}
		for _, x := range each[k] {
			spread[k] += (x - v) * (x - v)
		}
		spread[k] = math.Sqrt(spread[k] / float64(len(each[k])))
		if largest == nil {
			largest = make([]float64, len(each[k]))
		}
		for b, x := range each[k] {
			if spread[k] > 0 {
				largest[b] = max(largest[b], math.Abs(x-v)/spread[k])
			}
		}
	}
	if len(values) == 0 {
		return nil, nil
	}
	slices.Sort(largest)
	q := infer.Quantile(largest, rs.Level())
	for k, v := range values {
		out[k].Low, out[k].High, out[k].Method = v-q*spread[k], v+q*spread[k], MethodTogether
	}
	return out, nil
}

// Saving is what policies save against their rivals on some records, in intervals that
// hold together: how much less they cost, as a share of the rivals' cost, and how much
// more they err per query.
type Saving struct {
	Saved *infer.Interval // nil = undefined, as the rival costs nothing on these records or some resample
	Error infer.Interval
	// the same saving against the cheapest single model, or coin between two, that errs no
	// more on these records themselves, found anew in every resample: it looks at their
	// labels, which favours the single models. Where none errs so rarely it is the one that
	// errs least; nil = undefined, as for Saved
	Equal   *infer.Interval
	Verdict Verdict // by Equal; where that is undefined, by how often each of the two costs less
}

// Savings compares each policy with its rival, record by record, and with the single
// models.
func Savings(rs *infer.Resamples, ours, rivals, singles []Measured) ([]Saving, error) {
	n := len(ours)
	values, each := make([]float64, 3*n), make([][]float64, 3*n)
	gains := equal(rs, ours, singles, values[2*n:], each[2*n:])
	for k := range ours {
		x, y := ours[k], rivals[k]
		values[k] = saved(sum(x.Cost), sum(y.Cost))
		paid, theirs := rs.Sums(x.Cost), rs.Sums(y.Cost)
		for b := range paid {
			paid[b] = saved(paid[b], theirs[b])
		}
		each[k] = paid
		more := make([]float64, len(x.Error))
		for i := range more {
			more[i] = x.Error[i] - y.Error[i]
		}
		values[n+k], each[n+k] = sum(more)/float64(len(more)), rs.Means(more)
	}
	intervals, err := togetherWhereDefined(rs, values, each)
	if err != nil {
		return nil, err
	}
	out := make([]Saving, n)
	for k := range out {
		out[k] = Saving{Saved: below(intervals[k]), Error: *intervals[n+k], Equal: below(intervals[2*n+k])}
		out[k].Verdict = verdict(out[k].Equal, gains[k], (1-rs.Level())/2/float64(n))
	}
	return out, nil
}

// saved is the share of the rival's cost that is saved: nothing where neither costs
// anything, −∞ where the rival alone does not.
func saved(ours, rival float64) float64 {
	if ours == 0 && rival == 0 {
		return 0
	}
	return 1 - ours/rival
}

// togetherWhereDefined is Together for those statistics that are finite on the records
// and every resample; the others are nil.
func togetherWhereDefined(rs *infer.Resamples, values []float64, each [][]float64) ([]*infer.Interval, error) {
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	var at []int
	var kept []float64
	var resampled [][]float64
	for k, v := range values {
		if finite(v) && !slices.ContainsFunc(each[k], func(x float64) bool { return !finite(x) }) {
			at, kept, resampled = append(at, k), append(kept, v), append(resampled, each[k])
		}
	}
	list, err := Together(rs, kept, resampled)
	out := make([]*infer.Interval, len(values))
	for i, k := range at {
		if err == nil {
			out[k] = &list[i]
		}
	}
	return out, err
}

// below cuts the interval of a saving at 1: nobody saves more than everything.
func below(iv *infer.Interval) *infer.Interval {
	if iv != nil {
		iv.High = min(iv.High, max(1, iv.Value))
	}
	return iv
}

// verdict compares costs at equal error. gains are what is saved, in units of cost, on
// every resample; tail is the share of them that may say the opposite.
func verdict(iv *infer.Interval, gains []float64, tail float64) Verdict {
	if iv != nil {
		switch {
		case iv.Low > 0:
			return Cheaper
		case iv.High < 0:
			return Costlier
		}
		return Undecided
	}
	var more, less int
	for _, g := range gains {
		switch {
		case g > 0:
			more++
		case g < 0:
			less++
		}
	}
	switch most := (1 - tail) * float64(len(gains)); {
	case float64(more) >= most:
		return Cheaper
	case float64(less) >= most:
		return Costlier
	}
	return Undecided
}

// equal fills in what policies save at equal error, as a share, and returns it in units
// of cost, by policy and resample.
func equal(rs *infer.Resamples, ours, singles []Measured, values []float64, each [][]float64) [][]float64 {
	var all []Measured
	all = append(append(all, ours...), singles...)
	costs, errs := make([][]float64, len(all)), make([][]float64, len(all)) // by policy or model, then resample
	for k, m := range all {
		costs[k], errs[k] = append(rs.Means(m.Cost), m.Mean().Cost), append(rs.Means(m.Error), m.Mean().Error)
	}
	n := len(ours)
	e, c := make([]float64, len(singles)), make([]float64, len(singles))
	gains := make([][]float64, n)
	for k := range ours {
		share, gain := make([]float64, len(costs[k])), make([]float64, len(costs[k]))
		for b := range share {
			best := 0
			for m := range singles {
				if e[m], c[m] = errs[n+m][b], costs[n+m][b]; e[m] < e[best] {
					best = m
				}
			}
			coin, ok := Cheapest(e, c, errs[k][b])
			if !ok {
				coin = Alone(best)
			}
			theirs := coin.Value(c)
			share[b], gain[b] = saved(costs[k][b], theirs), theirs-costs[k][b]
		}
		last := len(share) - 1
		values[k], each[k], gains[k] = share[last], share[:last], gain[:last]
	}
	return gains
}
