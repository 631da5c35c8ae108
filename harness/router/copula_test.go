package router

import (
	"fmt"
	"math"
	"testing"

	"infnet/harness/curve"
)

// The model is the one that the authors' program fits (testdata/make_copula.py), as far as its sums on a grid go.
func TestCopulaIsTheAuthors(t *testing.T) {
	var f struct {
		First, Second []float64
		Theta         float64
		Points        []struct{ T, Deferred, Correct float64 }
	}
	read(t, "copula", &f)
	c := newCopula(f.First, f.Second)
	near(t, "theta", c.theta, f.Theta, 1e-12)
	for _, p := range f.Points {
		near(t, fmt.Sprintf("deferred at %v", p.T), c.deferred(p.T), p.Deferred, 1e-4)
		near(t, fmt.Sprintf("correct at %v", p.T), c.correct(p.T), p.Correct, 1e-3)
	}
	// The best of a fine grid is no better than what was found, and within the budget.
	for _, share := range []float64{0.05, 0.3, 1} {
		at, value := c.best(share)
		if c.deferred(at) > share+1e-9 {
			t.Errorf("%v deferred, more than %v", c.deferred(at), share)
		}
		for k := range 500 {
			x := c.first.low + (c.first.high-c.first.low)*float64(k)/500
			if c.deferred(x) <= share && c.correct(x) > value+1e-9 {
				t.Fatalf("budget %v: %v at %v, found %v at %v", share, c.correct(x), x, value, at)
			}
		}
	}
}

// Masses at the ends move as a whole: 30 of 100 at 0.2 are deferred by a budget of 30 and none by one of 29, and the 50
// at 0.9 are kept unless the budget is everything, as the model has it. A master that is never right is never asked.
func TestFitCopulaAtTheEnds(t *testing.T) {
	n := 100
	first, sure, unsure, wrong := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		first[i], sure[i], unsure[i], wrong[i] = 0.2, 0.95, 0.01, 1
		switch {
		case i >= 50:
			first[i] = 0.9
		case i >= 30:
			first[i] = 0.3 + float64(i)/100
		}
	}
	sure[0], unsure[0] = 0.96, 0.02
	for _, tt := range []struct {
		second         []float64
		most, deferred int
	}{{sure, 29, 0}, {sure, 30, 30}, {sure, 50, 50}, {sure, 99, 50}, {sure, 100, 100}, {unsure, 100, 0}} {
		got, err := FitCopula(first, tt.second, wrong, wrong, tt.most)
		if err != nil || got.Deferred != tt.deferred || math.Abs(got.Modelled.Deferred-float64(tt.deferred)/100) > 0.01 {
			t.Errorf("%d of %d deferred, want %d; %+v, %v", got.Deferred, tt.most, tt.deferred, got.Modelled, err)
		}
	}
	for i := range 20 { // and none between the ends
		first[30+i] = 0.9
	}
	if got, err := FitCopula(first, sure, wrong, wrong, 40); err != nil || got.Deferred != 30 || got.Keeps(0.2) {
		t.Errorf("%d deferred of 30 at the lower of two confidences, %v", got.Deferred, err)
	}
}

// By hand: −ln(1−β) is ln 2 at ½, and a β of 1 counts as the largest below it. On both sides of ½, ln 2β and −ln 2(1−β)
// are ln ½ at ¼ and ln 2 at ¾, and a β of 0 counts as the least above it.
func TestCalibrated(t *testing.T) {
	beta, right := []float64{0.5, 0.75, 0.9, 1, 0.25, 0.3, 0}, []float64{0, 1, 1, 1, 0, 1, 0}
	m, err := calibrateBeta(beta, right, false)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "transformed", []float64{m.transformed(0.5), m.transformed(1)}, []float64{math.Ln2, math.Log(10)}, 1e-14)
	near(t, "at", m.at(0.75), curve.Sigmoid(m.A+m.B*2*math.Ln2), 1e-14)
	two, err := calibrateBeta(beta, right, true)
	if err != nil {
		t.Fatal(err)
	}
	for x, want := range map[float64]float64{0.25: -math.Ln2, 0: -math.Ln2, 0.5: 0, 0.75: math.Ln2, 1: math.Log(5)} {
		near(t, fmt.Sprintf("both sides of ½: %v", x), two.transformed(x), want, 1e-14)
	}
	for _, all := range [][]float64{{0, 0}, {1, 1}, {0.7, 0.7}} { // nothing to learn from: the share that is right
		got, err := Calibrated(all, []float64{0, 1}, true)
		near(t, "equal confidences", got, []float64{0.5, 0.5}, 1e-6)
		if err != nil {
			t.Error(err)
		}
	}
	if got, err := Calibrated([]float64{0.1, 0.9}, []float64{1, 1}, true); err != nil || got[0] != 1 || got[1] != 1 {
		t.Errorf("answers that are all right: %v, %v", got, err)
	}
}
