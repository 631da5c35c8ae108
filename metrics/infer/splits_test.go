package infer

import (
	"testing"
)

// By hand: 1, 2, 3, 4, 5 have the mean 3 and the variance 2.5; t at 95 % with 4 degrees of freedom is 2.776445 (the
// usual tables), and √(2.5·(1/5 + 0.25)) = 1.060660.
func TestIntervalOverSplits(t *testing.T) {
	iv := OverSplits([]float64{1, 2, 3, 4, 5}, 0.25, 0.95)
	if !near(iv.Value, 3, 1e-12) || !near(iv.High-3, 2.944865, 1e-5) || !near(3-iv.Low, 2.944865, 1e-5) {
		t.Errorf("%+v", iv)
	}
	// Without records shared: t·√(2.5/5) = 1.963243.
	if iv := OverSplits([]float64{1, 2, 3, 4, 5}, 0, 0.95); !near(iv.High, 4.963243, 1e-5) {
		t.Errorf("independent: %+v", iv)
	}
	if iv := OverSplits([]float64{2, 2}, 0.25, 0.95); iv.Low != 2 || iv.High != 2 {
		t.Errorf("equal values: %+v", iv)
	}
}

// Of two intervals that hold together at 90 %, each is at 95 %.
func TestIntervalsTogether(t *testing.T) {
	rs := newResamples(t, 1, alone(40), 100)
	both := rs.Together(2)
	if want := 1 - (1-rs.Level())/2; both.Level() != want || rs.Together(1).Level() != rs.Level() {
		t.Errorf("levels %v and %v, want %v and %v", both.Level(), rs.Together(1).Level(), want, rs.Level())
	}
	hit := make([]bool, 40)
	hit[0] = true
	one, err := rs.Rate(hit)
	if err != nil {
		t.Fatal(err)
	}
	wider, err := both.Rate(hit)
	if err != nil {
		t.Fatal(err)
	}
	if !(wider.Low < one.Low && wider.High > one.High) {
		t.Errorf("%v together is not wider than %v", wider, one)
	}
}
