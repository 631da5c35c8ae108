package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"infnet/backends"
)

// Scores are one scorer's scores of pairs of texts. It is safe for concurrent use.
type Scores struct{ derived }

// Score is the score of one pair. It is kept as a float32.
type Score struct {
	Pair  backends.Pair // stored as its SHA-256 only
	Value float64
}

const scoreLine = "one score: key = SHA-256 of the pair of texts, score = natural log-probability per token, crc"

// PairKey identifies a pair of texts: the SHA-256 of the length of its source
// in bytes (64 bits, little-endian), its source and its target.
func PairKey(p backends.Pair) backends.Key {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(p.Source)))
	return sha256.Sum256(append(append(b, p.Source...), p.Target...))
}

// Scores opens a scorer's scores for reading; see Answers.
func (s *Store) Scores(scorer backends.ModelID) (*Scores, error) { return s.scores(scorer, false) }

// WriteScores opens a scorer's scores for writing; see WriteAnswers.
func (s *Store) WriteScores(scorer backends.ModelID) (*Scores, error) { return s.scores(scorer, true) }

func (s *Store) scores(id backends.ModelID, write bool) (*Scores, error) {
	d, err := about{s, "scores", id, scoreLine}.derived(write)
	if err != nil {
		return nil, err
	}
	return &Scores{d}, nil
}

// As adds the scorer's served name to the keys. "" keeps keys that depend on the pairs alone.
func (s *Scores) As(served string) *Scores {
	s.served = served
	return s
}

// Len returns the number of scores.
func (s *Scores) Len() int { return s.log.len() }

// Has reports whether the pair is scored.
func (s *Scores) Has(p backends.Pair) bool {
	return s.log.has(s.key(PairKey(p)))
}

// Get reads the score of a pair. ok is false where there is none.
func (s *Scores) Get(p backends.Pair) (score float64, ok bool, err error) {
	at, ok, err := s.log.get(s.key(PairKey(p)))
	if err != nil || !ok {
		return 0, false, err
	}
	var w wireScore
	if err := json.Unmarshal(at.line, &w); err != nil {
		return 0, false, at.damaged(err.Error())
	}
	return float64(w.Score), true, nil
}

// Append writes scores and returns once they are on the disk. Pairs that are
// scored already are left out; it returns how many were written. Errors are
// those of Answers.Append.
func (s *Scores) Append(scores []Score) (int, error) {
	var entries []entry
	for _, x := range scores {
		k := s.key(PairKey(x.Pair))
		object, err := json.Marshal(wireScore{k, float32(x.Value)})
		if err != nil {
			return 0, fmt.Errorf("encode a score for %s: %w", s.log.path, err)
		}
		entries = append(entries, line(k, object))
	}
	return s.log.append(entries)
}
