package wire

import (
	"context"
	"slices"
	"sync"
	"time"

	"infnet/backends"
)

const (
	troubles = 3 // server errors or timeouts in a row that take a URL out; one broken connection does
	doubling = 3 // how often the cool-down doubles
)

// Endpoint is one URL of a model.
type Endpoint struct {
	Base string // without a slash at its end
	root string // without a last /v1, too: where servers keep routes of their own

	inFlight int
	picked   uint64    // when it was last picked, in picks
	troubled int       // failures in a row
	outages  int       // times it was taken out since it last answered
	until    time.Time // left alone until then
	pace     pace
}

// balancer picks the URL for a call: among the working ones, the one with the fewest calls in
// flight. A URL that failed is skipped for a cool-down, then tried with one call at a time until it
// answers. If none works, the one whose cool-down ends first is tried anyway; the caller decides
// whether to wait. A URL that refused calls for coming too fast gets none before its time.
type balancer struct {
	line     line
	mu       sync.Mutex
	all      []*Endpoint
	coolDown time.Duration
	picks    uint64
}

func (b *balancer) enter(ctx context.Context) (e *Endpoint, epoch int, err error) {
	try := func(now time.Time) time.Time {
		b.mu.Lock()
		defer b.mu.Unlock()
		e = b.best(now)
		if due := e.pace.next; due.After(now) {
			return due
		}
		b.picks++
		e.picked = b.picks
		e.inFlight++
		epoch = e.pace.start(now)
		return now
	}
	if backends.MayBegin(ctx) && b.line.try(try) {
		return e, epoch, nil
	}
	begin, stop := backends.Beginning(ctx)
	defer stop()
	err = b.line.wait(begin, try)
	return e, epoch, err
}

func (b *balancer) best(now time.Time) *Endpoint {
	free := func(e *Endpoint) time.Time {
		if due := e.pace.next; due.After(e.until) {
			return due
		}
		return e.until
	}
	rank := func(e *Endpoint) int {
		switch {
		case now.Before(free(e)):
			return 2
		case e.outages > 0 && e.inFlight > 0: // on trial, with one call
			return 1
		}
		return 0
	}
	return slices.MinFunc(b.all, func(x, y *Endpoint) int {
		if d := rank(x) - rank(y); d != 0 {
			return d
		}
		if rank(x) == 2 {
			return free(x).Compare(free(y))
		}
		if d := x.inFlight - y.inFlight; d != 0 {
			return d
		}
		if x.picked < y.picked {
			return -1
		}
		return 1
	})
}

// done reports how a call went; f is nil where the server answered. A failure caused by the request
// itself, or by the caller's time limit, says nothing about the server.
func (b *balancer) done(e *Endpoint, epoch int, f *backends.Failure) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.inFlight--
	if f == nil {
		e.troubled, e.outages = 0, 0
		return
	}
	if f.Later() {
		e.pace.refused(time.Now(), epoch, f.RetryAfter)
		return
	}
	out := false
	switch f.Cause {
	case backends.Connection:
		out = true
	case backends.ServerError, backends.Timeout:
		e.troubled++
		out = e.troubled >= troubles || e.outages > 0
	default:
		e.troubled, e.outages = 0, 0
		return
	}
	if out {
		if until := time.Now().Add(b.coolDown << min(e.outages, doubling)); until.After(e.until) {
			e.until = until
		}
		e.outages++
	}
}

// forget takes back a pick whose call ended because the caller gave up.
func (b *balancer) forget(e *Endpoint) {
	b.mu.Lock()
	defer b.mu.Unlock()
	e.inFlight--
}
