package doubt

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestAtPlaceIsSorting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 0.5, 1}))
		x := rapid.SliceOfN(number, 1, 60).Draw(t, "x")
		place := rapid.IntRange(0, len(x)-1).Draw(t, "place")
		want := slices.Sorted(slices.Values(x))[place]
		if got := atPlace(slices.Clone(x), place); got != want {
			t.Fatalf("%v at place %d of %v, want %v", got, place, x, want)
		}
	})
}
