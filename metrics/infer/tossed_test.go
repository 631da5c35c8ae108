package infer

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Sums over the units whose coin comes up are those of tossing one by one, for
// any number of units, columns, permutations and threads. Values are multiples of
// a quarter, of which sums are exact in every order.
func TestTossedAsOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, draws := rapid.IntRange(0, 400).Draw(t, "units"), rapid.IntRange(1, 12).Draw(t, "draws")
		columns := make([][]float64, rapid.IntRange(1, 3).Draw(t, "columns"))
		want := make([][]float64, len(columns))
		for c := range columns {
			want[c] = make([]float64, draws)
			for range n {
				columns[c] = append(columns[c], float64(rapid.IntRange(-9, 9).Draw(t, "value"))/4)
			}
		}
		for p := range draws {
			coin := &coins{stream: rand.NewPCG(7, uint64(p))}
			for i := range n {
				if coin.toss() == 0 {
					continue
				}
				for c := range columns {
					want[c][p] += columns[c][i]
				}
			}
		}
		old := runtime.GOMAXPROCS(rapid.IntRange(1, 3).Draw(t, "threads"))
		got := tossed(7, draws, columns...)
		runtime.GOMAXPROCS(old)
		for c := range columns {
			if !slices.Equal(got[c], want[c]) {
				t.Fatalf("column %d: %v, want %v", c, got[c], want[c])
			}
		}
	})
}
