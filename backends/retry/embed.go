package retry

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"infnet/backends"
)

// Embedder retries. It brings texts to the embedder inside in batches of the
// size that one likes, and asks for a batch again whose failure is temporary,
// so that one bad call does not cost the others.
type Embedder struct {
	inner backends.Embedder
	size  int    // texts a call; 0 = all
	waits *Model // the options and their stream
}

var (
	_ backends.Embedder = (*Embedder)(nil)
	_ backends.Batcher  = (*Embedder)(nil)
)

// NewEmbedder wraps an embedder. Options.Notify is told the number of texts.
func NewEmbedder(e backends.Embedder, opt Options) *Embedder {
	out := &Embedder{inner: e, waits: New(nil, opt)}
	if b, ok := e.(backends.Batcher); ok {
		out.size = max(1, b.BatchSize())
	}
	return out
}

// BatchSize is that of the embedder inside; 1 where it has none.
func (e *Embedder) BatchSize() int { return max(1, e.size) }

// Embed asks for all batches at once; how many calls are in flight is the
// embedder's affair. The error is that of the first batch, in order, that
// could not be had.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	size := e.size
	if size == 0 {
		size = max(1, len(texts))
	}
	n := (len(texts) + size - 1) / size
	out := make([][]float32, len(texts))
	errs := make([]error, n)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for b := range n {
		wg.Go(func() {
			from, to := b*size, min((b+1)*size, len(texts))
			vectors, err := e.persist(ctx, texts[from:to])
			if err != nil {
				errs[b] = err
				cancel() // the call as a whole has failed
				return
			}
			copy(out[from:to], vectors)
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
func (e *Embedder) persist(ctx context.Context, texts []string) ([][]float32, error) {
	opt := e.waits.opt
	var last *backends.Failure
	begin, stop := backends.Beginning(ctx) // see Model.Answer
	defer stop()
	vectors, err := backoff.Retry(begin, func() ([][]float32, error) {
		vectors, err := e.inner.Embed(ctx, texts)
		if err == nil {
			err = check(texts, vectors)
		}
		if err == nil {
			return vectors, nil
		}
		if !errors.As(err, &last) || !last.Temporary() {
			return nil, backoff.Permanent(err)
		}
		if last.RetryAfter > 0 {
			return nil, &backoff.RetryAfterError{Duration: last.RetryAfter + e.waits.draw(opt.First)}
		}
		return nil, err
	},
		backoff.WithBackOff(&jitter{model: e.waits}),
		backoff.WithMaxTries(uint(opt.Tries)),
		backoff.WithMaxElapsedTime(opt.Elapsed),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			if opt.Notify != nil {
				opt.Notify(len(texts), *last, wait)
			}
		}))
	var after *backoff.RetryAfterError
	if errors.As(err, &after) && last != nil {
		err = last // what happened, not when to ask again
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return vectors, err
}

// check is what a batch of vectors must be, whatever made it.
func check(texts []string, vectors [][]float32) error {
	bad := func(format string, args ...any) error {
		return &backends.Failure{Cause: backends.BadResponse, Message: fmt.Sprintf(format, args...)}
	}
	if len(vectors) != len(texts) {
		return bad("%d vectors for %d texts", len(vectors), len(texts))
	}
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return bad("a vector of length %d among vectors of length %d", len(v), len(vectors[0]))
		}
		for _, x := range v {
			if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
				return bad("the vector of text %d holds %v", i, x)
			}
		}
	}
	return nil
}
