package spec

import (
	"fmt"
	"slices"

	"infnet/sufficiency"
	"infnet/sufficiency/permute"
)

// Asks reports whether J of this kind is among those tested. It is safe on nil,
// which tests nothing.
func (s *Sufficiency) Asks(e Extra) bool { return s != nil && slices.Contains(s.Extra, e) }

// Extra is a kind of extra information J.
type Extra string

// The kinds.
const (
	OutputStats Extra = "output-stats" // statistics of the student's label probabilities or token log-probabilities
	Embeddings  Extra = "embeddings"   // of the input's text
)

// checkSufficiency checks the [sufficiency] table; nil where there is none.
func checkSufficiency(f *file, s *Sufficiency) *Sufficiency {
	if s == nil {
		return nil
	}
	if s.Extra == nil && !f.text.Has("sufficiency.extra") {
		s.Extra = []Extra{OutputStats}
	}
	if least := permute.Needed(s.Permutations, sufficiency.Alpha); s.Method == sufficiency.Plain && least > 0 {
		f.warn("sufficiency", fmt.Sprintf("%d permutations give p-values of %.4f or more: no p-value can reach %v",
			s.Permutations, 1/float64(s.Permutations+1), sufficiency.Alpha), "permutations = 199 is the default")
	}
	return s
}
