package infer

import (
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

// Rows come back as they were, also counts above 15, in any order and from
// several goroutines at once.
func TestPackedCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 70).Draw(rt, "clusters")
		most := rapid.SampledFrom([]uint8{3, 15, 16, 255}).Draw(rt, "most")
		rows := make([][]uint8, rapid.IntRange(1, 5).Draw(rt, "rows"))
		p := newPacked(len(rows), n)
		var wg sync.WaitGroup
		for r := range rows {
			rows[r] = rapid.SliceOfN(rapid.Uint8Range(0, most), n, n).Draw(rt, "counts")
			wg.Go(func() { p.set(r, rows[r]) })
		}
		wg.Wait()
		first := rapid.IntRange(0, len(rows)-1).Draw(rt, "first")
		got := slices.Repeat([]uint8{99}, (len(rows)-first)*n)
		p.get(first, got)
		if want := slices.Concat(rows[first:]...); !slices.Equal(got, want) {
			rt.Fatalf("rows from %d on: %v, want %v", first, got, want)
		}
	})
}
