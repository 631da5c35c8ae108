package retry

import (
	"context"
	"math"

	"infnet/backends"
)

// Scorer retries: all pairs of a call are asked for again where one of them
// failed and the failure is temporary.
type Scorer struct {
	batches[backends.Pair, float64]
}

// NewScorer wraps a scorer. Options.Notify gets the number of pairs.
func NewScorer(s backends.Scorer, opt Options) *Scorer {
	return &Scorer{batches[backends.Pair, float64]{ask: s.Score, check: checkScores, waits: New(nil, opt)}}
}

// Score scores the pairs.
func (s *Scorer) Score(ctx context.Context, pairs []backends.Pair) ([]float64, error) {
	return s.all(ctx, pairs)
}

func checkScores(pairs []backends.Pair, scores []float64) error {
	if len(scores) != len(pairs) {
		return badResponse("%d scores for %d pairs", len(scores), len(pairs))
	}
	for i, s := range scores {
		if math.IsNaN(s) || math.IsInf(s, 0) {
			return badResponse("the score of pair %d is %v", i, s)
		}
	}
	return nil
}
