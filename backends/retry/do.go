package retry

import (
	"context"
	"errors"
	"time"

	"infnet/backends"
)

// Do makes a call that answers no request, such as asking a server what it
// offers, and makes it again, with the waits of a Model, while its error is a
// temporary *backends.Failure. It returns the last error, or the context's
// where that ends first.
func Do(ctx context.Context, opt Options, call func(context.Context) error) error {
	return New(nil, opt).do(ctx, 1, func() error { return call(ctx) })
}

// do makes one call about n items until it succeeds or may not be made again.
func (m *Model) do(ctx context.Context, n int, call func() error) (err error) {
	tries := 0
	m.persist(ctx, func() (int, *backends.Failure) {
		var f *backends.Failure
		if err = call(); err == nil || !errors.As(err, &f) || !m.again(f, &tries) {
			return 0, nil
		}
		return n, f
	})
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// again counts a failed try, and reports whether there may be another. A server that says when to come back has not
// tried: time alone limits how often it may say so.
func (m *Model) again(f *backends.Failure, tries *int) bool {
	if !f.Temporary() {
		return false
	}
	if !f.Later() {
		*tries++
	}
	return *tries < m.opt.Tries
}

// persist calls round, and waits, until nothing is left to ask again, the time is used up, or no call may start any
// more. round returns how many items are left, and a failure of one of them.
func (m *Model) persist(ctx context.Context, round func() (left int, f *backends.Failure)) {
	start, bound := time.Now(), min(m.opt.First, m.opt.Longest)
	for {
		left, f := round()
		if left == 0 || !backends.MayBegin(ctx) { // a stop ends the waits, not the call under way
			return
		}
		var wait time.Duration
		if f.RetryAfter > 0 { // a little later than asked, each client at its own time
			wait = f.RetryAfter + m.draw(m.opt.First)
		} else { // full jitter
			wait = m.draw(bound)
			bound = min(2*bound, m.opt.Longest)
		}
		if time.Since(start)+wait > m.opt.Elapsed {
			return
		}
		if m.opt.Notify != nil {
			m.opt.Notify(left, *f, wait)
		}
		if !pause(ctx, wait) {
			return
		}
	}
}

// pause waits, and reports whether a call may start then.
func pause(ctx context.Context, wait time.Duration) bool {
	begin, stop := backends.Beginning(ctx)
	defer stop()
	select {
	case <-time.After(wait):
		return true
	case <-begin.Done():
		return false
	}
}

// draw returns a duration uniform in [0, bound), or bound where there is no
// stream to draw from.
func (m *Model) draw(bound time.Duration) time.Duration {
	if m.opt.Rand == nil {
		return bound
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Duration(m.opt.Rand.Int64N(int64(bound)))
}
