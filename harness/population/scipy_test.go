package population

import (
	"math"
	"slices"
	"testing"

	"infnet/harness/policy"
)

// crossed are 60 records of two classes by formula.
func crossed() policy.Records {
	r := policy.Records{Classes: 2}
	for i := range 60 {
		beta, es, em := float64((i*37+5)%101)/101, 0.0, 0.0
		if float64((i*53+11)%97)/97 > .25+.7*beta*beta {
			es = 1
		}
		if (i*29)%10 == 0 {
			em = 1
		}
		r.Class, r.Beta = append(r.Class, i%2), append(r.Beta, beta)
		r.Student, r.Master = append(r.Student, es), append(r.Master, em)
	}
	return r
}

// The whole way from records to thresholds with kernels. Expected values: f, F,
// Δ and G tabulated at 200,001 points with scipy.stats.norm and the trapezoid
// rule; the leftmost feasible point, and bisection of the level with the global
// minimiser of t·F + G per class; SciPy 1.17.1, NumPy 2.4.6. Good to about 10⁻⁵.
func TestKernelsEqualTabulation(t *testing.T) {
	for _, tc := range []struct {
		name     string
		target   string
		single   bool
		theta    []float64
		deferred float64
		level    float64
		bound    float64
	}{
		{name: "single", target: "0.8", single: true, theta: []float64{0.564685}, deferred: 0.5751718400107566},
		{name: "single, less error", target: "0.85", single: true, theta: []float64{0.717535}, deferred: 0.7279428493462519},
		{name: "multi", target: "0.85", theta: []float64{0.55745, 0.827915}, deferred: 0.7005934778462586,
			level: 0.30240751992452397, bound: 0.7005934778462586},
		{name: "multi, across a jump of θ₀(t)", target: "0.8", theta: []float64{0.39532500000000004, 0.70527},
			deferred: 0.5608288200444778, level: 0.4030177756447997, bound: 0.560716146891042},
	} {
		fit := FitMulti
		if tc.single {
			fit = FitSingle
		}
		sol, err := fit(crossed(), Options{Target: target(t, tc.target)})
		if err != nil {
			t.Fatal(err)
		}
		for k, want := range tc.theta {
			if math.Abs(sol.Thresholds[k]-want) > 3e-5 {
				t.Errorf("%s: θ = %v, want %v", tc.name, sol.Thresholds, tc.theta)
			}
		}
		if math.Abs(sol.Deferred-tc.deferred) > 3e-5 ||
			!tc.single && (math.Abs(sol.Level-tc.level) > 1e-4 || math.Abs(sol.LowerBound-tc.bound) > 1e-4) {
			t.Errorf("%s: defers %v at level %v, bound %v; want %v, %v, %v", tc.name, sol.Deferred, sol.Level, sol.LowerBound,
				tc.deferred, tc.level, tc.bound)
		}
		gap := slices.ContainsFunc(sol.Warnings, func(w policy.Warning) bool { return w.Kind == Duality })
		if gap != (sol.Deferred > sol.LowerBound+1e-9) {
			t.Errorf("%s: warnings %v", tc.name, sol.Warnings)
		}
	}
}
