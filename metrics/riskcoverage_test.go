package metrics_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infnet/metrics"
)

// orders calls f with every order of n places.
func orders(n int, f func([]int)) {
	at := make([]int, n)
	for i := range at {
		at[i] = i
	}
	var permute func(k int)
	permute = func(k int) {
		if k == n {
			f(at)
			return
		}
		for i := k; i < n; i++ {
			at[k], at[i] = at[i], at[k]
			permute(k + 1)
			at[k], at[i] = at[i], at[k]
		}
	}
	permute(0)
}

// areaOf is the definition: the mean over k of the share of misses among the first k.
func areaOf(hits []bool) (area float64) {
	misses := 0.0
	for k, hit := range hits {
		if !hit {
			misses++
		}
		area += misses / float64(k+1)
	}
	return area / float64(len(hits))
}

// AURC is the mean of the definition over all orders that the scores allow, and its least value that over all orders
// there are; a record that is counted twice is two records.
func TestAURCByBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scores := rapid.SliceOfN(rapid.SampledFrom([]float64{0, .25, .5, 1}), 1, 4).Draw(t, "scores")
		hits := rapid.SliceOfN(rapid.Bool(), len(scores), len(scores)).Draw(t, "hits")
		counts := rapid.SliceOfN(rapid.Uint8Range(0, 2), len(scores), len(scores)).Draw(t, "counts")
		var score []float64
		var hit []bool
		for i, n := range counts {
			score = append(score, slices.Repeat(scores[i:i+1], int(n))...)
			hit = append(hit, slices.Repeat(hits[i:i+1], int(n))...)
		}
		area, least := metrics.NewRanking(scores, hits).AURC(counts)
		if len(score) == 0 {
			if !math.IsNaN(area) || !math.IsNaN(least) {
				t.Fatalf("of no records: %v, %v", area, least)
			}
			return
		}
		sum, n, best := 0.0, 0.0, math.Inf(1)
		orders(len(score), func(at []int) {
			ordered := make([]bool, len(at))
			descends := true
			for k, i := range at {
				ordered[k] = hit[i]
				descends = descends && (k == 0 || score[at[k-1]] >= score[i])
			}
			a := areaOf(ordered)
			if best = min(best, a); descends {
				sum, n = sum+a, n+1
			}
		})
		if math.Abs(area-sum/n) > 1e-12 || math.Abs(least-best) > 1e-12 {
			t.Fatalf("%v, %v; by brute force %v, %v", area, least, sum/n, best)
		}
	})
}
