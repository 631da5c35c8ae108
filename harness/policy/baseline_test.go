package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestRandomExpectation(t *testing.T) {
	r := Records{Beta: make([]float64, 4), Student: []float64{1, 1, 0, 0}, Master: []float64{0, 1, 1, 0}}
	got, err := RandomExpectation(r, 0.25)
	if err != nil {
		t.Fatal(err)
	}
	// By hand: error (0.75·2 + 0.25·2)/4 = 0.5; two records change with the coin,
	// so the variance is 0.25·0.75·2/16.
	want := Expectation{N: 4, P: 0.25, Deferral: 0.25, DeferralSD: math.Sqrt(0.25 * 0.75 / 4), Error: 0.5, ErrorSD: math.Sqrt(0.25 * 0.75 * 2 / 16)}
	if got.Error != want.Error || math.Abs(got.ErrorSD-want.ErrorSD) > 1e-15 || math.Abs(got.DeferralSD-want.DeferralSD) > 1e-15 || got.Deferral != 0.25 {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if _, err := RandomExpectation(r, 1.5); err == nil {
		t.Error("a probability of 1.5 was taken")
	}
	// The mean of draws comes near it, within five standard errors.
	const draws = 4000
	sum, rng := 0.0, rand.New(rand.NewPCG(1, 1))
	for range draws {
		out, err := r.Outcome(RandomDeferred(4, 0.25, rng))
		if err != nil {
			t.Fatal(err)
		}
		sum += out.Error.Rate(4)
	}
	if mean := sum / draws; math.Abs(mean-want.Error) > 5*want.ErrorSD/math.Sqrt(draws) {
		t.Errorf("mean error of %d draws %v, want %v", draws, mean, want.Error)
	}
}

func TestOracleRouter(t *testing.T) {
	r := Records{Beta: make([]float64, 5), Student: []float64{1, 1, 0, 0, 1}, Master: []float64{0, 1, 1, 0, 0}}
	if got, err := OracleRouter(r, true); err != nil || !slices.Equal(got, Decisions{true, true, false, true, true}) {
		t.Errorf("deferred %v (%v), want all but the record the student alone gets right: the master is cheaper", got, err)
	}
	got, err := OracleRouter(r, false)
	if err != nil || !slices.Equal(got, Decisions{true, false, false, false, true}) {
		t.Errorf("deferred %v (%v), want the records the master alone gets right", got, err)
	}
	for _, tc := range []struct {
		name     string
		budget   int64
		deferred int
		feasible bool
	}{
		{name: "the student alone is within the budget", budget: 3, deferred: 0, feasible: true},
		{name: "one error too many", budget: 2, deferred: 1, feasible: true},
		{name: "just reached", budget: 1, deferred: 2, feasible: true},
		{name: "out of reach", budget: 0, deferred: 2, feasible: false},
	} {
		d, feasible, err := OracleRouterAt(r, Budget{Errors: Count{tc.budget, 1}, N: 5})
		if err != nil || d.Deferred() != tc.deferred || feasible != tc.feasible {
			t.Errorf("%s: %d deferred, feasible %t (%v), want %d, %t", tc.name, d.Deferred(), feasible, err, tc.deferred, tc.feasible)
		}
	}
	if _, _, err := OracleRouterAt(r, Budget{Errors: Count{0, 1}, N: 4}); err == nil {
		t.Error("a budget over other records was taken")
	}
}

// No thresholds beat the oracle router at the same budget.
func TestOracleRouterIsHeadroom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		in.Options.Objective, in.Records.MasterCost = Deferrals, nil
		p, err := FitMulti(in.Records, in.Options)
		if err != nil {
			t.Fatal(err)
		}
		d, feasible, err := OracleRouterAt(in.Records, p.Budget)
		if err != nil {
			t.Fatal(err)
		}
		out, err := in.Records.Outcome(d)
		if err != nil {
			t.Fatal(err)
		}
		if p.Feasible && (!feasible || out.Deferred > p.FitDeferred || out.Error.Units > p.Budget.Errors.Units) {
			t.Fatalf("router %+v (feasible %t), policy %+v", out, feasible, p)
		}
	})
}

func TestTrivialPolicies(t *testing.T) {
	r := Records{Beta: make([]float64, 3), Student: []float64{1, 0, 0.5}, Master: []float64{0, 0.25, 0}}
	for _, tc := range []struct {
		name string
		d    Decisions
		want Outcome
	}{
		{name: "none", d: NoneDeferred(3), want: Outcome{3, 0, Count{3 << 31, 1 << 32}}},
		{name: "all", d: AllDeferred(3), want: Outcome{3, 3, Count{1 << 30, 1 << 32}}},
	} {
		if got, err := r.Outcome(tc.d); err != nil || got != tc.want {
			t.Errorf("%s: %+v (%v), want %+v", tc.name, got, err, tc.want)
		}
	}
	if _, err := r.Outcome(NoneDeferred(2)); err == nil {
		t.Error("2 decisions were taken for 3 records")
	}
}

// With costs the same number of deferrals, but the cheapest: the student errs
// on four records of cost 5, 1, 3, 2 and may err on two of them.
func TestOracleRouterAtDefersTheCheapest(t *testing.T) {
	r := Records{
		Beta: []float64{0, 0, 0, 0, 0}, Student: []float64{1, 1, 0, 1, 1}, Master: []float64{0, 0, 0, 0, 0},
		MasterCost: []float64{5, 1, 0, 3, 2},
	}
	target, err := ParseTarget("0.6")
	if err != nil {
		t.Fatal(err)
	}
	d, feasible, err := OracleRouterAt(r, NumericBudget(target, 5, 1))
	if want := (Decisions{false, true, false, false, true}); err != nil || !feasible || !slices.Equal(d, want) {
		t.Errorf("deferred %v (feasible %t, %v), want %v", d, feasible, err, want)
	}
}
