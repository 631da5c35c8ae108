package metrics_test

import (
	"math"
	"testing"

	"infnet/metrics"

	"pgregory.net/rapid"
)

func TestAUROC(t *testing.T) {
	for _, tt := range []struct {
		name    string
		scores  []float64
		hits    []bool
		weights []float64
		want    float64 // by hand: pairs won, ties one half
	}{
		{name: "perfect", scores: []float64{.1, .2, .8, .9}, hits: []bool{false, false, true, true}, want: 1},
		{name: "one pair of four lost", scores: []float64{.1, .4, .35, .8}, hits: []bool{false, false, true, true},
			want: .75},
		{name: "all equal", scores: []float64{.5, .5, .5}, hits: []bool{true, false, true}, want: .5},
		{name: "one outcome only", scores: []float64{.5, .6}, hits: []bool{true, true}, want: math.NaN()},
		{name: "no records", want: math.NaN()},
		{name: "a record that counts for nothing", scores: []float64{.1, .4, .35, .8}, hits: []bool{false, false, true, true},
			weights: []float64{1, 0, 1, 1}, want: 1},
		{name: "a record that counts twice", scores: []float64{.1, .4, .35, .8}, hits: []bool{false, false, true, true},
			weights: []float64{1, 2, 1, 1}, want: 4.0 / 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := metrics.NewRanking(tt.scores, tt.hits).AUROC(tt.weights); math.Abs(got-tt.want) > 1e-12 ||
				math.IsNaN(got) != math.IsNaN(tt.want) {
				t.Errorf("AUROC = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestAUROCIsTheShareOfPairsInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		scores := make([]float64, n)
		hits := make([]bool, n)
		for i := range scores {
			scores[i] = float64(rapid.IntRange(0, 6).Draw(t, "score")) / 6
			hits[i] = rapid.Bool().Draw(t, "hit")
		}
		var won, pairs float64
		for i := range scores {
			for j := range scores {
				if !hits[i] || hits[j] {
					continue
				}
				pairs++
				if scores[i] > scores[j] {
					won++
				} else if scores[i] == scores[j] {
					won += .5
				}
			}
		}
		want := won / pairs // NaN without pairs
		if got := metrics.NewRanking(scores, hits).AUROC(nil); math.Abs(got-want) > 1e-12 ||
			math.IsNaN(got) != math.IsNaN(want) {
			t.Fatalf("AUROC = %v, brute force says %v", got, want)
		}
	})
}

func TestBrierAndECE(t *testing.T) {
	beta := []float64{.2, .4, .6, .8}
	hits := []bool{false, true, false, true}
	// By hand: (.04 + .36 + .36 + .04)/4.
	if got := metrics.Brier(beta, hits); math.Abs(got-.2) > 1e-12 {
		t.Errorf("Brier = %v, want 0.2", got)
	}
	// By hand, two bins of two: |1 − .6| and |1 − 1.4| over 4 records.
	if got := metrics.ECE(beta, hits, 2); math.Abs(got-.2) > 1e-12 {
		t.Errorf("ECE = %v, want 0.2", got)
	}
	// Ties stay in one bin, however many bins are asked for: |2 − 2.25|/3.
	if got := metrics.ECE([]float64{.75, .75, .75}, []bool{true, false, true}, 3); math.Abs(got-.25/3) > 1e-12 {
		t.Errorf("ECE of ties = %v, want %v", got, .25/3)
	}
}
