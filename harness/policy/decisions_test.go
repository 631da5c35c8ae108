package policy

import (
	"testing"

	"infnet/harness/seed"
)

// The published random rows defer 813 of 1,600 records, and 405 of 800
// (numpy 2.4.6: (default_rng(42).random(n) < 0.5).sum()).
func TestRandomDeferred(t *testing.T) {
	for _, tc := range []struct {
		n, want int
		p       float64
	}{{n: 1600, p: 0.5, want: 813}, {n: 800, p: 0.5, want: 405}, {n: 800, p: 0, want: 0}, {n: 800, p: 1, want: 800}} {
		if got := RandomDeferred(tc.n, tc.p, seed.NewNumPy(42)).Deferred(); got != tc.want {
			t.Errorf("%d of %d deferred with probability %v, want %d", got, tc.n, tc.p, tc.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	r := Records{Beta: make([]float64, 3), Student: []float64{1, 0, 0.5}, Master: []float64{0, 0.25, 0}}
	for _, tc := range []struct {
		name string
		d    Decisions
		want Outcome
	}{
		{name: "none", d: Decisions{false, false, false}, want: Outcome{3, 0, Count{3 << 31, 1 << 32}}},
		{name: "all", d: Decisions{true, true, true}, want: Outcome{3, 3, Count{1 << 30, 1 << 32}}},
	} {
		if got, err := r.Outcome(tc.d); err != nil || got != tc.want {
			t.Errorf("%s: %+v (%v), want %+v", tc.name, got, err, tc.want)
		}
	}
	if _, err := r.Outcome(make(Decisions, 2)); err == nil {
		t.Error("2 decisions were taken for 3 records")
	}
}
