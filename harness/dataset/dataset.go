// Package dataset turns sources of text into examples: rows with named
// fields, a class or references, and an identity that survives reordering.
// It owns reading, field mapping, limits and the content hash of what was
// used; it knows nothing of prompts or models.
//
// Its opinion: a bad row is an error with its line number unless the study
// says it may be skipped, and then it is counted.
package dataset

// Example is one row of a dataset.
type Example struct {
	ID         string            // unique within the dataset; the row number where the source has none
	Row        int               // 1-based position in the source
	Fields     map[string]string // what prompts may name: {text}, {question}, …
	Class      int               // index into the dataset's labels; -1 where the task has none
	References []string          // accepted answers of generation tasks, first is primary
	Group      string            // records of one group stay together in splits; "" = alone
}

// Set is a dataset as a study uses it.
type Set struct {
	Name     string
	Examples []Example
	Hash     string    // SHA-256 of the examples, hexadecimal: the identity of what was used
	Skipped  []Skipped // bad rows the study allowed to be skipped
}

// Skipped is a row that was left out, and why.
type Skipped struct {
	Row    int
	Reason string
}
