package openai

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"infnet/backends"
)

const (
	troubles = 3 // server errors or timeouts in a row that take a URL out; one broken connection does
	doubling = 3 // how often the cool-down doubles
)

// endpoint is one URL of a model.
type endpoint struct {
	base string // ends before /chat/completions
	root string // base without a last /v1: where servers keep their own routes

	numbered atomic.Bool // it speaks HTTP/2, which numbers responses itself

	inFlight int
	picked   uint64    // when it was last picked, in picks
	troubled int       // failures in a row
	outages  int       // times it was taken out since it last answered
	until    time.Time // left alone until then
}

// balancer picks the URL for a call: among the working ones, the one with the fewest calls in
// flight. A URL that failed is skipped for a cool-down, then tried with one call at a time until it
// answers. If none works, the one whose cool-down ends first is tried anyway; the caller decides
// whether to wait.
type balancer struct {
	mu       sync.Mutex
	all      []*endpoint
	coolDown time.Duration
	picks    uint64
	now      func() time.Time
}

func (b *balancer) pick() *endpoint {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.now()
	rank := func(e *endpoint) int {
		switch {
		case now.Before(e.until):
			return 2
		case e.outages > 0 && e.inFlight > 0: // on trial, with one call
			return 1
		}
		return 0
	}
	e := slices.MinFunc(b.all, func(x, y *endpoint) int {
		if d := rank(x) - rank(y); d != 0 {
			return d
		}
		if rank(x) == 2 {
			return x.until.Compare(y.until)
		}
		if d := x.inFlight - y.inFlight; d != 0 {
			return d
		}
		if x.picked < y.picked {
			return -1
		}
		return 1
	})
	b.picks++
	e.picked = b.picks
	e.inFlight++
	return e
}

// done reports how a call went; f is nil where the server answered. A failure caused by the request
// itself, or by the caller's time limit, says nothing about the server.
func (b *balancer) done(e *endpoint, f *backends.Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.inFlight--
	if f == nil {
		e.troubled, e.outages = 0, 0
		return
	}
	out := false
	switch f.Cause {
	case backends.Connection:
		out = true
	case backends.ServerError, backends.Timeout:
		e.troubled++
		out = e.troubled >= troubles || e.outages > 0
	case backends.RateLimited:
	default:
		e.troubled, e.outages = 0, 0
		return
	}
	rest := f.RetryAfter
	if out {
		rest = max(rest, b.coolDown<<min(e.outages, doubling))
		e.outages++
	}
	if until := b.now().Add(rest); rest > 0 && until.After(e.until) {
		e.until = until
	}
}

// forget takes back a pick whose call ended because the caller gave up.
func (b *balancer) forget(e *endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.inFlight--
}
