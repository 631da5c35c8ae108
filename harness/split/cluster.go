package split

import (
	"cmp"
	"slices"

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
	var out []*cluster
	byGroup := map[string]*cluster{}
	for i, x := range items {
		if x.Group == "" {
			out = append(out, &cluster{key: x.ID, class: x.Class, members: []int{i}})
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
	for _, class := range sortedKeys(count) {
		if count[class] > most {
			best, most = class, count[class]
		}
	}
	return best
}

// shuffle sorts clusters by a hash of their keys: a random order in which adding or
// removing a cluster does not move the others.
func shuffle(clusters []*cluster, studySeed uint64, name ...string) {
	place := make(map[*cluster]uint64, len(clusters))
	for _, c := range clusters {
		kind := "record"
		if c.grouped {
			kind = "group"
		}
		place[c] = seed.Hash(studySeed, slices.Concat(name, []string{kind, c.key})...)
	}
	slices.SortFunc(clusters, func(a, b *cluster) int {
		return cmp.Or(cmp.Compare(place[a], place[b]), cmp.Compare(a.key, b.key))
	})
}
