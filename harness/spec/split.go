package spec

import (
	"fmt"
	"reflect"
	"slices"

	"infnet/harness/spec/place"
)

// layer is one of the tables that say which rows of a dataset are used.
type layer struct {
	file *file
	at   string
	raw  *Split
}

// split puts a dataset's split together, key by key: its own, else the study's, else its catalog's.
func (c *datasetCheck) split() {
	s := &c.out.Split
	layers := []layer{{c.file, c.at + ".split", &c.dataset().Split}, {c.main, "split", &c.main.raw.Split},
		{c.file, "split", &c.file.raw.Split}}
	from := map[string]layer{} // by key: where it is written
	for into := range options(reflect.ValueOf(s).Elem()) {
		for _, l := range slices.Backward(layers) {
			if l.file.text.Has(place.Join(l.at, into.key)) {
				into.Set(find(reflect.ValueOf(l.raw).Elem(), into.key).Value)
				from[into.key] = l
			}
		}
	}
	once := func(key, message, hint string) {
		if l, written := from[key]; written {
			l.file.once(place.Join(l.at, key), message, hint)
		}
	}
	if s.Repeats > 1 && s.Order == InFile {
		once("repeats", fmt.Sprintf("%d repeats of a split in file order are one and the same split", s.Repeats),
			`use order = "shuffle", or give the dataset repeats = 1 in its own split`)
	}
	if s.Stratify && c.out.Task != "" && !c.out.classification() {
		if s.Stratify = false; from["stratify"].at == c.at+".split" {
			once("stratify", fmt.Sprintf("a task of %s has no classes to stratify by", c.out.Task), "leave stratify out")
		}
	}
	switch {
	case s.Column == "":
		once("fit_is", "fit_is names values of a column, and no column is named", "column = \"split\", or leave fit_is out")
	case c.builtin != nil:
		once("column", "a built-in dataset has no columns", "leave it out")
	default:
		for _, key := range []string{"fit", "order", "stratify", "repeats"} {
			if from[key] == from["column"] && (key != "stratify" || s.Stratify) && (key != "repeats" || s.Repeats > 1) {
				once(key, "the split is given by a column, and "+key+" is about one that is drawn", "leave one of the two out")
			}
		}
	}
	if s.Repeats == 1 {
		s.Repeats = 0
	}
	c.limit(from["limit"].at == c.at+".split")
}

// FewestRows are the fewest rows that a study may ask for.
const FewestRows = 10

// limit is how many rows are used at most; 0 = all.
func (c *datasetCheck) limit(own bool) {
	n := &c.out.Split.Limit
	if c.has("limit") {
		if own {
			c.wrong("split.limit", "the limit is there twice, here and as limit", "write it once")
		}
		*n = c.out.Limit
	}
	if c.builtin != nil && *n == 0 {
		*n = 1000 // generators have no last row
	}
	if over := c.options.Limit; over > 0 && (*n == 0 || over < *n) {
		*n = over
	}
}
