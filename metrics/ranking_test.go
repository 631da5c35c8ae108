package metrics_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

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

// By the definition, pair by pair; and the standard error of many samples' AUROCs.
func TestDeLong(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		scores, hits := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i] = float64(rapid.IntRange(0, 6).Draw(t, "score")) / 6
			hits[i] = rapid.Bool().Draw(t, "hit")
		}
		var shares [2][]float64 // of misses, of hits
		for i := range scores {
			won, pairs := 0.0, 0.0
			for j := range scores {
				if hits[i] == hits[j] {
					continue
				}
				pairs++
				if scores[i] == scores[j] {
					won += .5
				} else if scores[i] > scores[j] == hits[i] {
					won++
				}
			}
			kind := 0
			if hits[i] {
				kind = 1
			}
			shares[kind] = append(shares[kind], won/pairs)
		}
		want := math.NaN()
		if len(shares[0]) > 1 && len(shares[1]) > 1 {
			want = math.Sqrt(stat.Variance(shares[0], nil)/float64(len(shares[0])) +
				stat.Variance(shares[1], nil)/float64(len(shares[1])))
		}
		if got := deLong(metrics.NewRanking(scores, hits)); !math.IsNaN(want) && math.Abs(got-want) > 1e-12 {
			t.Fatalf("standard error %v, by the definition %v", got, want)
		}
	})
	rng := rand.New(rand.NewPCG(3, 4))
	var areas, errors []float64
	for range 1000 {
		scores, hits := make([]float64, 400), make([]bool, 400)
		for i := range scores {
			scores[i] = rng.Float64()
			hits[i] = rng.Float64() < scores[i]
		}
		r := metrics.NewRanking(scores, hits)
		areas, errors = append(areas, r.AUROC(nil)), append(errors, deLong(r))
	}
	// The spread of 1,000 values has a standard error of 2.2 %.
	if got, want := stat.Mean(errors, nil), stat.StdDev(areas, nil); math.Abs(got/want-1) > .09 {
		t.Errorf("mean standard error %v, spread of the AUROCs %v", got, want)
	}
}

// deLong is the standard error of the area.
func deLong(r *metrics.Ranking) float64 {
	u, _ := r.DeLong()
	return floats.Norm(u, 2)
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
