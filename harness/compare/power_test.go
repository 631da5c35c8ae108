package compare

import (
	"math"
	"testing"

	"infnet/metrics/infer"
)

// tail is the probability that of n records that differ, each for the worse with probability p, at least k are, by
// enumeration of all 2ⁿ outcomes.
func tail(n, k int, p float64) (sum float64) {
	for outcome := range 1 << n {
		worse, probability := 0, 1.0
		for i := range n {
			if outcome>>i&1 == 1 {
				worse++
				probability *= p
			} else {
				probability *= 1 - p
			}
		}
		if worse >= k {
			sum += probability
		}
	}
	return sum
}

// The critical number of records is the least at which the enumerated tail is within the level.
func TestCriticalByEnumeration(t *testing.T) {
	for n := range 14 {
		for _, alpha := range []float64{0.2, 0.05, 0.01, 0.001} {
			want := n + 1
			for k := n; k >= 0 && tail(n, k, 0.5) <= alpha; k-- {
				want = k
			}
			if got := critical(alpha, n); got != want {
				t.Errorf("%d records at level %v: critical %d, by enumeration %d", n, alpha, got, want)
			}
		}
	}
}

// What is called detectable is seen with probability 0.8, and one record less is not.
func TestDetectableByEnumeration(t *testing.T) {
	const n = 200
	for _, noise := range []int{0, 2, 4} {
		for _, alpha := range []float64{0.05, 0.01} {
			excess := int(math.Round(detectableRate(alpha, noise, n) * n))
			chance := func(excess int) float64 {
				all := noise + excess
				p := (float64(excess) + float64(noise)/2) / float64(all)
				return tail(all, critical(alpha, all), p)
			}
			if chance(excess) < power || chance(excess-1) >= power {
				t.Errorf("noise %d, level %v: %d records are seen with probability %.3f and %d with %.3f", noise, alpha, excess,
					chance(excess), excess-1, chance(excess-1))
			}
		}
	}
	if d := detectableRate(0.05, 2, 5); d != 0 {
		t.Errorf("on five records of which two differ by chance %v is detectable: three more do not reach the level", d)
	}
}

// Where few permutations cannot give the p-value that matters, more are drawn.
func TestSmallLevelsGetMorePermutations(t *testing.T) {
	x, y := make([]float64, 60), make([]float64, 60)
	for i := range y {
		y[i] = 1 + float64(i)/100
	}
	p := func(least float64) float64 {
		h := &hypothesis{s: &subject{}, x: [][]float64{x}, y: [][]float64{y},
			q: &Quantity{Direction: Lower, New: infer.Interval{Level: 0.95}}}
		if err := h.test(least); err != nil {
			t.Fatal(err)
		}
		return h.q.P
	}
	if usual, small := p(0.01), p(1e-4); usual < 4e-5 || small > 4e-6 {
		t.Errorf("p = %v, and %v where 0.0001 matters", usual, small)
	}
}
