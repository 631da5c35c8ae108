package result

import "infnet/harness/result/note"

// Note is a caveat of a table, a row or a group. Kind is for programs, Text for
// people; package reports writes the text of those that have a caveat.
type Note struct {
	Kind note.Kind `json:"kind"`
	Text string    `json:"text"`
	// the same in few words, where it depends on what the note says; "" = the kind's own
	Line string `json:"line,omitempty"`
	// the records it is about, of how many; 0 = it counts none
	Count int `json:"count,omitempty"`
	Of    int `json:"of,omitempty"`

	Caveat note.Caveat `json:"-"` // nil where the text is all there is, as in results that were read
}

// NewNote is a note whose text is still to be written.
func NewNote(c note.Caveat) Note { return Note{Kind: c.Kind(), Caveat: c} }

// Remark is a note of which results.json keeps the text alone.
type Remark struct {
	Text   string
	Caveat note.Caveat // nil where the text is all there is
}

// MarshalText writes the text.
func (r Remark) MarshalText() ([]byte, error) { return []byte(r.Text), nil }

// UnmarshalText reads what MarshalText writes.
func (r *Remark) UnmarshalText(b []byte) error {
	r.Text = string(b)
	return nil
}
