package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"

	"infnet/backends"
)

// Vectors are the embeddings one embedder made, by text. It is safe for
// concurrent use.
type Vectors struct{ derived }

// Vector is the embedding of a text.
type Vector struct {
	Text   string // stored as its SHA-256 only
	Values []float32
}

const vectorLine = "one embedding: key = SHA-256 of the text, dim, v = float32 values, little-endian, base64, crc"

// TextKey identifies a text: its SHA-256.
func TextKey(text string) backends.Key { return sha256.Sum256([]byte(text)) }

// Vectors opens an embedder's vectors for reading; see Answers.
func (s *Store) Vectors(embedder backends.ModelID) (*Vectors, error) {
	return s.vectors(embedder, false)
}

// WriteVectors opens an embedder's vectors for writing; see WriteAnswers.
func (s *Store) WriteVectors(embedder backends.ModelID) (*Vectors, error) {
	return s.vectors(embedder, true)
}

func (s *Store) vectors(id backends.ModelID, write bool) (*Vectors, error) {
	d, err := about{s, "embeddings", id, vectorLine}.derived(write)
	if err != nil {
		return nil, err
	}
	return &Vectors{d}, nil
}

// As adds the embedder's served name to the keys. "" keeps keys that depend on the texts alone.
func (v *Vectors) As(served string) *Vectors {
	v.served = served
	return v
}

// Len returns the number of different texts embedded.
func (v *Vectors) Len() int { return v.log.len() }

// Has reports whether the text is embedded.
func (v *Vectors) Has(text string) bool {
	return v.log.has(v.key(TextKey(text)))
}

// Get reads the embedding of a text. ok is false where there is none.
func (v *Vectors) Get(text string) (values []float32, ok bool, err error) {
	at, ok, err := v.log.get(v.key(TextKey(text)))
	if err != nil || !ok {
		return nil, false, err
	}
	var w wireVector
	if err := json.Unmarshal(at.line, &w); err != nil {
		return nil, false, at.damaged(err.Error())
	}
	if len(w.Vector) != 4*w.Dim {
		return nil, false, at.damaged(fmt.Sprintf("it has %d bytes for %d values", len(w.Vector), w.Dim))
	}
	values = make([]float32, w.Dim)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(w.Vector[4*i:]))
	}
	return values, true, nil
}

// Append writes embeddings and returns once they are on the disk. Texts that
// are embedded already are left out; it returns how many were written. Errors
// are those of Answers.Append.
func (v *Vectors) Append(vs []Vector) (int, error) {
	entries := make([]entry, len(vs))
	for i, x := range vs {
		b := make([]byte, 0, 4*len(x.Values))
		for _, f := range x.Values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
		}
		k := v.key(TextKey(x.Text))
		object, err := json.Marshal(wireVector{Key: k, Dim: len(x.Values), Vector: b})
		if err != nil {
			return 0, fmt.Errorf("encode an embedding for %s: %w", v.log.path, err)
		}
		entries[i] = line(k, object)
	}
	return v.log.append(entries)
}
