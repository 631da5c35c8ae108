package population

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy"
)

var near9 = cmpopts.EquateApprox(0, 1e-9)

func uniform(t interface{ Fatal(...any) }, p, delta []float64, m float64) Population {
	pop, err := UniformPopulation(p, delta, m)
	if err != nil {
		t.Fatal(err)
	}
	return pop
}

// one replaces the +Inf of a class that is deferred altogether by the 1 that
// the closed forms give it.
func one(th policy.Thresholds) []float64 {
	out := make([]float64, len(th))
	for i, v := range th {
		out[i] = min(v, 1)
	}
	return out
}

// Expected values: the quadratics of the constraint solved by hand to 10
// digits; the formula and the numeric solver must both give them to 1e-9.
func TestClosedFormsAndSolverAgree(t *testing.T) {
	for _, tc := range []struct {
		name     string
		p, delta []float64
		xi       float64
		theta    []float64
		lambda   float64
	}{
		{name: "single", p: []float64{1}, delta: []float64{1}, xi: .9, theta: []float64{.5527864045}, lambda: 2.2360679775},
		{name: "single, half", p: []float64{1}, delta: []float64{1}, xi: .5, theta: []float64{0}},
		{name: "single, less", p: []float64{1}, delta: []float64{1}, xi: .2, theta: []float64{0}},
		{name: "symmetric", p: []float64{.25, .25, .25, .25}, delta: []float64{.8, .8, .8, .8}, xi: .75,
			// (1 − √(1.64 − 1.2))/.8 = (1 − √.44)/.8, λ = 1/√.44
			theta: []float64{.4208438024, .4208438024, .4208438024, .4208438024}, lambda: 1.5075567229},
		{name: "symmetric, all accepted", p: []float64{.5, .5}, delta: []float64{.8, .8}, xi: .4, theta: []float64{0, 0}},
		{name: "asymmetric", p: []float64{.7, .3}, delta: []float64{1, .5}, xi: .9,
			theta: []float64{.4811254783, .9622509567}, lambda: 1 / (1 - .4811254783)},
		{name: "saturated", p: []float64{.7, .3}, delta: []float64{1, .5}, xi: .95, theta: []float64{.6220355270, 1},
			lambda: 1 / (1 - .6220355270)},
		{name: "three classes", p: []float64{.5, .3, .2}, delta: []float64{1, .9, .8}, xi: .9,
			theta: []float64{.5562398430, .5562398430 / .9, .5562398430 / .8}, lambda: 1 / (1 - .5562398430)},
	} {
		t.Run(tc.name, func(t *testing.T) {
			theta, factor := UniformClasses(tc.p, tc.delta, tc.xi)
			if diff := cmp.Diff(tc.theta, theta, near9); diff != "" || math.Abs(factor-tc.lambda) > 1e-9 {
				t.Errorf("formula: λ* %v, want %v; θ (-want +got):\n%s", factor, tc.lambda, diff)
			}
			sol, err := uniform(t, tc.p, tc.delta, 0).Multi(1 - tc.xi)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.theta, one(sol.Thresholds), near9); diff != "" || math.Abs(lambda(sol)-tc.lambda) > 1e-8 {
				t.Errorf("solver: λ* %v, want %v; θ (-want +got):\n%s", lambda(sol), tc.lambda, diff)
			}
			if !sol.Feasible || sol.Error > 1-tc.xi+1e-12 || sol.LowerBound != sol.Deferred || len(sol.Warnings) != 0 {
				t.Errorf("solver: %+v", sol)
			}
		})
	}
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
		theta, feasible, err := UniformMaster(tc.m, tc.b)
		tolerance := 1e-9
		if tc.name == "the least error" { // a double root: half the digits
			tolerance = 1e-7
		}
		if err != nil || math.Abs(theta-tc.theta) > tolerance || feasible != tc.feasible && tolerance == 1e-9 {
			t.Errorf("%s: formula %v, %v (%v), want %v, %v", tc.name, theta, feasible, err, tc.theta, tc.feasible)
		}
		pop := uniform(t, []float64{1}, []float64{1}, tc.m)
		for form, solve := range map[string]func(float64) (Solution, error){"single": pop.Single, "multi": pop.Multi} {
			sol, err := solve(tc.b)
			if tc.name == "the least error" {
				tolerance = 3e-6 // the budget is met within 1e-12, the error is flat there: √(2e-12)
			}
			if err != nil || math.Abs(sol.Thresholds[0]-tc.theta) > tolerance || sol.Feasible != tc.feasible {
				t.Errorf("%s: %s solver %v, feasible %v (%v), want %v, %v", tc.name, form, sol.Thresholds, sol.Feasible, err,
					tc.theta, tc.feasible)
			}
			if want := tc.m - tc.m*tc.m/2; math.Abs(sol.MinError-want) > 1e-12 {
				t.Errorf("%s: least error %v, want m − m²/2 = %v", tc.name, sol.MinError, want)
			}
		}
	}
}

