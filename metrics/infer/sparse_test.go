package infer

import (
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Columns without their zeros have the same bits as whole ones: adding 0 changes no sum.
func TestSparseColumnsAreColumns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(rt, "n")
		groups := rapid.SliceOfN(rapid.SampledFrom([]string{"", "", "", "a", "b"}), n, n).Draw(rt, "groups")
		whole := make([][]float64, rapid.IntRange(1, 5).Draw(rt, "columns"))
		sparse := make([]Sparse, len(whole))
		for j := range whole {
			zeros := rapid.SampledFrom([]int{1, 3, 30}).Draw(rt, "zeros") // many enough are left out
			whole[j] = make([]float64, n)
			for i := range n {
				if rapid.IntRange(0, zeros).Draw(rt, "kept") == 0 {
					whole[j][i] = rapid.Float64Range(-3, 3).Draw(rt, "x")
					sparse[j].Records, sparse[j].Values = append(sparse[j].Records, i), append(sparse[j].Values, whole[j][i])
				}
			}
		}
		value := func(sums []float64) float64 {
			out := 1.0
			for j, s := range sums {
				out += float64(j+1) * s * s
			}
			return out
		}
		rs := newResamples(t, rapid.Uint64().Draw(rt, "seed"), groups, 30)
		want, errWant := rs.Of(value, whole...)
		got, err := rs.OfSparse(value, sparse)
		if got != want || (err == nil) != (errWant == nil) {
			rt.Fatalf("%+v, %v; of whole columns %+v, %v", got, err, want, errWant)
		}
	})
}

// spoiltWhole and correctedWhole turn answers in a whole matrix, cell by cell.
func spoiltWhole(counts []float64, k int, order []int, to int, m float64) []float64 {
	out := slices.Clone(counts)
	for _, c := range order {
		if c != to {
			moved := min(m, out[c*k+c])
			out[c*k+c] -= moved
			out[c*k+to] += moved
			m -= moved
		}
	}
	return out
}

func correctedWhole(counts []float64, k int, order []int, m float64) []float64 {
	out := slices.Clone(counts)
	for _, c := range order {
		for said := range k {
			if said != c {
				moved := min(m, out[c*k+said])
				out[c*k+said] -= moved
				out[c*k+c] += moved
				m -= moved
			}
		}
	}
	return out
}

func TestAnswersTurnAsInAWholeMatrix(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 300 {
		k := 2 + rng.IntN(90)
		whole := make([]float64, k*k)
		for range 1 + rng.IntN(3*k) {
			whole[rng.IntN(k*k)]++
		}
		e := edge{k: k}
		for c, n := range whole {
			if n > 0 {
				e.cells, e.counts = append(e.cells, c), append(e.counts, n)
			}
		}
		e.order = e.bySize()
		m := float64(1 + rng.IntN(20))
		dense := func(cells []int, counts []float64) []float64 {
			if !slices.IsSorted(cells) {
				t.Fatalf("cells out of order: %v", cells)
			}
			out := make([]float64, k*k)
			for j, c := range cells {
				out[c] = counts[j]
			}
			return out
		}
		for _, from := range e.order {
			to := rng.IntN(k)
			if got, want := dense(e.spoilt(from, to, m)), spoiltWhole(whole, k, e.first(from), to, m); !slices.Equal(got, want) {
				t.Fatalf("%d classes, %v answers from %d to %d: %v, want %v", k, m, from, to, got, want)
			}
			if got, want := dense(e.corrected(from, m)), correctedWhole(whole, k, e.first(from), m); !slices.Equal(got, want) {
				t.Fatalf("%d classes, %v answers of %d corrected: %v, want %v", k, m, from, got, want)
			}
		}
	}
}
