package spec

import (
	"fmt"
	"slices"
)

// layer is one of the tables that say which rows of a dataset are used.
type layer struct {
	file *file
	at   string
	raw  *rawSplit
}

// layers lists these tables by precedence: the dataset's own, the study's
// [split], its catalog's.
func (c *splitCheck) layers() []layer {
	all := []layer{
		{c.file, c.at + ".split", c.raw.Split}, {c.main, "split", c.main.raw.Split}, {c.file, "split", c.file.raw.Split},
	}
	return slices.DeleteFunc(all, func(l layer) bool { return l.raw == nil })
}

// first returns the value of a key in the first layer that has it, and that
// layer; nil = none has it.
func first[T any](layers []layer, key func(*rawSplit) *T) (*T, layer) {
	for _, l := range layers {
		if p := key(l.raw); p != nil {
			return p, l
		}
	}
	return nil, layer{}
}

// split puts a dataset's rows together from the layers and the defaults.
func (c *splitCheck) split() {
	layers := c.layers()
	fit, _ := first(layers, func(r *rawSplit) *float64 { return r.Fit })
	order, _ := first(layers, func(r *rawSplit) *Order { return r.Order })
	overlap, _ := first(layers, func(r *rawSplit) *bool { return r.Overlap })
	repeats, repeated := first(layers, func(r *rawSplit) *int { return r.Repeats })
	stratify, stratified := first(layers, func(r *rawSplit) *bool { return r.Stratify })
	s := Split{
		Fit: or(fit, defaultFit), Order: or(order, defaultOrder), AllowOverlap: or(overlap, false),
		Limit: c.limit(layers), Stratify: or(stratify, false) && c.out.classification(),
	}
	c.givenSplit(layers, &s)
	if n := or(repeats, 1); n > 1 {
		s.Repeats = n
	}
	if s.Repeats > 0 && s.Order == InFile {
		repeated.file.once(repeated.at+".repeats",
			fmt.Sprintf("%d repeats of a split in file order are one and the same split", s.Repeats),
			`use order = "shuffle", or give the dataset repeats = 1 in its own split`)
	}
	if or(stratify, false) && c.out.Task != "" && !c.out.classification() && stratified.at == c.at+".split" {
		c.file.once(stratified.at+".stratify",
			fmt.Sprintf("a task of %s has no classes to stratify by", c.out.Task), "leave stratify out")
	}
	c.out.Split = s
}

// FewestRows are the fewest rows that a study may ask for.
const FewestRows = 10

// limit is how many rows are used at most; 0 = all.
func (c *splitCheck) limit(layers []layer) int {
	if c.raw.Limit != nil && c.raw.Split != nil && c.raw.Split.Limit != nil {
		c.wrong("split.limit", "the limit is there twice, here and as limit", "write it once")
	}
	written, _ := first(layers, func(r *rawSplit) *int { return r.Limit })
	n := or(c.raw.Limit, or(written, 0))
	if c.builtin != nil && n == 0 {
		n = defaultBuiltinRows
	}
	if over := c.options.Limit; over > 0 && (n == 0 || over < n) {
		n = over
	}
	return n
}
