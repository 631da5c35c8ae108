// Package retry wraps a Model so that temporary failures are retried. It owns all retries in
// infnet: backends report each failure once, and callers that want retries wrap them. It refuses to
// retry lasting failures or to change answers.
//
// Its opinion: waits are drawn uniformly between zero and a bound that grows exponentially ("full
// jitter"), so that many clients of one server spread out. If a server says how long to wait, that
// is obeyed, and such a call is no try: only the time limits how often a request is put off.
package retry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"infnet/backends"
)

// Options bound the persistence.
type Options struct {
	Tries   int           // calls per request, the first included and those not that the server put off; 0 = 6
	First   time.Duration // bound of the first wait; 0 = 500 ms; doubles with each try
	Longest time.Duration // bound no wait outgrows, unless the server asks for more; 0 = 1 min
	Elapsed time.Duration // no new try after this long since the first call; 0 = 15 min

	// Rand draws the waits: a stream of the study's seed. It has no influence
	// on answers. nil waits for the bounds themselves.
	Rand *rand.Rand

	// Steady, where not nil, makes each call about texts or pairs: it may make it anew before that is a try, as where
	// the server of it died.
	Steady func(ctx context.Context, call func() error) error

	// Notify, where not nil, hears of every wait: how many requests of the
	// call will be asked again, one of their failures, and for how long it
	// waits. It may be called from many goroutines at once.
	Notify func(requests int, f backends.Failure, wait time.Duration)
}

// Model retries.
type Model struct {
	inner backends.Model
	opt   Options
	mu    sync.Mutex // of opt.Rand
}

var _ backends.Wrapper = (*Model)(nil)

// New wraps a model.
func New(m backends.Model, opt Options) *Model {
	opt.Tries, opt.First = cmp.Or(max(opt.Tries, 0), 6), cmp.Or(max(opt.First, 0), 500*time.Millisecond)
	opt.Longest, opt.Elapsed = cmp.Or(max(opt.Longest, 0), time.Minute), cmp.Or(max(opt.Elapsed, 0), 15*time.Minute)
	return &Model{inner: m, opt: opt}
}

// Unwrap returns the model inside.
func (m *Model) Unwrap() backends.Model { return m.inner }

// Answer asks, and asks those again whose failure is temporary or whose answer
// does not pass backends.Check, until all are answered, their tries or the time
// are used up, or the context is done. Answers once received are returned even
// if the context ends while the rest waits; the rest keeps its last failure.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	c := &call{model: m, reqs: reqs, answers: make([]backends.Answer, len(reqs)), tries: make([]int, len(reqs))}
	for i := range reqs {
		c.pending = append(c.pending, i)
	}
	if len(reqs) == 0 {
		return c.answers, ctx.Err()
	}
	m.persist(ctx, func() (int, *backends.Failure) { return c.round(ctx) })
	if c.fatal != nil && !c.received {
		return nil, c.fatal
	}
	if ctx.Err() != nil && !c.received {
		return nil, context.Cause(ctx)
	}
	return c.answers, nil
}

type call struct {
	model    *Model
	reqs     []backends.Request
	answers  []backends.Answer
	pending  []int // requests to ask in the next round
	tries    []int // of each request
	received bool  // at least one request has its final answer
	fatal    error // the model's own error
}

// round asks the pending requests once. It returns how many are to be asked again, and the failure of one, the one that
// asks for the longest wait.
func (c *call) round(ctx context.Context) (left int, worst *backends.Failure) {
	reqs := make([]backends.Request, len(c.pending))
	for i, at := range c.pending {
		reqs[i] = c.reqs[at]
	}
	got, err := c.model.inner.Answer(ctx, reqs)
	if err != nil {
		c.fatal = err
		return 0, nil
	}
	var again []int
	for i, at := range c.pending {
		var a backends.Answer
		if len(got) == len(reqs) {
			a = got[i]
		} else {
			a.Key, a.Failure = reqs[i].Key(), &backends.Failure{Cause: backends.BadResponse,
				Message: fmt.Sprintf("%d answers to %d requests", len(got), len(reqs))}
		}
		a = backends.Pass(reqs[i], a)
		c.answers[at] = a.After(c.answers[at])
		f := a.Failure
		if f == nil || !c.model.again(f, &c.tries[at]) {
			c.received = c.received || f == nil || !f.Temporary()
			continue
		}
		again = append(again, at)
		if worst == nil || f.RetryAfter > worst.RetryAfter {
			worst = f
		}
	}
	c.pending = again
	return len(again), worst
}

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
