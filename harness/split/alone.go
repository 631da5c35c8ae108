package split

import (
	"strconv"

	"infnet/harness/radix"
	"infnet/harness/seed"
)

// Alone is Split of n records without groups and classes, for records of which there are many: the graph of the parts
// has its hash, and lists no ids. id returns the id of a record.
func Alone(o Options, n int, id func(i int) string) (Parts, error) {
	o.Stratify = false
	place, again := []radix.Pair(nil), true
	if o.checkOptions() == nil && o.Order != InFile {
		hash := seed.Hasher(o.Seed, "split", o.Name, strconv.Itoa(o.Repeat), "record")
		place, again = byHash(n, func(i int) uint64 { return hash(id(i)) }, id)
	}
	if again { // Split has to look: at options that are wrong, records in the order of the file, an id that occurs twice
		items := make([]Item, n)
		for i := range items {
			items[i] = Item{ID: id(i), Class: -1}
		}
		return Split(o, items)
	}
	fit := make([]bool, n)
	for _, p := range place[:Floor(o.Fit, n)] {
		fit[p.Value] = true
	}
	p, err := o.positions(fit, splitFix)
	if err == nil {
		p.Graph.Hash = hashOf(lazyRole{"fit", len(p.Fit), func(k int) string { return id(p.Fit[k]) }},
			lazyRole{"test", len(p.Test), func(k int) string { return id(p.Test[k]) }})
	}
	return p, err
}
