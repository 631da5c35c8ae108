// Package dataset defines the data of a study: examples with named fields, a class or references, and an identity that
// survives reordering. It owns the example, the set and its content hash, the errors of bad rows, and the names and
// descriptions of columns. It refuses to open files and to know prompts or models: package files reads rows, package
// builtin generates them, package hub downloads them.
//
// Its opinion: a bad row is an error with its line number. Text is never repaired: invalid UTF-8, a NUL character or a
// null is a bad row, not a replacement character.
package dataset

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Example is one row of a dataset.
type Example struct {
	ID         string            // unique within the dataset; the row number where the source has none
	Row        int               // 1-based position in the source
	Fields     map[string]string // what prompts may name: {text}, {question}, …; nil = Set.Texts has them
	Class      int               // index into the dataset's labels; -1 where the task has none
	References []string          // accepted answers of generation tasks, first is primary
	Group      string            // records of one group stay together in splits; "" = alone
	Part       string            `json:",omitempty"` // what the column of a given split says; "" = the split is drawn
	Domain     string            `json:",omitempty"` // what the column says between whose values policies are transferred
}

// Set is a dataset as a study uses it.
type Set struct {
	Name     string
	Examples []Example
	Hash     string // SHA-256 of the examples, hexadecimal: the identity of what was used
	Shown    int    // records left out because prompts show them, or a record of their group or with their text
	Texts    *Texts // the fields of the examples, where they are not kept in memory; nil = each has its own
}

// Label is one class of a classification dataset.
type Label struct {
	Class string // as the data write it
	Word  string // as a model says it, without a leading space

	// Other marks the class of recorded answers that are none of the other labels. No row of the data has it.
	Other bool `json:",omitempty"`
}

// ErrEmpty is wrapped by the error of a source without a single usable row.
var ErrEmpty = errors.New("empty dataset")

// New makes a set of generated examples. It fails on no examples (ErrEmpty), on an empty or
// repeated ID, and on text that is not valid UTF-8. The examples are kept, not copied.
func New(name string, examples []Example) (*Set, error) {
	if len(examples) == 0 {
		return nil, fmt.Errorf("dataset %s: %w: it has no example", name, ErrEmpty)
	}
	seen := make(map[string]int, len(examples))
	for i, e := range examples {
		if e.ID == "" {
			return nil, fmt.Errorf("dataset %s: example %d has no id", name, i+1)
		}
		if first, ok := seen[e.ID]; ok {
			return nil, fmt.Errorf("dataset %s: examples %d and %d share the id %q", name, first+1, i+1, e.ID)
		}
		seen[e.ID] = i
		if bad := badText(e); bad != "" {
			return nil, fmt.Errorf("dataset %s: example %q: %s", name, e.ID, bad)
		}
	}
	return &Set{Name: name, Examples: examples, Hash: Hash(examples)}, nil
}

// badText returns the fault in an example's text, or "".
func badText(e Example) string {
	if r := TextFault(e.ID); r != "" {
		return "the id " + r
	}
	for _, name := range slices.Sorted(maps.Keys(e.Fields)) {
		if r := TextFault(e.Fields[name]); r != "" {
			return fmt.Sprintf("field %q %s", name, r)
		}
	}
	for _, s := range e.References {
		if r := TextFault(s); r != "" {
			return "a reference " + r
		}
	}
	if r := TextFault(e.Group); r != "" {
		return "the group " + r
	}
	return ""
}

// TextFault returns why s is not valid text ("is not valid UTF-8", "contains a NUL character"), or "".
func TextFault(s string) string {
	switch {
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	case strings.IndexByte(s, 0) >= 0:
		return "contains a NUL character"
	}
	return ""
}
