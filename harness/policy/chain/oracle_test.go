package chain

import (
	"math/rand/v2"
	"testing"

	"infnet/harness/policy"
	_ "infnet/harness/seed/steady"
)

// On a thousand records of four models the descent is no worse than any chain
// of three it contains, and the bound is above nothing.
func TestSeriesIsNoWorseThanItsChains(t *testing.T) {
	r := seriesWorld(rand.New(rand.NewPCG(3, 3)), 1000)
	target, err := policy.ParseTarget("0.82")
	if err != nil {
		t.Fatal(err)
	}
	p, err := Fit(r, policy.Options{Target: target})
	if err != nil {
		t.Fatal(err)
	}
	if !p.Feasible || p.Bound <= r.Cost[0] || p.Bound > p.Cost {
		t.Errorf("cost %v, bound %v, feasible %v", p.Cost, p.Bound, p.Feasible)
	}
	t.Logf("cost %.3f, bound %.3f, θ = %v, asked %v", p.Cost, p.Bound, p.Thresholds, p.Asked)
	for _, at := range [][3]int{{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}} {
		c, _ := r.three(at)
		q, err := fitThree(c, policy.Options{Target: target})
		if err != nil {
			t.Fatal(err)
		}
		// Both round costs to millionths of the most expensive.
		if q.Feasible && p.Cost > q.Cost+1e-3 {
			t.Errorf("models %v as a chain cost %v, the four %v", at, q.Cost, p.Cost)
		}
	}
}
