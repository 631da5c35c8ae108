package dataset

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// Fields say the same in memory and outside of it, and the set has one hash.
func TestTextsAreTheFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(rapid.StringN(1, 5, -1), 0, 4, rapid.ID).Draw(t, "names")
		texts := NewTexts(names)
		inside := &Set{}
		for i := range rapid.IntRange(1, 10).Draw(t, "examples") {
			fields := map[string]string{}
			for _, name := range names {
				fields[name] = rapid.StringN(0, 300, -1).Draw(t, "value")
			}
			if err := texts.Add(fields); err != nil {
				t.Fatal(err)
			}
			inside.Examples = append(inside.Examples, Example{ID: string(rune('a' + i)), Fields: fields})
		}
		order := rapid.Permutation(slices.Collect(indexes(len(inside.Examples)))).Draw(t, "order")
		texts.Order(order)
		outside := &Set{}
		moved := &Set{}
		for _, i := range order {
			e := inside.Examples[i]
			moved.Examples = append(moved.Examples, e)
			e.Fields = nil
			outside.Examples = append(outside.Examples, e)
		}
		outside.Keep(texts)
		if want := Hash(moved.Examples); outside.Hash != want {
			t.Fatalf("hash %s, want %s", outside.Hash, want)
		}
		for i := range order {
			if want, got := moved.Fields(i), outside.Fields(i); !maps.Equal(want, got) {
				t.Fatalf("fields %q, want %q", got, want)
			}
		}
	})
}

func indexes(n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		for i := 0; i < n && yield(i); i++ {
		}
	}
}
