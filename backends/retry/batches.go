package retry

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/cenkalti/backoff/v5"

	"infnet/backends"
)

// batches asks for one value V for each item T, in calls of several items.
type batches[T, V any] struct {
	ask   func(context.Context, []T) ([]V, error)
	check func([]T, []V) error // a *backends.Failure where the values cannot be used
	size  int                  // items a call; 0 = all
	waits *Model               // the options and their stream
}

// all asks for all batches at once.
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
	opt := b.waits.opt
	var last *backends.Failure
	begin, stop := backends.Beginning(ctx) // see Model.Answer
	defer stop()
	values, err := backoff.Retry(begin, func() ([]V, error) {
		values, err := b.ask(ctx, items)
		if err == nil {
			err = b.check(items, values)
		}
		if err == nil {
			return values, nil
		}
		if !errors.As(err, &last) || !last.Temporary() {
			return nil, backoff.Permanent(err)
		}
		if last.RetryAfter > 0 {
			return nil, &backoff.RetryAfterError{Duration: last.RetryAfter + b.waits.draw(opt.First)}
		}
		return nil, err
	},
		backoff.WithBackOff(&jitter{model: b.waits}),
		backoff.WithMaxTries(uint(opt.Tries)),
		backoff.WithMaxElapsedTime(opt.Elapsed),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			if opt.Notify != nil {
				opt.Notify(len(items), *last, wait)
			}
		}))
	var after *backoff.RetryAfterError
	if errors.As(err, &after) && last != nil {
		err = last // what happened, not when to ask again
	}
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return values, err
}

func badResponse(format string, args ...any) error {
	return &backends.Failure{Cause: backends.BadResponse, Message: fmt.Sprintf(format, args...)}
}
