package policy

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The mixture's expectation is the budget, its value the Lagrangian dual: no
// higher than the best deterministic policy's, and less than one unit below
// its rounded bound.
func TestMixtureMeetsTheBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		f, err := newFrontier(in.Records, in.Options, rapid.Bool().Draw(t, "single"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := f.Mix(in.Options.Target)
		if err != nil {
			t.Fatal(err)
		}
		deferred := 0.0
		for _, chance := range m.Expected(in.Records) {
			deferred += chance
		}
		if math.Abs(deferred-m.Deferred) > 1e-9 {
			t.Fatalf("%+v\nchances of deferral add to %v in %+v", in, deferred, m)
		}
		b := m.Budget.Errors.Float()
		tol := 1e-9 * (1 + m.Value)
		switch all := float64(f.points[f.Len()-1].e) / float64(f.c.scale); {
		case !m.Feasible:
			if !cmp.Equal(m.Strict, m.Lax) || m.Error <= b {
				t.Fatalf("%+v\ninfeasible, but %+v", in, m)
			}
			return
		case b >= all:
			if math.Abs(m.Error-all) > 1e-9 || m.Value != 0 && f.ms[0][0].d == 0 {
				t.Fatalf("%+v\naccepting all is within the budget, but %+v", in, m)
			}
		case math.Abs(m.Error-b) > 1e-9:
			t.Fatalf("%+v\nexpected error %v, budget %v", in, m.Error, b)
		}
		if v := float64(m.Best.Certificate.Value); m.Value > v+tol {
			t.Fatalf("%+v\nthe mixture costs %v, the best policy %v", in, m.Value, v)
		}
		if lower := float64(f.hull.relax(m.Budget.Errors.Units).lower); m.Value > lower+tol || m.Value <= lower-1-tol {
			t.Fatalf("%+v\nthe mixture costs %v, the dual bound rounded up is %v", in, m.Value, lower)
		}
	})
}
