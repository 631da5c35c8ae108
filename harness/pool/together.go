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
	sorted, depth := ranked(each, rs.Level())
	n, tail := len(each[0]), tailOf(depth, rs.Level())
	cut := int(math.Round(tail * float64(n)))
	for k, v := range values {
		out[k].Low, out[k].High, out[k].Method = min(v, sorted[k][cut-1]), max(v, sorted[k][n-cut]), MethodTogether
	}
	return out, nil
}

// ranked sorts the resampled values of each statistic, and returns the depth of each resample: how many lie as far out
// as it, in its furthest statistic. Depths that are too large to matter at the level are left out.
func ranked(each [][]float64, level float64) (sorted [][]float64, depth []int) {
	n := len(each[0])
	depth = slices.Repeat([]int{n}, n)
	most := min(outside(n, level)+1, n-1) // of each statistic, so many lie at this depth at least
	for k := range each {
		sorted = append(sorted, slices.Sorted(slices.Values(each[k])))
		low, high := sorted[k][most], sorted[k][n-1-most]
		for b, x := range each[k] {
			if low < x && x < high {
				continue
			}
			below, _ := slices.BinarySearch(sorted[k], x)
			above, _ := slices.BinarySearch(sorted[k], math.Nextafter(x, math.Inf(1)))
			depth[b] = min(depth[b], above, n-below)
		}
	}
	return sorted, depth
}

// least is the depth of each resample in all statistics of several lists.
func least(depths [][]int) []int {
	out := slices.Clone(depths[0])
	for _, depth := range depths[1:] {
		for b, d := range depth {
			out[b] = min(out[b], d)
		}
	}
	return out
}

// tailOf returns the share of the resamples beyond either end of the intervals that hold together.
func tailOf(depth []int, level float64) float64 {
	n := len(depth)
	return float64(slices.Sorted(slices.Values(depth))[outside(n, level)]) / float64(n)
}

// outside is how many of n resamples may lie outside some interval.
func outside(n int, level float64) int { return min(n-1, int((1-level)*float64(n))) }

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
