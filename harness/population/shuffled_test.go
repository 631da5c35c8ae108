package population

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// What is shuffled in place of the pairs gives the permutations that the pairs give.
func TestShuffledIsShufflingPairs(t *testing.T) {
	for name, kinds := range map[string]int{"errors of 0 and 1": 2, "the most for a byte": 16, "soft errors": 300} {
		t.Run(name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(3, 4))
			sizes := []int{100, 300, 1, 250}
			pairs := make([][2]float64, 651)
			for i := range pairs {
				pairs[i] = [2]float64{float64(rng.IntN(kinds)) / 7, float64(rng.IntN(kinds)) / 3}
			}
			draw := shuffled(rand.New(rand.NewPCG(5, 6)), slices.Clone(pairs), sizes)
			again := rand.New(rand.NewPCG(5, 6))
			for n := range 10 {
				again.Shuffle(len(pairs), func(a, b int) { pairs[a], pairs[b] = pairs[b], pairs[a] })
				if got, want := draw(), distances(pairs, sizes); got != want {
					t.Fatalf("permutation %d: T = %v, want %v", n, got, want)
				}
			}
		})
	}
}