// On random analytic populations the solver and the formula agree, the excess
// errors inside are equal, and the budget is used up.
func TestSolverEqualsUniformClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(1, 6).Draw(t, "classes")
		p, delta, sum := make([]float64, k), make([]float64, k), 0.0
		for i := range p {
			p[i] = float64(rapid.IntRange(1, 9).Draw(t, "mass"))
			delta[i] = float64(rapid.IntRange(1, 20).Draw(t, "slope")) / 20
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		xi := float64(rapid.IntRange(1, 99).Draw(t, "performance")) / 100
		want, level := UniformClasses(p, delta, xi)
		sol, err := uniform(t, p, delta, 0).Multi(1 - xi)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, one(sol.Thresholds), near9); diff != "" {
			t.Fatalf("θ (-formula +solver):\n%s", diff)
		}
		edge := 1.0 // the error of accepting everything: exactly on the budget, rounding decides whether it binds
		for i := range p {
			edge -= p[i] * delta[i] / 2
		}
		if math.Abs(lambda(sol)-level) > 1e-6*(1+level) && math.Abs(edge-(1-xi)) > 1e-12 {
			t.Fatalf("λ* %v, formula %v", lambda(sol), level)
		}
		for k, theta := range sol.Thresholds {
			if x := 1 - delta[k]*theta; theta > 0 && theta < 1 && math.Abs(x-sol.Level) > 1e-9 {
				t.Fatalf("class %d has excess %v inside, the level is %v", k, x, sol.Level)
			}
		}
		if sol.Binding && math.Abs(sol.Error-(1-xi)) > 1e-9 {
			t.Fatalf("the error is %v of a budget of %v that binds", sol.Error, 1-xi)
		}
	})
}

func TestClosedFormsRefuse(t *testing.T) {
	for _, err := range []error{
		func() error { _, _, err := UniformMaster(-1, .5); return err }(),
		func() error { _, err := UniformPopulation([]float64{.5, .4}, []float64{1, 1}, 0); return err }(),
		func() error { _, err := UniformPopulation([]float64{1}, nil, 0); return err }(),
		func() error { _, err := (Population{}).Multi(.1); return err }(),
	} {
		if err == nil {
			t.Error("bad input is no error")
		}
	}
	pop := uniform(t, []float64{1}, []float64{1}, 0)
	for _, b := range []float64{-.1, 1.1, math.NaN()} {
		if _, err := pop.Single(b); err == nil || !strings.Contains(err.Error(), "budget") {
			t.Errorf("budget %v: %v", b, err)
		}
	}
	// ξ = 1 asks for no error at all: everything is deferred, up to rounding.
	if sol, err := pop.Single(0); err != nil || !sol.Feasible || sol.Deferred < 1-1e-7 {
		t.Errorf("no error allowed: %+v, %v", sol, err)
	}
}

// Records drawn from the population of the closed forms give its thresholds
// back, and the closed form is what the general solver finds: to 1e-6 in the
// oracle setting, where it takes the solver's place. Expected thresholds:
// ALGORITHMS' vector p = (.7, .3), δ = (1, .5), ξ = .9.
func TestUniformLineFindsTheClosedForm(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 7))
	var r policy.Records
	r.Classes = 2
	for range 40000 {
		k, delta := 0, 1.0
		if rng.Float64() < .3 {
			k, delta = 1, .5
		}
		beta, e := rng.Float64(), 0.0
		if rng.Float64() < 1-delta*beta {
			e = 1
		}
		r.Class, r.Beta, r.Student = append(r.Class, k), append(r.Beta, beta), append(r.Student, e)
	}
	target, err := policy.ParseTarget("0.9")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Setting: policy.Oracle, Target: target, Method: UniformLine}
	got, err := FitMulti(r, o)
	if err != nil {
		t.Fatal(err)
	}
	for k, want := range []float64{.4811254783, .9622509567} {
		if math.Abs(got.Thresholds[k]-want) > .03 {
			t.Errorf("θ of class %d is %v, want %v", k, got.Thresholds[k], want)
		}
	}
	e, err := New(r, o)
	if err != nil {
		t.Fatal(err)
	}
	s := e.Population.prepare()
	b, least := s.budget(target)
	for k, theta := range s.solve(b, least, false).Thresholds {
		if math.Abs(theta-got.Thresholds[k]) > 1e-6 {
			t.Errorf("class %d: the solver finds %v, the closed form is %v", k, theta, got.Thresholds[k])
		}
	}
	assumed := 0
	for _, w := range got.Warnings {
		if w.Kind == Assumed {
			assumed++
		}
	}
	if assumed != 2 {
		t.Errorf("%d of 2 classes say what is assumed: %v", assumed, got.Warnings)
	}
}

// Expected values: scipy 1.17.1, kstest(x, "uniform"): D = .0719772, exact
// p = .6513, in the limit .6781.
func TestUniformity(t *testing.T) {
	x := make([]float64, 100)
	for i := range x {
		x[i] = math.Pow((float64(i)+.5)/100, 1.2)
	}
	d, p := uniformity(x)
	if math.Abs(d-0.07197717434334944) > 1e-12 || math.Abs(p-.6513) > .02 {
		t.Errorf("D = %v, p = %v", d, p)
	}
	for i := range x {
		x[i] = .9 + .1*float64(i)/100
	}
	if d, p := uniformity(x); d < .89 || p > 1e-12 {
		t.Errorf("confidences above .9: D = %v, p = %v", d, p)
	}
}
