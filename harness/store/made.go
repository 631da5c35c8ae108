package store

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/go-json-experiment/json"

	"infnet/backends"
)

// Made is what one model made of texts, by text. It is safe for concurrent use.
type Made[T, V any] struct {
	makes  *making[T, V]
	log    *files
	lock   *lock  // nil = open for reading, or by a shard
	served string // the name by which servers know the model; "" = no server does
}

// Entry is what was made of one text.
type Entry[T, V any] struct {
	Of    T // stored as its SHA-256 only
	Value V
}

// Vectors are the embeddings that an embedder made of texts, Scores a scorer's scores of pairs of texts, which are kept
// as float32.
type (
	Vectors = Made[string, []float32]
	Scores  = Made[backends.Pair, float64]
	Vector  = Entry[string, []float32]
	Score   = Entry[backends.Pair, float64]
)

// Grades are those that a program gave to answers: pairs of a record as the program sees it, and an answer. nil = it
// could not tell.
type (
	Grades = Made[backends.Pair, *float64]
	Grade  = Entry[backends.Pair, *float64]
)

// making says how what is made of texts is kept.
type making[T, V any] struct {
	format, line string
	key          func(T) backends.Key
	encode       func(backends.Key, V) any
	decode       func(line []byte) (V, error)
}

var vectors = &making[string, []float32]{
	format: "embeddings",
	line:   "one embedding: key = SHA-256 of the text, dim, v = float32 values, little-endian, base64, crc",
	key:    TextKey,
	encode: func(k backends.Key, values []float32) any {
		w := wireVector{Key: k, Dim: len(values), Vector: make([]byte, 0, 4*len(values))}
		for _, f := range values {
			w.Vector = binary.LittleEndian.AppendUint32(w.Vector, math.Float32bits(f))
		}
		return w
	},
	decode: func(line []byte) ([]float32, error) {
		var w wireVector
		if err := json.Unmarshal(line, &w); err != nil {
			return nil, err
		}
		if len(w.Vector) != 4*w.Dim {
			return nil, fmt.Errorf("it has %d bytes for %d values", len(w.Vector), w.Dim)
		}
		values := make([]float32, w.Dim)
		for i := range values {
			values[i] = math.Float32frombits(binary.LittleEndian.Uint32(w.Vector[4*i:]))
		}
		return values, nil
	},
}

var scores = &making[backends.Pair, float64]{
	format: "scores",
	line:   "one score: key = SHA-256 of the pair of texts, score = natural log-probability per token, crc",
	key:    PairKey,
	encode: func(k backends.Key, v float64) any { return wireScore{k, float32(v)} },
	decode: func(line []byte) (float64, error) {
		var w wireScore
		err := json.Unmarshal(line, &w)
		return float64(w.Score), err
	},
}

var grades = &making[backends.Pair, *float64]{
	format: "grades",
	line:   "one grade: key = SHA-256 of the pair of a record and an answer, score = 0 to 1, none = undecided, crc",
	key:    PairKey,
	encode: func(k backends.Key, v *float64) any { return wireGrade{k, v} },
	decode: func(line []byte) (*float64, error) {
		var w wireGrade
		err := json.Unmarshal(line, &w)
		return w.Score, err
	},
}

// TextKey identifies a text: its SHA-256.
func TextKey(text string) backends.Key { return sha256.Sum256([]byte(text)) }

// PairKey identifies a pair of texts: the SHA-256 of the length of its source
// in bytes (64 bits, little-endian), its source and its target.
func PairKey(p backends.Pair) backends.Key {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(p.Source)))
	return sha256.Sum256(append(append(b, p.Source...), p.Target...))
}

// Vectors opens an embedder's vectors for reading; see Answers.
func (s *Store) Vectors(embedder backends.ModelID) (*Vectors, error) {
	return vectors.open(s, embedder, false)
}

// WriteVectors opens an embedder's vectors for writing; see WriteAnswers.
func (s *Store) WriteVectors(embedder backends.ModelID) (*Vectors, error) {
	return vectors.open(s, embedder, true)
}

// Scores opens a scorer's scores for reading; see Answers.
func (s *Store) Scores(scorer backends.ModelID) (*Scores, error) {
	return scores.open(s, scorer, false)
}

// WriteScores opens a scorer's scores for writing; see WriteAnswers.
func (s *Store) WriteScores(scorer backends.ModelID) (*Scores, error) {
	return scores.open(s, scorer, true)
}

// Grades opens a program's grades for reading; see Answers.
func (s *Store) Grades(program backends.ModelID) (*Grades, error) {
	return grades.open(s, program, false)
}

// WriteGrades opens a program's grades for writing; see WriteAnswers.
func (s *Store) WriteGrades(program backends.ModelID) (*Grades, error) {
	return grades.open(s, program, true)
}

func (k *making[T, V]) open(s *Store, id backends.ModelID, write bool) (m *Made[T, V], err error) {
	m = &Made[T, V]{makes: k}
	a := about{store: s, format: k.format, model: id, line: k.line}
	if write {
		m.log, m.lock, err = a.openLocked()
	} else {
		m.log, err = a.open(false)
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// As adds the model's served name to the keys. "" keeps keys that depend on the texts alone.
func (m *Made[T, V]) As(served string) *Made[T, V] {
	m.served = served
	return m
}

// Path returns the file; it may not exist yet.
func (m *Made[T, V]) Path() string { return m.log.path }

// Has reports whether there is something of a text.
func (m *Made[T, V]) Has(of T) bool { return m.log.has(m.key(of)) }

// Get reads what was made of a text. ok is false where there is nothing.
func (m *Made[T, V]) Get(of T) (value V, ok bool, err error) {
	at, ok, err := m.log.get(m.key(of))
	if err != nil || !ok {
		return value, false, err
	}
	if value, err = m.makes.decode(at.line); err != nil {
		return value, false, at.damaged(err.Error())
	}
	return value, true, nil
}

// Append writes entries and returns once they are on the disk. Texts that are there already are left out; it returns
// how many were written. Errors are those of Answers.Append.
func (m *Made[T, V]) Append(list []Entry[T, V]) (int, error) {
	entries := make([]entry, len(list))
	for i, x := range list {
		k := m.key(x.Of)
		object, err := json.Marshal(m.makes.encode(k, x.Value))
		if err != nil {
			return 0, fmt.Errorf("encode a line of %s: %w", m.log.path, err)
		}
		entries[i] = line(k, object)
	}
	return m.log.append(entries)
}

// Close flushes pending writes and releases the lock.
func (m *Made[T, V]) Close() error {
	err := m.log.close()
	m.lock.release()
	m.lock = nil
	return err
}

// key is that of a text, with the served name.
func (m *Made[T, V]) key(of T) backends.Key {
	k := m.makes.key(of)
	if m.served == "" {
		return k
	}
	return sha256.Sum256(append(k[:], "served "+m.served...))
}
