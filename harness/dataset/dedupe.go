package dataset

import (
	"crypto/sha256"
	"slices"

	"infnet/harness/choice"
)

// Dedupe says what happens to a row with the same text as an earlier one.
type Dedupe string

// The choices.
const (
	KeepCopies Dedupe = "off"   // count like other rows
	FirstOnly  Dedupe = "first" // are left out, before limits and splits, and counted
)

// Dedupes lists the valid choices.
func Dedupes() []Dedupe { return []Dedupe{KeepCopies, FirstOnly} }

// UnmarshalText accepts a choice's name.
func (d *Dedupe) UnmarshalText(b []byte) error {
	return choice.Decode(d, b, "treatment of copies", Dedupes())
}

// Seen remembers texts: the values of some fields, equal to the byte.
type Seen struct {
	fields []string
	sums   map[[sha256.Size]byte]bool
}

// NewSeen compares by these fields, in any order.
func NewSeen(fields []string) *Seen {
	return &Seen{fields: slices.Sorted(slices.Values(fields)), sums: map[[sha256.Size]byte]bool{}}
}

// Again reports whether an example with the same text was seen before, and
// remembers this one.
func (s *Seen) Again(e Example) bool {
	w := sha256.New()
	c := newCanon(w)
	for _, name := range s.fields {
		c.string(e.Fields[name])
	}
	c.w.Flush() // a hash takes every write
	sum := [sha256.Size]byte(w.Sum(nil))
	if s.sums[sum] {
		return true
	}
	s.sums[sum] = true
	return false
}

// First returns the examples without copies of earlier ones, and the number of copies.
func First(examples []Example, fields []string) (kept []Example, copies int) {
	seen := NewSeen(fields)
	for _, e := range examples {
		if seen.Again(e) {
			copies++
			continue
		}
		kept = append(kept, e)
	}
	return kept, copies
}
