package population

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy"
)

var near9 = cmpopts.EquateApprox(0, 1e-9)

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
			sol := uniform(tc.p, tc.delta, 0).Multi(1 - tc.xi)
			if diff := cmp.Diff(tc.theta, one(sol.Thresholds), near9); diff != "" || math.Abs(lambda(sol)-tc.lambda) > 1e-8 {
				t.Errorf("solver: λ* %v, want %v; θ (-want +got):\n%s", lambda(sol), tc.lambda, diff)
			}
			if !sol.Feasible || sol.Error > 1-tc.xi+1e-12 || sol.LowerBound != sol.Deferred || len(sol.Warnings) != 0 {
				t.Errorf("solver: %+v", sol)
			}
		})
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
