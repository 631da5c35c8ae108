package split

import (
	"strconv"

	"infnet/harness/seed"
)

// Alone is Split of n records without groups and classes, for records of which there are many: the graph of the parts
// has its hash, and lists no ids. id returns the id of a record.
func Alone(o Options, n int, id func(i int) string) (Parts, error) {
	o.Stratify = false
	fit := make([]bool, n)
	if !o.shufflesAlone(n, id, fit) {
		items := make([]Item, n)
		for i := range items {
			items[i] = Item{ID: id(i), Class: -1}
		}
		return Split(o, items)
	}
	p, err := positions(o.Name, fit, splitFix)
	if err != nil {
		return Parts{}, err
	}
	p.Repeat = o.Repeat
	g := newGraphHash(2)
	g.role("fit", len(p.Fit), func(k int) string { return id(p.Fit[k]) })
	g.role("test", len(p.Test), func(k int) string { return id(p.Test[k]) })
	p.Graph.Hash = g.sum()
	return p, nil
}

// shufflesAlone draws the records that fit. It is false where Split has to look: at options that are wrong, records in
// the order of the file, an id that occurs twice.
func (o Options) shufflesAlone(n int, id func(i int) string, fit []bool) bool {
	if o.checkOptions() != nil || o.Order == InFile {
		return false
	}
	hash := seed.Hasher(o.Seed, "split", o.Name, strconv.Itoa(o.Repeat), "record")
	place, again := byHash(n, func(i int) uint64 { return hash(id(i)) }, id)
	if again {
		return false
	}
	for _, p := range place[:Floor(o.Fit, n)] {
		fit[p.Value] = true
	}
	return true
}
