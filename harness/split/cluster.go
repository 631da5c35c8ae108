package split

import (
	"cmp"
	"maps"
	"slices"

	"infnet/harness/radix"
	"infnet/harness/seed"
)

// cluster is a set of records that stay together: a group, or a single record.
type cluster struct {
	key     string // the group's name, or the record's id
	grouped bool
	class   int   // of most members
	members []int // positions, ascending
}

// clustersOf returns the clusters in the order of their first records.
func clustersOf(items []Item) []*cluster {
	out := make([]*cluster, 0, len(items))
	byGroup := map[string]*cluster{}
	single := make([]struct {
		cluster
		member [1]int
	}, len(items))
	for i, x := range items {
		if x.Group == "" {
			c := &single[i]
			c.member[0] = i
			c.cluster = cluster{key: x.ID, class: x.Class, members: c.member[:]}
			out = append(out, &c.cluster)
			continue
		}
		c, ok := byGroup[x.Group]
		if !ok {
			c = &cluster{key: x.Group, grouped: true}
			byGroup[x.Group] = c
			out = append(out, c)
		}
		c.members = append(c.members, i)
	}
	for _, c := range out {
		if c.grouped {
			c.class = commonest(items, c.members)
		}
	}
	return out
}

// commonest returns the class of most members, the lowest of equals.
func commonest(items []Item, members []int) int {
	count := map[int]int{}
	for _, i := range members {
		count[items[i].Class]++
	}
	best, most := 0, 0
	for _, class := range slices.Sorted(maps.Keys(count)) {
		if count[class] > most {
			best, most = class, count[class]
		}
	}
	return best
}

// shuffle sorts clusters by a hash of their keys: a random order in which adding or
// removing a cluster does not move the others.
func shuffle(clusters []*cluster, studySeed uint64, name ...string) {
	unsorted := slices.Clone(clusters)
	name = append(slices.Clone(name), "", "")
	place, _ := byHash(len(clusters), func(i int) uint64 {
		c := unsorted[i]
		name[len(name)-2], name[len(name)-1] = "record", c.key
		if c.grouped {
			name[len(name)-2] = "group"
		}
		return seed.Hash(studySeed, name...)
	}, func(i int) string { return unsorted[i].key })
	for i, p := range place {
		clusters[i] = unsorted[p.Value]
	}
}

// byHash sorts n things by their hashes, equal ones by their keys; again says that two have one hash and one key.
func byHash(n int, hash func(i int) uint64, key func(i int) string) (place []radix.Pair, again bool) {
	place = make([]radix.Pair, n)
	for i := range place {
		place[i] = radix.Pair{Key: hash(i), Value: int64(i)}
	}
	radix.Sort(place, make([]radix.Pair, n))
	for from := 0; from < n; {
		to := from + 1
		for to < n && place[to].Key == place[from].Key {
			to++
		}
		same := place[from:to]
		slices.SortStableFunc(same, func(a, b radix.Pair) int { return cmp.Compare(key(int(a.Value)), key(int(b.Value))) })
		for k := 1; k < len(same); k++ {
			again = again || key(int(same[k-1].Value)) == key(int(same[k].Value))
		}
		from = to
	}
	return place, again
}
