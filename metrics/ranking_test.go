package metrics_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"infnet/metrics"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"
)

func TestAUROC(t *testing.T) {
	for _, tt := range []struct {
		name   string
		scores []float64
		hits   []bool
		counts []uint8
		want   float64 // by hand: pairs won, ties one half
	}{
		{name: "perfect", scores: []float64{.1, .2, .8, .9}, hits: []bool{false, false, true, true}, want: 1},
		{name: "one pair of four lost", scores: []float64{.1, .4, .35, .8}, hits: []bool{false, false, true, true},
			want: .75},
		{name: "all equal", scores: []float64{.5, .5, .5}, hits: []bool{true, false, true}, want: .5},
		{name: "one outcome only", scores: []float64{.5, .6}, hits: []bool{true, true}, want: math.NaN()},
		{name: "no records", want: math.NaN()},
		{name: "a record that counts for nothing", scores: []float64{.1, .4, .35, .8}, hits: []bool{false, false, true, true},
			counts: []uint8{1, 0, 1, 1}, want: 1},
		{name: "a record that counts twice", scores: []float64{.1, .4, .35, .8}, hits: []bool{false, false, true, true},
			counts: []uint8{1, 2, 1, 1}, want: 4.0 / 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := metrics.NewRanking(tt.scores, tt.hits).AUROC(tt.counts); math.Abs(got-tt.want) > 1e-12 ||
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

// The same bits as gonum's curve under the trapezoidal rule, of resampled records with ties.
func TestAUROCHasTheBitsOfGonum(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for n := 1; n < 400; n += 7 {
		scores, hits, counts, weights := make([]float64, n), make([]bool, n), make([]uint8, n), make([]float64, n)
		for i := range scores {
			scores[i], hits[i] = rng.Float64(), rng.Float64() < .7
			if n%2 == 0 {
				scores[i] = float64(rng.IntN(9)) / 9
			}
			counts[i] = uint8(rng.IntN(4))
			weights[i] = float64(counts[i])
		}
		r := metrics.NewRanking(scores, hits)
		order := make([]int, n)
		floats.Argsort(slices.Clone(scores), order)
		for _, tt := range []struct {
			name    string
			counts  []uint8
			weights []float64
		}{{name: "once each"}, {name: "resampled", counts: counts, weights: weights}} {
			var s, w []float64
			var h []bool
			var kinds [2]float64
			for _, i := range order {
				s, h = append(s, scores[i]), append(h, hits[i])
				one := 1.0
				if tt.weights != nil {
					one = weights[i]
					w = append(w, one)
				}
				if hits[i] {
					kinds[1] += one
				} else {
					kinds[0] += one
				}
			}
			want := math.NaN()
			if kinds[0] > 0 && kinds[1] > 0 {
				tpr, fpr, _ := stat.ROC(nil, s, h, w)
				want = integrate.Trapezoidal(fpr, tpr)
			}
			if got := r.AUROC(tt.counts); math.Float64bits(got) != math.Float64bits(want) {
				t.Errorf("%d records, %s: %v, gonum %v", n, tt.name, got, want)
			}
		}
	}
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
