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
