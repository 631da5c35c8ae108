package retry

import (
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"

	"infnet/backends"
)

// Do makes a call that answers no request, such as asking a server what it
// offers, and makes it again, with the waits of a Model, while its error is a
// temporary *backends.Failure. It returns the last error, or the context's
// where that ends first.
func Do(ctx context.Context, opt Options, call func(context.Context) error) error {
	m := New(nil, opt)
	var last error
	round := func() (struct{}, error) {
		last = call(ctx)
		var f *backends.Failure
		switch {
		case last == nil:
			return struct{}{}, nil
		case !errors.As(last, &f) || !f.Temporary():
			return struct{}{}, backoff.Permanent(last)
		case f.RetryAfter > 0:
			return struct{}{}, &backoff.RetryAfterError{Duration: f.RetryAfter + m.draw(m.opt.First)}
		}
		return struct{}{}, last
	}
	_, err := backoff.Retry(ctx, round, backoff.WithBackOff(&jitter{model: m}), backoff.WithMaxTries(uint(m.opt.Tries)),
		backoff.WithMaxElapsedTime(m.opt.Elapsed),
		backoff.WithNotify(func(_ error, wait time.Duration) {
			var f *backends.Failure
			if m.opt.Notify != nil && errors.As(last, &f) {
				m.opt.Notify(1, *f, wait)
			}
		}))
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return last
	}
	return nil
}
