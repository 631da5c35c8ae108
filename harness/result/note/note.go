// Package note owns the caveats that results carry: one type for each, with
// what its sentence needs, as it was computed. It refuses to write sentences
// and to round numbers: package reports does both. Its opinion: a caveat is a
// fact, and how it is worded is a matter of print.
package note

// Kind names a caveat in results.json, for programs. Several caveats on one
// subject share a kind.
type Kind string

// Caveat is what a note tells. Every type of this package with a method Kind is
// one, and package reports has a sentence for it.
type Caveat interface {
	Kind() Kind
}

// Counted is a name and how often it was counted.
type Counted struct {
	Name  string
	Count int
}
