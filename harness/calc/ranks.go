package calc

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

// Ascending returns the places of numbers from the least to the largest, of equal ones the first
// first. NaNs come before all numbers.
func Ascending(x []float64) []int {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(x[i], x[j]) })
	return order
}

// Ties yields, from the least value to the largest, the places at which each value stands. A NaN
// equals nothing and comes first.
func Ties(x []float64) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		order := Ascending(x)
		for start, end := 0, 0; start < len(order); start = end {
			for end = start + 1; end < len(order) && x[order[end]] == x[order[start]]; end++ {
			}
			if !yield(order[start:end]) {
				return
			}
		}
	}
}

// AUROC is the share of pairs of a hit and a miss in which the hit scores higher, ties counting
// half (Mann and Whitney, 1947). It is exact but for its one division; NaN where there are no pairs.
func AUROC(score []float64, hit func(i int) bool) float64 {
	won, hits, misses := 0.0, 0, 0
	for equal := range Ties(score) {
		h := 0
		for _, i := range equal {
			if hit(i) {
				h++
			}
		}
		m := len(equal) - h
		won += float64(float64(h) * (float64(misses) + float64(m)/2))
		hits, misses = hits+h, misses+m
	}
	if hits == 0 || misses == 0 {
		return math.NaN()
	}
	return won / (float64(hits) * float64(misses))
}
