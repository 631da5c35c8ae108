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
	Saved, Error infer.Interval
	// the same saving against the cheapest single model, or coin between two, that errs no
	// more on these records themselves, found anew in every resample: it looks at their
	// labels, which favours the single models. Where none errs so rarely it is the one that
	// errs least
	Equal infer.Interval
}

// Savings compares each policy with its rival, record by record, and with the single
// models.
func Savings(rs *infer.Resamples, ours, rivals, singles []Measured) ([]Saving, error) {
	n := len(ours)
	values, each := make([]float64, 3*n), make([][]float64, 3*n)
	equal(rs, ours, singles, values[2*n:], each[2*n:])
	for k := range ours {
		x, y := ours[k], rivals[k]
		values[k] = 1 - sum(x.Cost)/sum(y.Cost)
		paid, theirs := rs.Sums(x.Cost), rs.Sums(y.Cost)
		for b := range paid {
			paid[b] = 1 - paid[b]/theirs[b]
		}
		each[k] = paid
		more := make([]float64, len(x.Error))
		for i := range more {
			more[i] = x.Error[i] - y.Error[i]
		}
		values[n+k], each[n+k] = sum(more)/float64(len(more)), rs.Means(more)
	}
	intervals, err := Together(rs, values, each)
	if err != nil {
		return nil, err
	}
	out := make([]Saving, n)
	for k := range out {
		out[k] = Saving{Saved: intervals[k], Error: intervals[n+k], Equal: intervals[2*n+k]}
	}
	return out, nil
}

// equal fills in what policies save at equal error.
func equal(rs *infer.Resamples, ours, singles []Measured, values []float64, each [][]float64) {
	var all []Measured
	all = append(append(all, ours...), singles...)
	costs, errs := make([][]float64, len(all)), make([][]float64, len(all)) // by policy or model, then resample
	for k, m := range all {
		costs[k], errs[k] = append(rs.Means(m.Cost), m.Mean().Cost), append(rs.Means(m.Error), m.Mean().Error)
	}
	n := len(ours)
	e, c := make([]float64, len(singles)), make([]float64, len(singles))
	for k := range ours {
		saved := make([]float64, len(costs[k]))
		for b := range saved {
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
			saved[b] = 1 - costs[k][b]/coin.Value(c)
		}
		last := len(saved) - 1
		values[k], each[k] = saved[last], saved[:last]
	}
}
