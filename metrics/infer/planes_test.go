package infer

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// naiveFlips is the sign-flip test's permutation, unit by unit.
func naiveFlips(diff []float64, scale float64) func(*coins) bool {
	observed := 0.0
	for _, d := range diff {
		observed += d
	}
	return func(c *coins) bool {
		t := 0.0
		for _, d := range diff {
			if c.toss() == 1 {
				d = -d
			}
			t += d
		}
		return math.Abs(t) >= math.Abs(observed)-1e-12*scale
	}
}

// Tests of many units count bits; they decide every permutation as going through
// the units does. Differences are multiples of a quarter, of which sums are exact
// in every order, of few magnitudes or of many.
func TestFlipsAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, most := rapid.IntRange(1, 300).Draw(t, "units"), rapid.SampledFrom([]int{1, 3, 8, 9, 40}).Draw(t, "magnitudes")
		diff, scale := make([]float64, n), 0.0
		for i := range diff {
			diff[i] = float64(rapid.IntRange(1, most).Draw(t, "size")) / 4
			if rapid.Bool().Draw(t, "negative") {
				diff[i] = -diff[i]
			}
			scale += math.Abs(diff[i])
		}
		got := flips(stream(3), 40, diff, scale)
		if want := permute(stream(3), 40, n, naiveFlips(diff, scale)); got != want {
			t.Fatalf("%d of 40 permutations reach the data, one by one %d", got, want)
		}
	})
}

// Where the magnitudes are no exact numbers the sums are equal but for rounding:
// permutations with the data's sum count as reaching it.
func TestFlipsOfInexactMagnitudes(t *testing.T) {
	diff := slices.Repeat([]float64{0.1, -0.1, 0.1}, 20)
	exact := slices.Repeat([]float64{1, -1, 1}, 20)
	got, want := flips(stream(1), 0, diff, 6), flips(stream(1), 0, exact, 60)
	if got != want || got < 100 {
		t.Errorf("%d permutations of differences of a tenth reach the data, of ones %d", got, want)
	}
}

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

func BenchmarkSignFlipOfCosts(b *testing.B) {
	x, y := make([]float64, 100_000), make([]float64, 100_000)
	for i := range x {
		x[i] = float64(i % 3 * 9)
	}
	for b.Loop() {
		if _, err := SignFlip(stream(1), x, y, nil, 0); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkSwapCounts(b *testing.B) {
	x, y := make([]int, 100_000), make([]int, 100_000)
	rng := stream(2)
	for i := range x {
		x[i], y[i] = rng.IntN(16), rng.IntN(16)
	}
	value := func(c []float64) float64 { return c[0] / (1 + c[1]) }
	for b.Loop() {
		if _, err := SwapCounts(stream(1), x, y, 16, value, nil, 0); err != nil {
			b.Fatal(err)
		}
	}
}
