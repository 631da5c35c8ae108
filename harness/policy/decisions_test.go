package policy

import "testing"

func TestOutcome(t *testing.T) {
	r := Records{Beta: make([]float64, 3), Student: []float64{1, 0, 0.5}, Master: []float64{0, 0.25, 0}}
	for _, tc := range []struct {
		name string
		d    Decisions
		want Outcome
	}{
		{name: "none", d: Decisions{false, false, false}, want: Outcome{3, 0, Count{3 << 31, 1 << 32}}},
		{name: "all", d: Decisions{true, true, true}, want: Outcome{3, 3, Count{1 << 30, 1 << 32}}},
	} {
		if got, err := r.Outcome(tc.d); err != nil || got != tc.want {
			t.Errorf("%s: %+v (%v), want %+v", tc.name, got, err, tc.want)
		}
	}
	if _, err := r.Outcome(make(Decisions, 2)); err == nil {
		t.Error("2 decisions were taken for 3 records")
	}
}
