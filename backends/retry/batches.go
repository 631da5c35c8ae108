package retry

import (
	"context"
	"errors"
	"fmt"
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
	err := b.waits.do(ctx, len(items), func() (err error) {
		if values, err = b.ask(ctx, items); err == nil {
			err = b.check(items, values)
		}
		return err
	})
	return values, err
}

func badResponse(format string, args ...any) error {
	return &backends.Failure{Cause: backends.BadResponse, Message: fmt.Sprintf(format, args...)}
}
