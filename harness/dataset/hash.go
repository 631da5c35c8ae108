package dataset

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"io"
	"maps"
	"slices"
)

// hashVersion is the first byte of the encoding that Hash digests. The
// encoding below never changes; another one would get another version.
const hashVersion = 1

// Hash returns the content hash of examples: SHA-256, in hexadecimal, of
//
//	version byte 1
//	per example: 'E' id, number of fields, then name and value of each field
//	             by ascending name, class, number of references, each
//	             reference, group
//	'.' number of examples
//
// where a string is its length in bytes and its bytes, and every number is a little-endian 64-bit two's complement
// integer. Row is left out: moving rows about in a file that names its own ids changes the hash only through the order
// of the examples. Part is left out too: the graph of roles says it.
func Hash(examples []Example) string { return (&Set{Examples: examples}).hash() }

// Keep makes these the fields of the set's examples, and hashes the set anew.
func (s *Set) Keep(t *Texts) {
	s.Texts = t
	s.Hash = s.hash()
}

func (s *Set) hash() string {
	h := sha256.New()
	w := newCanon(h)
	w.byte(hashVersion)
	for i, e := range s.Examples {
		w.byte('E')
		w.string(e.ID)
		s.writeFields(w, i)
		w.int(e.Class)
		s.writeReferences(w, i)
		w.string(e.Group)
	}
	w.byte('.')
	w.int(len(s.Examples))
	w.w.Flush() // a hash takes every write
	return hex.EncodeToString(h.Sum(nil))
}

func (s *Set) writeFields(w canon, i int) {
	fields := s.Fields(i)
	w.int(len(fields))
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		w.string(name)
		w.string(fields[name])
	}
}

func (s *Set) writeReferences(w canon, i int) {
	references := s.Examples[i].References
	w.int(len(references))
	for _, r := range references {
		w.string(r)
	}
}

// Content identifies what example i is, whatever its id, class and group are: the first 16 hexadecimal digits of the
// SHA-256 of its fields and references. Examples of equal content are questions that are the same.
func (s *Set) Content(i int) string {
	h := sha256.New()
	w := canon{bufio.NewWriterSize(h, 512)}
	w.byte(hashVersion)
	s.writeFields(w, i)
	s.writeReferences(w, i)
	w.w.Flush()
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// canon writes the canonical encoding.
type canon struct{ w *bufio.Writer }

func newCanon(w io.Writer) canon { return canon{bufio.NewWriter(w)} }

func (c canon) byte(b byte) { c.w.WriteByte(b) }

func (c canon) int(n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(int64(n)))
	c.w.Write(b[:])
}

func (c canon) string(s string) {
	c.int(len(s))
	c.w.WriteString(s)
}

// Without takes examples, by their positions, out of the set: prompts show them. What they were is part of the set's
// hash.
func (s *Set) Without(shown map[int]bool) {
	h := sha256.New()
	h.Write([]byte("without\x00" + s.Hash))
	var kept []Example
	var at []int
	for i, e := range s.Examples {
		if shown[i] {
			h.Write([]byte("\x00" + e.ID))
			continue
		}
		kept, at = append(kept, e), append(at, i)
	}
	if s.Texts != nil {
		s.Texts.Order(at)
	}
	s.Shown += len(s.Examples) - len(kept)
	s.Examples, s.Hash = kept, hex.EncodeToString(h.Sum(nil))
}
