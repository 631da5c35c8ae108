package split

import (
	"cmp"
	"slices"
	"strconv"
	"testing"

	"infnet/harness/seed"
)

// Clusters are in the order of their hashes, however many there are.
func TestShuffleIsByHash(t *testing.T) {
	for _, n := range []int{1, 3, 5000} {
		items := make([]Item, n)
		for i := range items {
			items[i].ID = strconv.Itoa(i)
			if i%4 == 3 {
				items[i].Group = "of " + strconv.Itoa(i%100)
			}
		}
		clusters := clustersOf(items)
		shuffle(clusters, 9, "split", "name", "0")
		hash := func(c *cluster) uint64 {
			if c.grouped {
				return seed.Hash(9, "split", "name", "0", "group", c.key)
			}
			return seed.Hash(9, "split", "name", "0", "record", c.key)
		}
		if !slices.IsSortedFunc(clusters, func(a, b *cluster) int { return cmp.Compare(hash(a), hash(b)) }) {
			t.Errorf("%d records: not in order of their hashes", n)
		}
		seen := map[int]bool{}
		for _, c := range clusters {
			for _, i := range c.members {
				seen[i] = true
			}
		}
		if len(seen) != n {
			t.Errorf("%d of %d records", len(seen), n)
		}
	}
}
