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
	for k, v := range values {
		var err error
		if out[k], err = rs.Interval(v, each[k]); err != nil {
			return nil, err
		}
	}
	sorted, tail := together(each, rs.Level())
	n := len(each[0])
	cut := int(math.Round(tail * float64(n)))
	for k, v := range values {
		out[k].Low, out[k].High, out[k].Method = min(v, sorted[k][cut-1]), max(v, sorted[k][n-cut]), MethodTogether
	}
	return out, nil
}

// together sorts the resampled values of each statistic, and returns the share of them beyond either end of the
// intervals that hold together.
func together(each [][]float64, level float64) (sorted [][]float64, tail float64) {
	n := len(each[0])
	depth := slices.Repeat([]int{n}, n) // of a resample: how many lie as far out as it, in its furthest statistic
	for k := range each {
		sorted = append(sorted, slices.Sorted(slices.Values(each[k])))
		for b, x := range each[k] {
			below, _ := slices.BinarySearch(sorted[k], x)
			above, _ := slices.BinarySearch(sorted[k], math.Nextafter(x, math.Inf(1)))
			depth[b] = min(depth[b], above, n-below)
		}
	}
	slices.Sort(depth)
	return sorted, float64(depth[min(n-1, int((1-level)*float64(n)))]) / float64(n)
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
