package pool

import (
	"math"
	"slices"

	"infnet/metrics/infer"
)

// MethodTogether is the method of intervals that hold together.
const MethodTogether = "bootstrap, simultaneous"

// Together returns intervals of several statistics that all hold at once with the
// level of the resamples, so that a reader may pick the best of them afterwards. Each
// runs from one quantile of its statistic's resampled values to the opposite one, the
// same quantiles for all, chosen so that as many resamples as the level says lie within
// all intervals (R. Beran, Balanced simultaneous confidence sets, 1988).
//
// Quantiles, and no multiples of a standard deviation: what a cascade saves at equal
// error has a kink where it errs as a single model does. Just below, the coin of equal
// error asks a much dearer model, just above a cheaper one, so that half of the resampled
// savings are huge and say nothing about the other side. As a function of the error the
// saving is monotone, and quantiles of a monotone function are those of the error.
func Together(rs *infer.Resamples, values []float64, each [][]float64) ([]infer.Interval, error) {
	out := make([]infer.Interval, len(values))
	if len(values) == 0 {
		return nil, nil
	}
	n := len(each[0])
	depth := slices.Repeat([]int{n}, n) // of a resample: how many lie as far out as it, in its furthest statistic
	sorted := make([][]float64, len(values))
	for k, v := range values {
		var err error
		if out[k], err = rs.Interval(v, each[k]); err != nil {
			return nil, err
		}
		sorted[k] = slices.Sorted(slices.Values(each[k]))
		for b, x := range each[k] {
			below, _ := slices.BinarySearch(sorted[k], x)
			above, _ := slices.BinarySearch(sorted[k], math.Nextafter(x, math.Inf(1)))
			depth[b] = min(depth[b], above, n-below)
		}
	}
	slices.Sort(depth)
	cut := depth[min(n-1, int((1-rs.Level())*float64(n)))]
	for k, v := range values {
		out[k].Low, out[k].High, out[k].Method = min(v, sorted[k][cut-1]), max(v, sorted[k][n-cut]), MethodTogether
	}
	return out, nil
}

// Saving is what policies save against their rivals on some records, in intervals that
// hold together: how much less they cost, as a share of the rivals' cost, and how much
// more they err per query.
type Saving struct {
	Saved *infer.Interval // nil = undefined, as the rival costs nothing on these records or some resample
	Error infer.Interval
	// what is saved against the cheapest single model, or coin between two, that errs no
	// more on these records themselves, found anew in every resample: it looks at their
	// labels, which favours the single models. Where none errs so rarely it is the one that
	// errs least. A share of what the dearer of the two costs, below 0 where that is the policy
	Equal   infer.Interval
	Verdict Verdict // by Equal
}

// Savings compares each policy with its rival, record by record, and with the single
// models.
func Savings(rs *infer.Resamples, ours, rivals, singles []Measured) ([]Saving, error) {
	n := len(ours)
	values, each := make([]float64, 3*n), make([][]float64, 3*n)
	equal(rs, ours, singles, values[2*n:], each[2*n:])
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
		out[k] = Saving{Saved: below(intervals[k]), Error: *intervals[n+k], Equal: *intervals[2*n+k]}
		switch {
		case out[k].Equal.Low > 0:
			out[k].Verdict = Cheaper
		case out[k].Equal.High < 0:
			out[k].Verdict = Costlier
		default:
			out[k].Verdict = Undecided
		}
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

// equal fills in what policies save at equal error, on every resample and at last on the records.
func equal(rs *infer.Resamples, ours, singles []Measured, values []float64, each [][]float64) {
	var all []Measured
	all = append(append(all, ours...), singles...)
	costs, errs := make([][]float64, len(all)), make([][]float64, len(all)) // by policy or model, then resample
	for k, m := range all {
		costs[k], errs[k] = append(rs.Means(m.Cost), m.Mean().Cost), append(rs.Means(m.Error), m.Mean().Error)
	}
	n, more := len(ours), unseen(rs)
	e, c := make([]float64, len(singles)), make([]float64, len(singles))
	for k := range ours {
		share := make([]float64, len(costs[k]))
		for b := range share {
			best := 0
			for m := range singles {
				if e[m], c[m] = errs[n+m][b], costs[n+m][b]; e[m] < e[best] {
					best = m
				}
			}
			most := errs[k][b]
			if b < len(more) {
				most += more[b]
			}
			coin, ok := Cheapest(e, c, most)
			if !ok {
				coin = Alone(best)
			}
			share[b] = either(costs[k][b], coin.Value(c))
		}
		last := len(share) - 1
		values[k], each[k] = share[last], share[:last]
	}
}

// either is what the cheaper of the two saves, as a share of the other's cost: below 0 where that is the rival.
func either(ours, rival float64) float64 {
	switch {
	case ours < rival:
		return 1 - ours/rival
	case ours > rival:
		return rival/ours - 1
	}
	return 0
}

// unseen is what the error of a policy may differ from that of a model by records that were not drawn, by resample: as
// if there were one more on which only the policy errs, and one on which only it does not. Where the two disagree on a
// handful of records, or on none, resampling these alone knows of no other error. The two records are drawn as often as
// the first and the last of the others.
func unseen(rs *infer.Resamples) []float64 {
	n := rs.Records()
	first, last := make([]float64, n), make([]float64, n)
	first[0], last[n-1] = 1, 1
	out, gone := rs.Sums(first), rs.Sums(last)
	for b := range out {
		out[b] = (out[b] - gone[b]) / float64(n)
	}
	return out
}
