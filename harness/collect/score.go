package collect

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"infnet/backends"
	"infnet/harness/store"
)

// scoreBatch is how many pairs go to the disk together.
const scoreBatch = 64

// ScoreJob is one scorer's work on the pairs of texts of a study.
type ScoreJob struct {
	Scorer backends.ModelID
	Served string // the scorer's name on its servers; "" = no server knows it by a name
	Name   string // the scorer's name, for people

	// Pairs yields the pairs, repeats included. It is ranged over more than
	// once and must yield the same every time.
	Pairs iter.Seq[backends.Pair]

	// Open opens the scorer. It is called at most once, and only when something
	// must be scored. nil is allowed where nothing will be.
	Open func() (backends.Scorer, error)

	Price Price // of the scorer's tokens, for a spending limit; they are estimated from characters
}

// Score computes and stores the scores of all distinct pairs. Each batch is on disk before it is
// counted. Its errors are those of Run; an error of the scorer ends it.
func Score(ctx context.Context, st *store.Store, j ScoreJob, opt Options, p Progress) (Computed, error) {
	rep, err := j.batches(st).run(ctx, opt, p)
	if err != nil && !errors.As(err, new(*MissingError)) {
		err = fmt.Errorf("scores by %s: %w", j.Name, err)
	}
	return rep, err
}

// Count looks up how many of the pairs are scored. It calls nothing.
func (j ScoreJob) Count(st *store.Store) (Counted, error) { return j.batches(st).count() }

func (j ScoreJob) batches(st *store.Store) *batches[backends.Pair, store.Score] {
	b := &batches[backends.Pair, store.Score]{
		model: j.Scorer, name: j.Name, makes: "scores", price: j.Price, size: scoreBatch,
		all: j.Pairs, key: store.PairKey, prompt: func(p backends.Pair) string { return p.Source + p.Target },
		file: func(write bool) (file[backends.Pair, store.Score], error) {
			open := st.Scores
			if write {
				open = st.WriteScores
			}
			s, err := open(j.Scorer)
			if err != nil {
				return nil, err
			}
			return s.As(j.Served), nil
		},
	}
	if j.Open != nil {
		b.open = func() (func(context.Context, []backends.Pair) ([]store.Score, error), error) {
			s, err := j.Open()
			return func(ctx context.Context, pairs []backends.Pair) ([]store.Score, error) {
				return score(ctx, s, pairs)
			}, err
		}
	}
	return b
}

func score(ctx context.Context, s backends.Scorer, pairs []backends.Pair) ([]store.Score, error) {
	values, err := s.Score(ctx, pairs)
	if err != nil {
		return nil, err
	}
	if len(values) != len(pairs) {
		return nil, fmt.Errorf("%d scores for %d pairs", len(values), len(pairs))
	}
	out := make([]store.Score, len(pairs))
	for i, v := range values {
		if !finite(float64(float32(v))) { // as it is stored
			return nil, fmt.Errorf("a score of %v, for %.40q after %.40q", v, pairs[i].Target, pairs[i].Source)
		}
		out[i] = store.Score{Pair: pairs[i], Value: v}
	}
	return out, nil
}
