package policy

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// agree fails unless the policy is the brute-force optimum.
func agree(t *rapid.T, p Policy, err error, in instance, pooled bool) {
	t.Helper()
	if err != nil {
		t.Fatalf("%+v: %v", in, err)
	}
	b := newBrute(in.Records, in.Options, pooled)
	theta, d, e, least, feasible := b.best(func(least float64) float64 { return b.limit(in.Options.Target, least) })
	if !slices.Equal([]float64(p.Thresholds), theta) || p.Feasible != feasible ||
		float64(p.Certificate.Value) != d || float64(p.FitError.Units) != e || float64(p.MinError.Units) != least {
		t.Fatalf("%+v\ngot  θ=%v d=%d e=%d min=%d feasible=%t\nwant θ=%v d=%v e=%v min=%v feasible=%t", in,
			p.Thresholds, p.Certificate.Value, p.FitError.Units, p.MinError.Units, p.Feasible, theta, d, e, least, feasible)
	}
	if !p.Certificate.Optimal || p.Certificate.Gap != 0 || p.Certificate.LowerBound != p.Certificate.Value {
		t.Fatalf("certificate %+v of an exact method", p.Certificate)
	}
	out, err := in.Records.Outcome(p.Decide(in.Records))
	if err != nil || out.Error != p.FitError || out.Deferred != p.FitDeferred {
		t.Fatalf("applied: %+v, fitted: %d errors, %d deferred (%v)", out, p.FitError.Units, p.FitDeferred, err)
	}
}

func TestSingleIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		if in.Options.Setting == Oracle && rapid.Bool().Draw(t, "linear") {
			in.Options.Method = Linear
		}
		before := sprint(in)
		p, err := FitSingle(in.Records, in.Options)
		agree(t, p, err, in, true)
		if after := sprint(in); after != before {
			t.Fatalf("the records were %s, are %s", before, after)
		}
	})
}

func TestMultiIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		p, err := FitMulti(in.Records, in.Options)
		agree(t, p, err, in, false)
	})
}

// The Lagrangian bound never exceeds the optimum, and its solution is within
// the budget; so is the grid's.
func TestLagrangianBrackets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		exact, err := FitMulti(in.Records, in.Options)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []Method{Lagrangian, LagrangianGrid} {
			in.Options.Method = m
			p, err := FitMulti(in.Records, in.Options)
			if err != nil {
				t.Fatal(err)
			}
			if p.Feasible != exact.Feasible || p.Feasible && p.FitError.Units > p.Budget.Errors.Units {
				t.Fatalf("%s: %+v breaks its budget", m, p)
			}
			if p.Certificate.LowerBound > exact.Certificate.Value || p.Certificate.Value < exact.Certificate.Value {
				t.Fatalf("%+v\n%s certificate %+v, optimum %d", in, m, p.Certificate, exact.Certificate.Value)
			}
		}
	})
}

func TestFitByHand(t *testing.T) {
	number := func(s string) Target {
		target, err := ParseTarget(s)
		if err != nil {
			t.Fatal(err)
		}
		return target
	}
	for _, tc := range []struct {
		name     string
		records  Records
		options  Options
		theta    float64
		feasible bool
	}{
		{
			name: "the budget of ξ = 0.9 over ten records is one error, not zero", records: Records{
				Beta: []float64{.1, .2, .3, .4, .5, .6, .7, .8, .9, 1}, Student: []float64{1, 1, 0, 1, 0, 0, 0, 1, 0, 0},
			},
			options: Options{Setting: Oracle, Target: number("0.9")}, theta: .5, feasible: true,
		},
		{
			name:    "−0 is a confidence of 0, in order and in ties",
			records: Records{Beta: []float64{math.Copysign(0, -1), 0, 0.5}, Student: []float64{1, 1, 0}},
			options: Options{Setting: Oracle, Target: number("1")}, theta: .5, feasible: true,
		},
		{
			name:    "infeasible: the thresholds of least error",
			records: Records{Beta: []float64{.1, .2, .3}, Student: []float64{1, 0, 1}, Master: []float64{0, 1, 1}},
			options: Options{Target: number("1")}, theta: .2,
		},
	} {
		p, err := FitSingle(tc.records, tc.options)
		if err != nil || p.Thresholds[0] != tc.theta || p.Feasible != tc.feasible {
			t.Errorf("%s: θ=%v feasible=%t, %v; want θ=%v feasible=%t", tc.name, p.Thresholds, p.Feasible, err, tc.theta,
				tc.feasible)
		}
	}
}

// What was never predicted is deferred, and said so.
func TestNeverPredictedClass(t *testing.T) {
	r := Records{Classes: 3, Class: []int{0, 2, 2}, Beta: []float64{.5, .6, .7}, Student: []float64{0, 0, 0},
		Master: []float64{0, 0, 0}}
	p, err := FitMulti(r, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float64{0, math.Inf(1), 0}; !slices.Equal([]float64(p.Thresholds), want) {
		t.Errorf("θ = %v, want %v", p.Thresholds, want)
	}
	if len(p.Warnings) != 1 || p.Warnings[0].Kind != NeverPredicted || p.Warnings[0].Class != 1 {
		t.Errorf("warnings %+v, want one that class 1 is never predicted", p.Warnings)
	}
}
