package guarantee

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"infnet/harness/policy"
)

// The candidates are fitted to half A alone: other records in half B change the
// tests, not what is tested. And what falls back is the reference itself.
func TestChainsProposeFromHalfA(t *testing.T) {
	w := relay{delta: []float64{.9, .97}, last: .05}
	r := w.draw(rand.New(rand.NewPCG(3, 3)), 400)
	h := halves(400)
	number, err := policy.ParseTarget("0.85")
	if err != nil {
		t.Fatal(err)
	}
	first, err := FitChain(r, h, policy.Options{Target: number}, Terms{})
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range h.Test {
		r.Err[0][i], r.Beta[1][i] = 1, .5
	}
	second, err := FitChain(r, h, policy.Options{Target: number}, Terms{})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(first.Tests[0].Thresholds, second.Tests[0].Thresholds) {
		t.Errorf("half B changes the first candidate: %v, %v", first.Tests[0].Thresholds, second.Tests[0].Thresholds)
	}
	inf := math.Inf(1)
	strict, err := policy.ParseTarget("0.999")
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name      string
		o         policy.Options
		errs      [3]float64 // of every answer in half A
		reference string
		want      policy.Thresholds // of the reference alone
	}{
		{"master", policy.Options{Target: policy.Master}, [3]float64{1, 1, 0}, "master", policy.Thresholds{inf, inf}},
		{"the middle one is best", policy.Options{Target: policy.Best}, [3]float64{1, 0, 1}, "model 2",
			policy.Thresholds{inf, 0}},
		{"the first one is best", policy.Options{Target: policy.Best}, [3]float64{0, 1, 1}, "student",
			policy.Thresholds{0, 0}},
		{"student", policy.Options{Target: policy.Student}, [3]float64{1, 0, 0}, "student", policy.Thresholds{0, 0}},
		{"oracle", policy.Options{Setting: policy.Oracle, Target: strict}, [3]float64{1, 1, 1}, "",
			policy.Thresholds{inf, inf}},
	} {
		for m, e := range tc.errs {
			for i := range r.Err[m] {
				r.Err[m][i] = e
			}
			for _, i := range h.Test { // all candidates fail there
				r.Err[m][i] = 1
			}
		}
		got, err := FitChain(r, h, tc.o, Terms{Margin: map[bool]float64{true: .01}[tc.reference != ""]})
		if err != nil {
			t.Fatal(err)
		}
		if got.Reference != tc.reference || !got.Certified || !got.Untested || !slices.Equal(got.Policy.Thresholds, tc.want) {
			t.Errorf("%s: %v of %q, certified %t, untested %t; want %v of %q without a test", tc.name, got.Policy.Thresholds,
				got.Reference, got.Certified, got.Untested, tc.want, tc.reference)
		}
	}
}

func TestFitChainRefuses(t *testing.T) {
	r := relay{delta: []float64{.9, .97}, last: .05}.draw(rand.New(rand.NewPCG(4, 4)), 8)
	for _, tc := range []struct {
		name string
		h    Halves
		g    Terms
		want string
	}{
		{"on average", halves(8), Terms{Method: ConformalRisk, Margin: .1}, `use "ltt"`},
		{"groups without a bound", Halves{Propose: []int{0, 1}, Test: []int{2, 3}, Cluster: []int{0, 0, 1, 1, 2, 2, 3, 3}},
			Terms{Margin: .1}, "say in max_cluster"},
		{"nothing proposes", Halves{Test: []int{2, 3}}, Terms{Margin: .1}, "0 records to propose"},
		{"no margin", halves(8), Terms{}, "margin 0"},
	} {
		if _, err := FitChain(r, tc.h, policy.Options{Target: policy.Master}, tc.g); err == nil ||
			!strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: error %v, want one with %q", tc.name, err, tc.want)
		}
	}
}
