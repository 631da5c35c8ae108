package dataset

import (
	"crypto/sha256"
	"encoding/hex"
)

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
