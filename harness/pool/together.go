package pool

import (
	"math"
	"slices"
)

// MethodTogether is the method of intervals that hold together, so that a reader may pick the best of them afterwards.
// Each runs from one quantile of its statistic's resampled values to the opposite one, the same quantiles for all,
// chosen so that as many resamples as the level says lie within all intervals (R. Beran, Balanced simultaneous
// confidence sets, 1988). Quantiles, and no multiples of a standard deviation: what a cascade saves at equal error
// has a kink where it errs as a single model does, and quantiles of a monotone function are those of the error.
const MethodTogether = "bootstrap, simultaneous"

// ranked sorts the resampled values of each statistic, and returns the depth of each resample: how many lie as far out
// as it, in its furthest statistic. Depths that are too large to matter at the level are left out.
func ranked(list []tally, level float64) (sorted [][]float64, depth []int) {
	n := len(list[0]) - 1
	depth = slices.Repeat([]int{n}, n)
	most := min(outside(n, level)+1, n-1) // of each statistic, so many lie at this depth at least
	for k, x := range list {
		each := x[1:]
		sorted = append(sorted, slices.Sorted(slices.Values(each)))
		low, high := sorted[k][most], sorted[k][n-1-most]
		for b, x := range each {
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
