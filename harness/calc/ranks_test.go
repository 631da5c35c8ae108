package calc

import (
	"math"
	"slices"
	"testing"
)

func TestTies(t *testing.T) {
	var got [][]int
	for equal := range Ties([]float64{2, math.NaN(), 1, 2, math.Copysign(0, -1), 0, math.NaN()}) {
		got = append(got, slices.Clone(equal))
	}
	want := [][]int{{1}, {6}, {4, 5}, {2}, {0, 3}} // by hand: −0 equals 0, NaN nothing
	if !slices.EqualFunc(got, want, slices.Equal) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAUROC(t *testing.T) {
	score, hits := []float64{0.1, 0.4, 0.35, 0.8}, []bool{false, false, true, true}
	// The example of scikit-learn's roc_auc_score: three of four pairs.
	if got := AUROC(score, func(i int) bool { return hits[i] }); got != 0.75 {
		t.Errorf("%v, want 0.75", got)
	}
	if got := AUROC(score, func(int) bool { return true }); !math.IsNaN(got) {
		t.Errorf("hits alone have the area %v, want NaN", got)
	}
}
