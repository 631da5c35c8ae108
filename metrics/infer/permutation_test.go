package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestSignFlipAgainstTheExactTest(t *testing.T) {
	x := []float64{0.2, 0.5, 0.9, 0.4, 0.7, 0.1, 0.35, 0.8, 0.6, 0.55}
	y := []float64{0.1, 0.45, 0.95, 0.2, 0.5, 0.15, 0.3, 0.6, 0.6, 0.4}
	// SciPy 1.17.1: permutation_test(permutation_type="samples",
	// n_resamples=inf): 0.046875; the standard error of 20,000 draws is 0.0015.
	got, err := SignFlip(stream(1), x, y, nil, 20000)
	if err != nil || !near(got.Statistic, 0.085, 1e-12) || !near(got.P, 0.046875, 0.006) || got.N != 9 ||
		got.Draws != 20000 {
		t.Errorf("%+v, %v; want T = 0.085, p near 0.0469, 9 differing records", got, err)
	}
	back, err := SignFlip(stream(1), y, x, nil, 20000)
	if err != nil || back.P != got.P || back.Statistic != -got.Statistic {
		t.Errorf("with the sides exchanged %+v, want %+v with the other sign", back, got)
	}
	// Each record twice, in a cluster with its copy, is no more evidence.
	var groups []string
	for _, g := range "abcdefghij" {
		groups = append(groups, string(g), string(g))
	}
	twice := func(v []float64) []float64 {
		var out []float64
		for _, e := range v {
			out = append(out, e, e)
		}
		return out
	}
	double, err := SignFlip(stream(1), twice(x), twice(y), groups, 20000)
	if err != nil || double.P != got.P || double.N != 9 {
		t.Errorf("with doubled records %+v, %v; want p = %v", double, err, got.P)
	}
}

func TestPairedTestsOfEqualSides(t *testing.T) {
	x := []float64{1, 2, 3}
	if got, err := SignFlip(stream(1), x, x, nil, 99); err != nil || got.P != 1 || got.N != 0 {
		t.Errorf("sign flip: %+v, %v; want p = 1", got, err)
	}
	cells := []int{0, 1, 3}
	if got, err := SwapCounts(stream(1), cells, cells, 4, sum, nil, 99); err != nil || got.P != 1 || got.N != 0 {
		t.Errorf("swap: %+v, %v; want p = 1", got, err)
	}
	if got, err := SignFlip(stream(1), []float64{1}, []float64{0}, nil, 0); err != nil || got.Draws != Permutations ||
		got.P != 1 {
		t.Errorf("one record: %+v, %v; want p = 1 from the default number of draws", got, err)
	}
}

func TestTheSmallestPValueIsOneInDrawsPlusOne(t *testing.T) {
	x, y := make([]float64, 200), slices.Repeat([]float64{1}, 200)
	got, err := SignFlip(stream(1), x, y, nil, 99)
	if err != nil || got.P != 0.01 {
		t.Errorf("%+v, %v; want p = 1/100: no permutation of 200 equal signs reaches them", got, err)
	}
}

func TestSwapOfAccuracyIsMcNemar(t *testing.T) {
	// Cell 1 is right. 12 records only a has right, 3 only b, 10 both: the
	// swap test's exact p-value is McNemar's, 0.03515625; the standard error
	// of 20,000 draws is 0.0013.
	a := slices.Concat(slices.Repeat([]int{1}, 12), slices.Repeat([]int{0}, 3), slices.Repeat([]int{1}, 10))
	b := slices.Concat(slices.Repeat([]int{0}, 12), slices.Repeat([]int{1}, 3), slices.Repeat([]int{1}, 10))
	right := func(c []float64) float64 { return c[1] / 25 }
	got, err := SwapCounts(stream(2), a, b, 2, right, nil, 20000)
	if err != nil || !near(got.P, McNemar(12, 3), 0.0055) || !near(got.Statistic, 9.0/25, 1e-12) || got.N != 15 {
		t.Errorf("%+v, %v; want p near %v, T = 0.36", got, err, McNemar(12, 3))
	}
}

func TestSwapOfSumsIsSwapOfCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 20).Draw(t, "n")
		cell := rapid.IntRange(0, 2)
		a, b := rapid.SliceOfN(cell, n, n).Draw(t, "a"), rapid.SliceOfN(cell, n, n).Draw(t, "b")
		value := func(c []float64) float64 { return c[0]/(c[1]+1) + c[2] }
		columns := func(cells []int) [][]float64 {
			out := [][]float64{make([]float64, n), make([]float64, n), make([]float64, n)}
			for i, c := range cells {
				out[c][i] = 1
			}
			return out
		}
		counts, err := SwapCounts(stream(3), a, b, 3, value, nil, 50)
		if err != nil {
			t.Fatal(err)
		}
		sums, err := SwapSums(stream(3), columns(a), columns(b), value, nil, 50)
		if err != nil || counts != sums {
			t.Fatalf("%+v by counts, %+v by sums, %v", counts, sums, err)
		}
	})
}

// Where the magnitudes are no exact numbers the sums are equal but for rounding:
// permutations with the data's sum count as reaching it.
func TestFlipsOfInexactMagnitudes(t *testing.T) {
	flipped := func(unit float64) float64 {
		x := slices.Repeat([]float64{unit, -unit, unit}, 20)
		got, err := SignFlip(stream(1), x, make([]float64, 60), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		return got.P
	}
	if got, want := flipped(.1), flipped(1); got != want || got < .01 {
		t.Errorf("p = %v of differences of a tenth, of ones %v", got, want)
	}
}

func TestPairedTestsRefuse(t *testing.T) {
	one := []float64{1}
	for name, err := range map[string]error{
		"no records": second(SignFlip(stream(1), nil, nil, nil, 9)),
		"lengths":    second(SignFlip(stream(1), one, []float64{1, 2}, nil, 9)),
		"groups":     second(SignFlip(stream(1), one, one, []string{"a", "b"}, 9)),
		"draws":      second(SignFlip(stream(1), one, one, nil, -1)),
		"NaN":        second(SignFlip(stream(1), []float64{math.NaN()}, one, nil, 9)),
		"columns":    second(SwapSums(stream(1), nil, nil, sum, nil, 9)),
		"undefined": second(SwapCounts(stream(1), []int{0}, []int{1}, 2, func([]float64) float64 { return math.NaN() },
			nil, 9)),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func second(_ Paired, err error) error { return err }

func TestSwapsAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, k := rapid.IntRange(1, 200).Draw(t, "units"), rapid.SampledFrom([]int{2, 16, 32, 33, 100}).Draw(t, "cells")
		most := rapid.IntRange(1, 2).Draw(t, "records of a unit")
		moves := make([][][2]int, n)
		for i := range moves {
			for range rapid.IntRange(1, most).Draw(t, "records") {
				from := rapid.IntRange(0, k-1).Draw(t, "from")
				moves[i] = append(moves[i], [2]int{from, (from + rapid.IntRange(1, k-1).Draw(t, "to")) % k})
			}
		}
		a, b, wantA, wantB := make([]float64, k), make([]float64, k), make([]float64, k), make([]float64, k)
		swap := swapping(moves, k)
		for p := range uint64(5) {
			swap(&coins{stream: rand.NewPCG(4, p)}, a, b)
			again := &coins{stream: rand.NewPCG(4, p)}
			for _, pairs := range moves {
				if again.toss() == 0 {
					continue
				}
				for _, m := range pairs {
					wantA[m[0]], wantA[m[1]] = wantA[m[0]]-1, wantA[m[1]]+1
					wantB[m[0]], wantB[m[1]] = wantB[m[0]]+1, wantB[m[1]]-1
				}
			}
		}
		if !slices.Equal(a, wantA) || !slices.Equal(b, wantB) {
			t.Fatalf("counts %v and %v, one by one %v and %v", a, b, wantA, wantB)
		}
	})
}
