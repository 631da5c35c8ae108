package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// Permutation p-values are those of all 2ⁿ sign changes, in the direction seen, but for the draws.
func TestSignFlipByEnumeration(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 6 {
		const n = 10
		x, y, observed := make([]float64, n), make([]float64, n), 0.0
		for i := range n {
			x[i], y[i] = rng.Float64(), rng.Float64()+0.2
			observed += y[i] - x[i]
		}
		reached := 0
		for signs := range 1 << n {
			s := 0.0
			for i := range n {
				if signs>>i&1 == 1 {
					s += y[i] - x[i]
				} else {
					s -= y[i] - x[i]
				}
			}
			reached += tell(s >= math.Abs(observed)-1e-12)
		}
		want := float64(reached) / (1 << n)
		h := &hypothesis{s: &subject{}, x: [][]float64{x}, y: [][]float64{y},
			number: number{lower: true}, q: &Quantity{}}
		if err := h.test(1); err != nil {
			t.Fatal(err)
		}
		if sd := math.Sqrt(want*(1-want)/infer.Permutations) + 1e-3; math.Abs(h.q.P-want) > 5*sd {
			t.Errorf("p = %v, by enumeration %v", h.q.P, want)
		}
	}
}

// One-sided p-values are those of the enumeration, in the direction seen.
func TestOneSidedMcNemarByEnumeration(t *testing.T) {
	for n := range 13 {
		for worse := range n + 1 {
			better := n - worse
			got := oneSided(infer.McNemar(worse, better), float64(worse-better))
			want := tail(n, max(worse, better), 0.5)
			if worse == better {
				want = 1 // nothing was seen
			}
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("%d worse and %d better: p = %v, by enumeration %v", worse, better, got, want)
			}
		}
	}
}

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

// Where few permutations cannot give the p-value that matters, more are drawn.
func TestSmallLevelsGetMorePermutations(t *testing.T) {
	x, y := make([]float64, 60), make([]float64, 60)
	for i := range y {
		y[i] = 1 + float64(i)/100
	}
	p := func(least float64) float64 {
		h := &hypothesis{s: &subject{}, x: [][]float64{x}, y: [][]float64{y}, number: number{lower: true}, q: &Quantity{}}
		if err := h.test(least); err != nil {
			t.Fatal(err)
		}
		return h.q.P
	}
	if usual, small := p(0.01), p(1e-4); usual < 4e-5 || small > 4e-6 {
		t.Errorf("p = %v, and %v where 0.0001 matters", usual, small)
	}
}
