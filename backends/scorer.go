package backends

import "context"

// Pair is a text and what may follow from it.
type Pair struct {
	Source string
	Target string
}

// Scorer says how well targets follow from their sources: one score per pair,
// in order, the mean log-probability of the target's tokens given the source,
// ≤ 0. A score depends on its pair alone.
//
// W. Yuan, G. Neubig and P. Liu, BARTScore: Evaluating Generated Text as Text
// Generation, 2021, eq. 2 with equal weights.
type Scorer interface {
	Score(ctx context.Context, pairs []Pair) ([]float64, error)
}
