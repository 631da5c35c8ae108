package retry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"infnet/backends"
)

// batches asks for one value V for each item T, in calls of several items.
type batches[T, V any] struct {
	ask   func(context.Context, []T) ([]V, error)
	check func([]T, []V) error // a *backends.Failure where the values cannot be used
	size  int                  // items a call; 0 = all
	waits *Model               // the options and their stream
}

func (b *batches[T, V]) all(ctx context.Context, items []T) ([]V, error) {
	size := b.size
	if size == 0 {
		size = max(1, len(items))
	}
	n := (len(items) + size - 1) / size
	out := make([]V, len(items))
	errs := make([]error, n)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			from, to := i*size, min((i+1)*size, len(items))
			values, err := b.persist(ctx, items[from:to])
			if err != nil {
				errs[i] = err
				cancel() // the call as a whole has failed
				return
			}
			copy(out[from:to], values)
		})
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil && !errors.Is(err, context.Canceled) {
			return nil, err
		}
	}
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

// persist asks for one batch until it comes, or may not be asked for again.
func (b *batches[T, V]) persist(ctx context.Context, items []T) ([]V, error) {
	var values []V
	steady := b.waits.opt.Steady
	if steady == nil {
		steady = func(_ context.Context, call func() error) error { return call() }
	}
	err := b.waits.do(ctx, len(items), func() error {
		err := steady(ctx, func() (err error) {
			values, err = b.ask(ctx, items)
			return err
		})
		if err == nil {
			err = b.check(items, values)
		}
		return err
	})
	return values, err
}

func badResponse(format string, args ...any) error {
	return &backends.Failure{Cause: backends.BadResponse, Message: fmt.Sprintf(format, args...)}
}

// Embedder retries. It brings texts to the embedder inside in batches of the
// size that it likes, and asks again for a batch whose failure is temporary, so
// that one bad call does not cost the others.
type Embedder struct{ batches[string, []float32] }

// NewEmbedder wraps an embedder. Options.Notify gets the number of texts.
func NewEmbedder(e backends.Embedder, opt Options) *Embedder {
	out := &Embedder{batches[string, []float32]{ask: e.Embed, check: checkVectors, waits: New(nil, opt)}}
	if b, ok := e.(backends.Batcher); ok {
		out.size = max(1, b.BatchSize())
	}
	return out
}

// BatchSize is that of the embedder inside; 1 where it has none.
func (e *Embedder) BatchSize() int { return max(1, e.size) }

// Embed asks for all batches at once; the embedder decides how many calls are
// in flight. The error is that of the first batch, in order, that failed.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return e.all(ctx, texts)
}

func checkVectors(texts []string, vectors [][]float32) error {
	if len(vectors) != len(texts) {
		return badResponse("%d vectors for %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return badResponse("a vector of length %d among vectors of length %d", len(v), len(vectors[0]))
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return badResponse("the vector of text %d holds %v", i, x)
			}
		}
	}
	return nil
}

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
