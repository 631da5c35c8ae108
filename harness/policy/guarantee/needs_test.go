package guarantee

import (
	"math"
	"testing"
)

// Needs by trying all: at the level and the δ found the promise is given, and just below not; and so many records, at
// the same share of errors, flip it, and one nearer does not.
func TestNeedsByTryingAll(t *testing.T) {
	for _, tt := range []struct {
		k, n         int
		level, delta float64
		some         bool // number of records flips it
	}{
		{40, 500, 0.1, 0.05, true}, {30, 500, 0.1, 0.05, true}, {49, 500, 0.1, 0.1, true},
		{60, 500, 0.1, 0.05, false}, {0, 20, 0.1, 0.05, true}, {0, 400, 0.1, 0.05, true},
	} {
		p := Promise{Method: LearnThenTest, Level: tt.level, Delta: tt.delta, Tested: tt.n,
			Tests: []Tested{{Risk: float64(tt.k) / float64(tt.n), P: binomialPValue(tt.k, tt.n, tt.level)}}}
		p.Certified = p.Tests[0].P <= tt.delta
		got, ok := p.Needs()
		if !ok {
			t.Fatalf("%+v: none", tt)
		}
		given := func(n int, level, delta float64) bool {
			return binomialPValue(int(math.Round(p.Tests[0].Risk*float64(n))), n, level) <= delta
		}
		const step = 1e-9
		if !given(tt.n, got.Level+step, tt.delta) || given(tt.n, got.Level-step, tt.delta) ||
			!given(tt.n, tt.level, got.Delta) || given(tt.n, tt.level, got.Delta-step*got.Delta) {
			t.Errorf("%+v: %+v", tt, got)
		}
		if (got.Records > 0) != tt.some {
			t.Errorf("%+v: %+v", tt, got)
		}
		if nearer := got.Records + map[bool]int{true: 1, false: -1}[got.Records < tt.n]; tt.some &&
			(given(got.Records, tt.level, tt.delta) == p.Certified || given(nearer, tt.level, tt.delta) != p.Certified) {
			t.Errorf("%+v, certified %v: %+v", tt, p.Certified, got)
		}
	}
	if _, ok := (Promise{Delta: 0.1, Tested: 10, Untested: true, Tests: []Tested{{P: 1}}}).Needs(); ok {
		t.Error("thresholds that need no test need something")
	}
}
