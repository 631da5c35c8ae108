// Package limit wraps a Model so that it is not asked too fast or too much at
// once. It owns waiting and nothing else: it neither retries nor changes
// requests or answers.
//
// Its opinion: a limit belongs to a server, not to a model; models that share
// a server share one Limit.
package limit

import (
	"context"
	"fmt"

	"golang.org/x/time/rate"

	"infnet/backends"
)

// Options are the limits of one server.
type Options struct {
	Rate     float64 // requests per second; 0 = no limit
	Burst    int     // requests that may start at once after a pause; 0 = 1
	InFlight int     // calls at the same time; 0 = no limit
}

// Limit is the limits of one server and what is used of them. It is safe for
// concurrent use.
type Limit struct {
	rate  *rate.Limiter
	slots chan struct{} // nil = no limit
}

// New returns a limit nothing uses yet.
func New(o Options) *Limit {
	r, burst := rate.Inf, max(1, o.Burst)
	if o.Rate > 0 {
		r = rate.Limit(o.Rate)
	}
	l := &Limit{rate: rate.NewLimiter(r, burst)}
	if o.InFlight > 0 {
		l.slots = make(chan struct{}, o.InFlight)
	}
	return l
}

// Model wraps a model of the server.
func (l *Limit) Model(m backends.Model) *Model { return &Model{inner: m, limit: l} }

// Model waits for its turn.
type Model struct {
	inner backends.Model
	limit *Limit
}

var (
	_ backends.Model   = (*Model)(nil)
	_ backends.Wrapper = (*Model)(nil)
)

// Unwrap returns the model inside.
func (m *Model) Unwrap() backends.Model { return m.inner }

// Answer waits for a slot and for the rate to allow every request of the
// call, then asks. It returns the context's error if that ends first.
func (m *Model) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	begin, stop := backends.Beginning(ctx)
	defer stop()
	if m.limit.slots != nil {
		select {
		case m.limit.slots <- struct{}{}:
			defer func() { <-m.limit.slots }()
		case <-begin.Done():
			return nil, context.Cause(begin)
		}
	}
	for left := len(reqs); left > 0; {
		n := min(left, m.limit.rate.Burst())
		if err := m.limit.rate.WaitN(begin, n); err != nil {
			return nil, fmt.Errorf("wait for the rate limit of %v requests a second: %w", m.limit.rate.Limit(), err)
		}
		left -= n
	}
	return m.inner.Answer(ctx, reqs)
}
