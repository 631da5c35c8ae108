package population

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"infnet/harness/curve"
	"infnet/harness/policy"
	_ "infnet/harness/seed/steady"
	"pgregory.net/rapid"
)

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

// T against curve.Isotonic of the negative, which pools by itself.
func TestDistanceEqualsIsotonic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "bins")
		y, sizes := make([]float64, n), make([]int, n)
		var at, negative []float64 // every record of a bin
		for j := range n {
			y[j] = float64(rapid.IntRange(-5, 5).Draw(t, "mean")) / 5
			sizes[j] = rapid.IntRange(1, 9).Draw(t, "size")
			for range sizes[j] {
				at, negative = append(at, float64(j)), append(negative, -y[j])
			}
		}
		m, err := curve.Isotonic(at, negative)
		if err != nil {
			t.Fatal(err)
		}
		want := 0.0
		for j := range n {
			rest := y[j] + m.At(float64(j))
			want += float64(sizes[j]) * rest * rest
		}
		if got := distance(y, sizes); math.Abs(got-want) > 1e-12 {
			t.Fatalf("T = %v, want %v", got, want)
		}
	})
}

// Expected values by hand: m = .05, b = .1 from √(.9025 − 1 + .2); target
// master: 1 − 2m.
func TestUniformMasterAndSolverAgree(t *testing.T) {
	for _, tc := range []struct {
		name     string
		m, b     float64
		theta    float64
		feasible bool
	}{
		{name: "a budget above the master's error", m: .05, b: .1, theta: .6298437881, feasible: true},
		{name: "target master", m: .2, b: .2, theta: .6, feasible: true},
		{name: "target master, better", m: .01, b: .01, theta: .98, feasible: true},
		{name: "accept all", m: .2, b: .5, theta: 0, feasible: true},
		{name: "the least error", m: .2, b: .18, theta: .8, feasible: true},
		{name: "infeasible", m: .2, b: .17, theta: .8},
		// .7 − √(.49 − 1 + .54) = .7 − √.03
		{name: "below the master's error", m: .3, b: .27, theta: .5267949192, feasible: true},
	} {
		theta, feasible := UniformMaster(tc.m, tc.b)
		tolerance := 1e-9
		if tc.name == "the least error" { // a double root: half the digits
			tolerance = 1e-7
		}
		if math.Abs(theta-tc.theta) > tolerance || feasible != tc.feasible && tolerance == 1e-9 {
			t.Errorf("%s: formula %v, %v, want %v, %v", tc.name, theta, feasible, tc.theta, tc.feasible)
		}
		pop := uniform([]float64{1}, []float64{1}, tc.m)
		for form, solve := range map[string]func(float64) Solution{"single": pop.Single, "multi": pop.Multi} {
			sol := solve(tc.b)
			if tc.name == "the least error" {
				tolerance = 3e-6 // the budget is met within 1e-12, the error is flat there: √(2e-12)
			}
			if math.Abs(sol.Thresholds[0]-tc.theta) > tolerance || sol.Feasible != tc.feasible {
				t.Errorf("%s: %s solver %v, feasible %v, want %v, %v", tc.name, form, sol.Thresholds, sol.Feasible,
					tc.theta, tc.feasible)
			}
			if want := tc.m - tc.m*tc.m/2; math.Abs(sol.MinError-want) > 1e-12 {
				t.Errorf("%s: least error %v, want m − m²/2 = %v", tc.name, sol.MinError, want)
			}
		}
	}
}

// UniformMaster returns the leftmost optimal threshold for β ~ U(0,1), ε_s =
// 1−β and a master that errs with probability m ∈ [0,1] on every query, at
// error budget b ∈ [0,1]:
//
//	θ* = (1−m) − √((1−m)² − 1 + 2b),   0 for b ≥ ½
//
// feasible is false where b < m − m²/2, the least error, and θ is then the 1−m
// that attains it.
func UniformMaster(m, b float64) (theta float64, feasible bool) {
	// (1−m)² − 1 + 2b = m² − 2m + 2b
	square := float64(m*m) + float64(2*(b-m))
	switch {
	case b >= 0.5:
		return 0, true
	case square < 0:
		return 1 - m, false
	}
	return (1 - m) - math.Sqrt(square), true
}

// With falling stairs the problem is a continuous knapsack: defer the steps of
// the largest excess first, the last in part, until the budget is met. The
// solver must defer as much.
func TestMultiOnStairsIsTheContinuousKnapsack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pop, steps := stairs(t)
		b := float64(rapid.IntRange(0, 100).Draw(t, "budget")) / 100
		sol := pop.Multi(b)
		var excess []float64
		total, least, mass := .3, .3, 1/float64(8*len(pop))
		for _, y := range steps {
			excess = append(excess, y)
			total += y * mass
			least += min(y, 0) * mass
		}
		slices.SortFunc(excess, func(a, b float64) int { return cmp.Compare(b, a) })
		want := 0.0
		for _, y := range excess {
			if total <= b || y <= 0 {
				break
			}
			part := min((total-b)/(y*mass), 1)
			want += part * mass
			total -= part * y * mass
		}
		if feasible := least <= b+1e-12; feasible != sol.Feasible || math.Abs(sol.MinError-least) > 1e-12 {
			t.Fatalf("feasible %v with least error %v, want %v with %v", sol.Feasible, sol.MinError, feasible, least)
		}
		if math.Abs(sol.Deferred-want) > 1e-9 || math.Abs(sol.LowerBound-sol.Deferred) > 1e-9 && sol.Feasible {
			t.Fatalf("defers %v (bound %v), want %v", sol.Deferred, sol.LowerBound, want)
		}
		if sol.Feasible && sol.Error > b+1e-9 {
			t.Fatalf("error %v of %v at %v deferred", sol.Error, b, sol.Deferred)
		}
	})
}

// stairs draws a population with β ~ U(0,1) and Δ_k constant on eighths, falling; steps are all its values.
func stairs(t *rapid.T) (pop Population, steps []float64) {
	k := rapid.IntRange(1, 3).Draw(t, "classes")
	for range k {
		var s curve.Steps
		for j := range 8 {
			s.X = append(s.X, float64(j)/8)
			s.Y = append(s.Y, float64(rapid.IntRange(-3, 7).Draw(t, "excess"))/10)
		}
		slices.SortFunc(s.Y, func(a, b float64) int { return cmp.Compare(b, a) })
		pop = append(pop, Class{P: 1 / float64(k), Beta: flat, Master: .3, Excess: s.At, Nodes: s.Breaks()})
		steps = append(steps, s.Y...)
	}
	return pop, steps
}
