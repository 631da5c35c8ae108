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
			q: &Quantity{Direction: Lower, New: infer.Interval{Level: 0.95}}}
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
