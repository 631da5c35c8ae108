package recheck

import (
	"cmp"
	"math"
	"slices"

	"infnet/harness/seed"
)

// Draw returns the n candidates that come first in an order that depends on the study's seed, the round and the model
// alone, in that order: a simple random sample. A larger sample of the same round contains a smaller one.
func Draw[T any](study uint64, round, model string, candidates []T, key func(T) string, n int) []T {
	place := seed.Hasher(study, "recheck", round, model)
	type ranked struct {
		at    uint64
		key   string
		value T
	}
	all := make([]ranked, len(candidates))
	for i, c := range candidates {
		k := key(c)
		all[i] = ranked{place(k), k, c}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.key, b.key)) })
	all = slices.CompactFunc(all, func(a, b ranked) bool { return a.key == b.key }) // several datasets may ask alike
	out := make([]T, min(n, len(all)))
	for i := range out {
		out[i] = all[i].value
	}
	return out
}

// A tenth of the sample is asked twice whatever comes, which measures the noise. Of the answers that differ, so many
// are asked once more: each is worth a factor of two in the p-value.
const (
	noiseShare = 10
	coins      = 50
)

// Noisy returns how many of a sample of n, those drawn first, are asked twice in any case.
func Noisy(n int) int { return (n + noiseShare - 1) / noiseShare }

// Again returns which items are asked for a second fresh answer, given the first: those that measure the noise, and
// those that differ from the stored answer, changed answers first. The choice treats the stored and the fresh answer
// alike, so that the tests stay exact.
func Again(items []Item, tolerance float64) []int {
	var out, flipped, moved []int
	for i, it := range items {
		if len(it.Fresh) == 0 {
			continue
		}
		switch {
		case it.flipped():
			flipped = append(flipped, i)
		case it.moved(tolerance):
			moved = append(moved, i)
		}
		if it.Random {
			out = append(out, i)
		}
	}
	out = slices.Concat(out, flipped[:min(coins, len(flipped))], moved[:min(coins, len(moved))])
	slices.Sort(out)
	return slices.Compact(out)
}

// flipped reports whether the first fresh answer is another than the stored one.
func (it *Item) flipped() bool { return differ(&it.Stored, &it.Fresh[0]) == 1 }

// differ is the distance of two answers: 0 or 1.
func differ(a, b *Reading) float64 {
	if a.Answer == b.Answer {
		return 0
	}
	return 1
}

// moved reports whether the confidence differs by more than the tolerance.
func (it *Item) moved(tolerance float64) bool {
	return it.Stored.Scored && it.Fresh[0].Scored && math.Abs(it.Fresh[0].Beta-it.Stored.Beta) > tolerance
}
