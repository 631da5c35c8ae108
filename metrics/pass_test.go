package metrics_test

import (
	"math"
	"testing"

	"infnet/metrics"
)

func TestPassAtK(t *testing.T) {
	for _, test := range []struct {
		n, c, k int
		want    float64 // 1 − C(n−c, k)/C(n, k), by hand
	}{
		{5, 0, 1, 0}, {5, 2, 1, 0.4}, {5, 1, 2, 1 - 6./10}, {5, 2, 3, 1 - 1./10}, {5, 3, 3, 1}, {5, 1, 5, 1}, {5, 0, 5, 0},
		{5, 5, 1, 1}, {200, 1, 100, 0.5},
	} {
		if got := metrics.PassAtK(test.n, test.c, test.k); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("pass@%d of %d right in %d: %v, want %v", test.k, test.c, test.n, got, test.want)
		}
	}
}

// Its expectation over c ~ Binomial(n, p), summed exactly, is the probability that one of k is right: it has no bias.
func TestPassAtKHasNoBias(t *testing.T) {
	for _, p := range []float64{0.02, 0.3, 0.9} {
		for n := 1; n <= 8; n++ {
			for k := 1; k <= n; k++ {
				mean, ways := 0.0, 1.0
				for c := 0; c <= n; c++ {
					mean += ways * math.Pow(p, float64(c)) * math.Pow(1-p, float64(n-c)) * metrics.PassAtK(n, c, k)
					ways = ways * float64(n-c) / float64(c+1)
				}
				if want := 1 - math.Pow(1-p, float64(k)); math.Abs(mean-want) > 1e-12 {
					t.Errorf("n = %d, k = %d, p = %v: mean %v, want %v", n, k, p, mean, want)
				}
			}
		}
	}
}
