package recorded

import (
	"hash/maphash"
	"math/bits"

	"infnet/harness/dataset"
)

// ids finds examples by their ids, in eleven bytes or fewer an example: a map takes fifty, and a file of a million
// questions shall fit into little memory.
type ids struct {
	examples []dataset.Example
	seed     maphash.Seed
	slots    []int32 // a power of two of them, at most three quarters full: an example's index + 1, 0 = free
}

func newIDs(examples []dataset.Example) ids {
	size := 1 << bits.Len(uint(len(examples)+len(examples)/3))
	t := ids{examples: examples, seed: maphash.MakeSeed(), slots: make([]int32, size)}
	for i, e := range examples {
		at := t.slot(e.ID)
		t.slots[at] = int32(i + 1)
	}
	return t
}

// slot is where an id is, or where it would be.
func (t ids) slot(id string) int {
	mask := len(t.slots) - 1
	at := int(maphash.String(t.seed, id)) & mask
	for t.slots[at] != 0 && t.examples[t.slots[at]-1].ID != id {
		at = (at + 1) & mask
	}
	return at
}

// find returns the index of the example with this id; -1 = there is none.
func (t ids) find(id string) int { return int(t.slots[t.slot(id)]) - 1 }
