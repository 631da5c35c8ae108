package policy

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestOracleRouter(t *testing.T) {
	r := Records{Beta: make([]float64, 5), Student: []float64{1, 1, 0, 0, 1}, Master: []float64{0, 1, 1, 0, 0}}
	if got, err := OracleRouter(r, true); err != nil || !slices.Equal(got, Decisions{true, true, false, true, true}) {
		t.Errorf("deferred %v (%v), want all but the record the student alone gets right: the master is cheaper", got, err)
	}
	got, err := OracleRouter(r, false)
	if err != nil || !slices.Equal(got, Decisions{true, false, false, false, true}) {
		t.Errorf("deferred %v (%v), want the records the master alone gets right", got, err)
	}
}

// No thresholds make fewer errors than the oracle router, nor as few with fewer
// deferrals.
func TestOracleRouterIsHeadroom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := drawInstance(t)
		in.Options.Objective, in.Records.MasterCost = Deferrals, nil
		p, err := FitMulti(in.Records, in.Options)
		if err != nil {
			t.Fatal(err)
		}
		d, err := OracleRouter(in.Records, false)
		if err != nil {
			t.Fatal(err)
		}
		out, err := in.Records.Outcome(d)
		if err != nil {
			t.Fatal(err)
		}
		if out.Error.Units > p.FitError.Units || out.Error == p.FitError && out.Deferred > p.FitDeferred {
			t.Fatalf("router %+v, policy %+v", out, p)
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
