package dataset

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"infnet/harness/spool"
)

// Texts hold the fields of examples outside of memory. All examples have the same names.
type Texts struct {
	names  []string // ascending
	at     []int64  // where each example's values begin
	size   []int32  // their bytes
	values spool.Spool
	buffer []byte // of Add
}

// NewTexts holds fields of these names.
func NewTexts(names []string) *Texts { return &Texts{names: slices.Sorted(slices.Values(names))} }

// Add keeps the fields of one more example: a value of every name. The error is one of the temporary
// folder.
func (t *Texts) Add(fields map[string]string) error {
	t.buffer = t.buffer[:0]
	for _, name := range t.names {
		t.buffer = binary.AppendUvarint(t.buffer, uint64(len(fields[name])))
	}
	for _, name := range t.names {
		t.buffer = append(t.buffer, fields[name]...)
	}
	at, err := t.values.Add(t.buffer)
	t.at, t.size = append(t.at, at), append(t.size, int32(len(t.buffer)))
	return err
}

// Len returns how many examples were added.
func (t *Texts) Len() int { return len(t.at) }

// Order keeps the examples that were added at these positions, in this order.
func (t *Texts) Order(added []int) {
	at, size := make([]int64, len(added)), make([]int32, len(added))
	for k, i := range added {
		at[k], size[k] = t.at[i], t.size[i]
	}
	t.at, t.size = at, size
}

// of reads the fields of example i.
func (t *Texts) of(i int) Named {
	piece := make([]byte, t.size[i])
	if err := t.values.Read(piece, t.at[i]); err != nil {
		panic(fmt.Sprintf("dataset: the text of example %d is lost: %v", i, err))
	}
	n := Named{names: t.names, lengths: string(piece)}
	rest := piece
	for range t.names {
		_, k := binary.Uvarint(rest)
		rest = rest[k:]
	}
	n.values = n.lengths[len(piece)-len(rest):]
	return n
}

// Named is the fields of one example.
type Named struct {
	fields  map[string]string // of an example in memory; nil = the following
	names   []string
	lengths string // of the values, each a uvarint
	values  string // one after another
}

// Get returns a field's value.
func (n Named) Get(name string) (value string, ok bool) {
	if n.names == nil {
		value, ok = n.fields[name]
		return value, ok
	}
	lengths, values := n.lengths, n.values
	for _, have := range n.names {
		size, k := uvarint(lengths)
		if have == name {
			return values[:size], true
		}
		lengths, values = lengths[k:], values[size:]
	}
	return "", false
}

// Names returns the names of the fields, ascending.
func (n Named) Names() []string {
	if n.names == nil {
		return slices.Sorted(maps.Keys(n.fields))
	}
	return n.names
}

// uvarint is binary.Uvarint of a string.
func uvarint(s string) (value uint64, n int) {
	for i := range len(s) {
		value |= uint64(s[i]&0x7f) << (7 * i)
		if s[i] < 0x80 {
			return value, i + 1
		}
	}
	return value, len(s)
}

// NamedOf are fields in memory.
func NamedOf(fields map[string]string) Named { return Named{fields: fields} }

// Fields returns the fields of example i, wherever they are. It panics where the temporary file that
// holds them cannot be read any more: nothing right can be said of the example then.
func (s *Set) Fields(i int) Named {
	if s.Texts != nil {
		return s.Texts.of(i)
	}
	return NamedOf(s.Examples[i].Fields)
}
