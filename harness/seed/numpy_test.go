package seed

import (
	"math"
	"math/rand/v2"
	"testing"
)

// The draws of numpy 2.4.6: numpy.random.default_rng(seed).random(n).
func TestNumPyDraws(t *testing.T) {
	for _, tc := range []struct {
		seed uint64
		want []float64
	}{
		{seed: 42, want: []float64{0.7739560485559633, 0.4388784397520523, 0.8585979199113825, 0.6973680290593639,
			0.09417734788764953}},
		{seed: 0, want: []float64{0.6369616873214543, 0.2697867137638703, 0.04097352393619469}},
		{seed: 7, want: []float64{0.625095466604667, 0.8972138009695755, 0.7756856902451935}},
		{seed: 1<<40 + 3, want: []float64{0.7736560850714245, 0.9958573802012665, 0.47317891460392636}},
	} {
		g, r := NewNumPy(tc.seed), rand.New(NewNumPy(tc.seed))
		for i, want := range tc.want {
			if got := r.Float64(); got != want {
				t.Errorf("rand.New(default_rng(%d)) draw %d = %v, want %v", tc.seed, i, got, want)
			}
			if got := g.Float64(); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("default_rng(%d) draw %d = %v, want %v", tc.seed, i, got, want)
			}
		}
	}
}

// The published random rows defer 813 of 1,600 records, and 405 of 800
// (numpy 2.4.6: (default_rng(42).random(n) < 0.5).sum()).
func TestNumPyPublishedRates(t *testing.T) {
	for _, tc := range []struct{ n, want int }{{1600, 813}, {800, 405}} {
		g, deferred := NewNumPy(42), 0
		for range tc.n {
			if g.Float64() < 0.5 {
				deferred++
			}
		}
		if deferred != tc.want {
			t.Errorf("%d of %d deferred, want %d", deferred, tc.n, tc.want)
		}
	}
}
