package dataset

import (
	"encoding/binary"
	"fmt"
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

// Add keeps the fields of one more example: a value of every name. The error is one of the temporary folder.
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
func (t *Texts) of(i int) map[string]string {
	piece := make([]byte, t.size[i])
	if err := t.values.Read(piece, t.at[i]); err != nil {
		panic(fmt.Sprintf("dataset: the text of example %d is lost: %v", i, err))
	}
	sizes, rest := make([]int, len(t.names)), piece
	for k := range t.names {
		size, read := binary.Uvarint(rest)
		sizes[k], rest = int(size), rest[read:]
	}
	fields, values := make(map[string]string, len(t.names)), string(rest)
	for k, name := range t.names {
		fields[name], values = values[:sizes[k]], values[sizes[k]:]
	}
	return fields
}

// Fields returns the fields of example i, wherever they are. It panics where the temporary file that
// holds them cannot be read any more: nothing right can be said of the example then.
func (s *Set) Fields(i int) map[string]string {
	if s.Texts != nil {
		return s.Texts.of(i)
	}
	return s.Examples[i].Fields
}
