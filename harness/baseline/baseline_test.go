package baseline

import (
	"math"
	"slices"
	"testing"

	"infnet/harness/router"
)

// Every line of the table says all that others ask it.
func TestTable(t *testing.T) {
	seen := map[string]Kind{}
	for _, b := range Table() {
		ways := 0
		for _, has := range []bool{b.Place != nil, b.Coin, b.Learns != nil} {
			if has {
				ways++
			}
		}
		if ways != 1 || b.Kind == "" || b.Title == "" {
			t.Errorf("%q: %d of Place, Coin and Learns, title %q", b.Kind, ways, b.Title)
		}
		for _, name := range []string{string(b.Kind), b.Title} {
			if before, taken := seen[name]; taken && before != b.Kind {
				t.Errorf("%s and %s are both called %q", before, b.Kind, name)
			}
			seen[name] = b.Kind
		}
		if l := b.Learns; l != nil && (l.Reads == "" || l.Predicts == nil || l.Label == nil || l.Fit == nil ||
			l.Charge == nil) {
			t.Errorf("%s: its learning is not complete: %+v", b.Kind, l)
		}
		if b.Learns == nil && b.Charge == "" {
			t.Errorf("%s: not said how it is charged", b.Kind)
		}
		if b.Constant && b.Curve != nil {
			t.Errorf("%s takes one model for all, and has a curve", b.Kind)
		}
	}
}

// Errors of three records. The pair's models are right on 1 and 3, and on 2 and
// 3; the chain's third model is right on none.
func TestPlace(t *testing.T) {
	pair := [][]float64{{0, 1, 0}, {1, 0, 0}}
	chain := append(slices.Clone(pair), []float64{1, 1, 1})
	for _, tt := range []struct {
		name string
		kind Kind
		errs [][]float64
		cost []float64
		want []int
	}{
		{"the student", None, chain, []float64{1, 2, 3}, []int{0, 0, 0}},
		{"the master of a pair", All, pair, []float64{1, 2}, []int{1, 1, 1}},
		{"the master of a chain", All, chain, []float64{1, 2, 3}, []int{2, 2, 2}},
		{"equal errors: the student, if it is cheaper", OracleRouter, pair, []float64{1, 2}, []int{0, 1, 0}},
		{"equal errors: the student, if both cost the same", OracleRouter, pair, []float64{1, 1}, []int{0, 1, 0}},
		{"equal errors: the master, if it is cheaper", OracleRouter, pair, []float64{2, 1}, []int{0, 1, 1}},
		{"equal errors in a chain: the first", OracleRouter, chain, []float64{3, 2, 1}, []int{0, 1, 0}},
	} {
		got := Of(tt.kind).Place(Input{Test: Part{Err: tt.errs}, Cost: tt.cost})
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	if got := Of(Fixed).Place(Input{Raw: []float64{.84, .85, .86, math.NaN(), 0}, Threshold: .85}); !slices.Equal(got,
		[]int{1, 0, 0, 1, 1}) {
		t.Errorf("fixed threshold: %v", got)
	}
	if got := Of(OracleRouter).Curve.Score(Part{Err: pair}); !slices.Equal(got, []float64{1, 0, 0.5}) {
		t.Errorf("foresight: %v", got)
	}
}

// Labels, and what is compared with the threshold, by the paper and as released.
func TestLearning(t *testing.T) {
	tie := Answers{Right: true, Student: 0.5, Master: 0.5}
	for _, tt := range []struct {
		kind  Kind
		rules Rules
		label bool    // of two answers that are as good as each other
		at    float64 // compared where the probability is 0.25
	}{
		{FrugalGPT, Rules{}, true, 0.25},
		{FrugalGPT, Rules{Released: true}, true, 0.75},
		{HybridLLM, Rules{}, true, 0.25},
		{HybridLLM, Rules{Released: true}, false, 0.25},
	} {
		l := Of(tt.kind).Learns
		at := 0.25
		if l.Compared != nil {
			at = l.Compared(at, tt.rules)
		}
		if l.Label(tie, tt.rules) != tt.label || at != tt.at {
			t.Errorf("%s, released %v: label %v, compared %v", tt.kind, tt.rules.Released, !tt.label, at)
		}
	}
	// Keeping the one record that the master has wrong is free of errors, and so
	// is deferring the other.
	s := Scored{Score: []float64{0.9, 0.1}, Student: []float64{0, 1}, Master: []float64{1, 0}, Most: 1}
	if got, err := Of(FrugalGPT).Learns.Fit(s, Rules{}); err != nil ||
		got != (router.Threshold{Theta: got.Theta, Kept: 1, Deferred: 1, Feasible: true}) {
		t.Errorf("%+v, %v", got, err)
	}
}
