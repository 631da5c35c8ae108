package split

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// Alone says what Split says, also where it refuses.
func TestAloneIsSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfN(rapid.StringMatching("[ab]{0,6}"), 0, 40).Draw(t, "ids")
		if rapid.Bool().Draw(t, "different") {
			slices.Sort(ids)
			ids = slices.Compact(ids)
		}
		o := Options{
			Seed: rapid.Uint64().Draw(t, "seed"), Name: rapid.SampledFrom([]string{"fit", ""}).Draw(t, "name"),
			Fit:    rapid.SampledFrom([]float64{.8, .29, .01, .999, 0, 1}).Draw(t, "share"),
			Order:  rapid.SampledFrom([]Order{"", Shuffled, InFile, "odd"}).Draw(t, "order"),
			Repeat: rapid.SampledFrom([]int{0, 0, 1, -1}).Draw(t, "repeat"),
		}
		items := make([]Item, len(ids))
		for i, id := range ids {
			items[i] = Item{ID: id, Class: -1}
		}
		want, errWant := Split(o, items)
		got, err := Alone(o, len(ids), func(i int) string { return ids[i] })
		if fmt.Sprint(err) != fmt.Sprint(errWant) {
			t.Fatalf("%v, want %v", err, errWant)
		}
		if !slices.Equal(got.Fit, want.Fit) || !slices.Equal(got.Test, want.Test) || got.Repeat != want.Repeat ||
			got.Graph.Hash != want.Graph.Hash {
			t.Fatalf("%+v, want %+v", got, want)
		}
	})
}
