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
type Saving struct{ Saved, Error infer.Interval }

// Savings compares each policy with its rival, record by record.
func Savings(rs *infer.Resamples, ours, rivals []Measured) ([]Saving, error) {
	n := len(ours)
	values, each := make([]float64, 2*n), make([][]float64, 2*n)
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
		out[k] = Saving{Saved: intervals[k], Error: intervals[n+k]}
	}
	return out, nil
}
