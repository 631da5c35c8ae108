package backends

import (
	"context"
	"encoding/json"
	"fmt"
)

// Pair is a text and what may follow from it.
type Pair struct {
	Source string
	Target string
}

// Text is the pair as one text, by which its score is stored.
func (p Pair) Text() string {
	b, err := json.Marshal([2]string{p.Source, p.Target})
	if err != nil {
		panic("backends: two texts have no JSON: " + err.Error())
	}
	return string(b)
}

// PairOf reads what Text wrote.
func PairOf(text string) (Pair, error) {
	var p [2]string
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return Pair{}, fmt.Errorf("%.40q is no pair of texts: %w", text, err)
	}
	return Pair{Source: p[0], Target: p[1]}, nil
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
