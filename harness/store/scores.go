package store

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"

	"infnet/backends"
)

// Scores are one scorer's scores of pairs of texts. Earlier versions kept a score as an embedding
// of one number; those are still read, but no longer written. It is safe for concurrent use.
type Scores struct {
	derived
	former *Vectors // of earlier versions, for reading
}

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

// formerText is the text under which earlier versions kept a pair's score.
func formerText(p backends.Pair) string {
	b, err := json.Marshal([2]string{p.Source, p.Target})
	if err != nil {
		panic("store: two texts have no JSON: " + err.Error())
	}
	return string(b)
}

// Scores opens a scorer's scores for reading; see Answers.
func (s *Store) Scores(scorer backends.ModelID) (*Scores, error) { return s.scores(scorer, false) }

// WriteScores opens a scorer's scores for writing; see WriteAnswers.
func (s *Store) WriteScores(scorer backends.ModelID) (*Scores, error) { return s.scores(scorer, true) }

func (s *Store) scores(id backends.ModelID, write bool) (*Scores, error) {
	former, err := s.Vectors(id)
	if err != nil {
		return nil, err
	}
	if write && s.opt.Shard == "" && former.log.torn() > 0 { // nobody else will cut it off
		w, err := s.WriteVectors(id)
		if err == nil {
			err = w.Close()
		}
		if err != nil {
			former.Close()
			return nil, err
		}
	}
	d, err := about{s, "scores", id, scoreLine}.derived(write)
	if err != nil {
		former.Close()
		return nil, err
	}
	return &Scores{d, former}, nil
}

// As adds the scorer's served name to the keys. "" keeps keys that depend on the pairs alone.
func (s *Scores) As(served string) *Scores {
	s.served = served
	s.former.As(served)
	return s
}

// Len returns the number of scores.
func (s *Scores) Len() int { return s.log.len() + s.former.Len() }

// Has reports whether the pair is scored.
func (s *Scores) Has(p backends.Pair) bool {
	return s.log.has(s.key(PairKey(p))) || s.former.Has(formerText(p))
}

// Old reports whether the pair's only score was stored before keys held the
// served name.
func (s *Scores) Old(p backends.Pair) bool {
	return !s.log.has(s.key(PairKey(p))) && s.former.Old(formerText(p))
}

// Get reads the score of a pair. ok is false where there is none.
func (s *Scores) Get(p backends.Pair) (score float64, ok bool, err error) {
	at, ok, err := s.log.get(s.key(PairKey(p)))
	switch {
	case err != nil:
		return 0, false, err
	case ok:
		var w wireScore
		if err := json.Unmarshal(at.line, &w); err != nil {
			return 0, false, at.damaged(err.Error())
		}
		return float64(w.Score), true, nil
	}
	v, ok, err := s.former.Get(formerText(p))
	if err != nil || !ok {
		return 0, false, err
	}
	if len(v) != 1 {
		return 0, false, fmt.Errorf("%s: %d numbers where the score of a pair is one: it holds the embeddings of a model, "+
			"which cannot be read as scores; name another store with --store", s.former.Path(), len(v))
	}
	return float64(v[0]), true, nil
}

// Append writes scores and returns once they are on the disk. Pairs that are
// scored already are left out; it returns how many were written. Errors are
// those of Answers.Append.
func (s *Scores) Append(scores []Score) (int, error) {
	var entries []entry
	for _, x := range scores {
		if s.former.Has(formerText(x.Pair)) {
			continue
		}
		k := s.key(PairKey(x.Pair))
		object, err := json.Marshal(wireScore{k, float32(x.Value)})
		if err != nil {
			return 0, fmt.Errorf("encode a score for %s: %w", s.log.path, err)
		}
		entries = append(entries, line(k, object))
	}
	return s.log.append(entries)
}

// Close flushes pending writes and releases the lock.
func (s *Scores) Close() error {
	s.former.Close() // it was only read
	return s.derived.Close()
}
