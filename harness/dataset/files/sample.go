package files

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unique"

	"infnet/harness/dataset"
)

// keep adds an example to those that are kept, or may be part of the sample.
func (l *loader) keep(e dataset.Example) error {
	text, err := l.part(&e)
	if err != nil {
		return err
	}
	if !l.samples() {
		l.kept = append(l.kept, e)
		return nil
	}
	l.sample = append(l.sample, ranked{rank: l.o.Rank(e.ID), example: e, text: text})
	if len(l.sample) >= 2*l.o.Limit {
		l.prune()
	}
	return nil
}

// prune drops the examples of a sample that others of lower rank have displaced.
func (l *loader) prune() {
	slices.SortFunc(l.sample, func(a, b ranked) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.example.ID, b.example.ID))
	})
	if limit := l.o.Limit; len(l.sample) > limit {
		clear(l.sample[limit:])
		l.sample = l.sample[:limit]
	}
}

// samples reports whether examples are kept by rank.
func (l *loader) samples() bool { return l.o.Rank != nil && l.o.Limit > 0 }

// inMemory is how many bytes of fields stay with their examples: less in tests.
var inMemory = 8 << 20

// fieldBytes is what a field takes besides its value.
const fieldBytes = 64

// part takes the fields of an example out of memory once there are too many, and returns their number there.
func (l *loader) part(e *dataset.Example) (text int, err error) {
	for _, value := range e.Fields {
		l.bytes += len(value) + fieldBytes
	}
	if l.bytes <= inMemory || len(l.m.fields) == 0 {
		return 0, nil
	}
	if l.apart == nil {
		l.apart = dataset.NewTexts(l.m.names())
		for k := range l.kept {
			if _, err := l.move(&l.kept[k]); err != nil {
				return 0, err
			}
		}
		for k := range l.sample {
			if l.sample[k].text, err = l.move(&l.sample[k].example); err != nil {
				return 0, err
			}
		}
	}
	return l.move(e)
}

// move takes the fields of one example out of memory. What else it says is copied, so that nothing is left of its line.
func (l *loader) move(e *dataset.Example) (text int, err error) {
	text = l.apart.Len()
	err = l.apart.Add(e.Fields)
	e.Fields = nil
	e.ID, e.Group, e.Part = strings.Clone(e.ID), strings.Clone(e.Group), unique.Make(e.Part).Value()
	e.Domain = unique.Make(e.Domain).Value()
	return text, err
}

// set closes the reading.
func (l *loader) set() (*dataset.Set, error) {
	if l.samples() {
		l.prune()
		slices.SortFunc(l.sample, func(a, b ranked) int { return a.example.Row - b.example.Row })
		texts := make([]int, len(l.sample))
		for i, k := range l.sample {
			l.kept = append(l.kept, k.example)
			texts[i] = k.text
		}
		if l.apart != nil {
			l.apart.Order(texts)
		}
	}
	if len(l.kept) == 0 {
		return nil, fmt.Errorf("%w: %s has no row", dataset.ErrEmpty, l.o.Path)
	}
	set := &dataset.Set{Name: l.o.Name, Examples: l.kept}
	set.Keep(l.apart)
	return set, nil
}

// ranked is an example that may be part of a sample.
type ranked struct {
	rank    uint64
	example dataset.Example
	text    int // where loader.apart has its fields
}
