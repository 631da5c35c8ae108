// Package pace holds calls back while a server refuses them for coming too fast. It owns when the next call to one URL
// may start. It makes no calls, and repeats none.
//
// Its opinion: a refusal concerns every call to its URL, not the one that met it. Nothing is sent until the time that
// the server named. Then one call goes, and more follow, each after a gap: the time that a call took between the last
// two openings, the wait included. So the calls soon come as fast as the server takes them, whether it counts by the
// minute, by the second or by tokens in a bucket, and few are refused again.
package pace

import (
	"context"
	"math"
	"time"
)

const (
	headroom = 1.05                   // pace after an opening over the rate measured before it: limits rise, too
	idle     = time.Second            // a longer time without a call that may start is not held against the rate
	doubling = time.Minute            // of calls without a refusal, in which the pace doubles
	eager    = 0.8                    // of the gap with each call while no rate is known
	step     = 250 * time.Millisecond // first wait where the server names none; it doubles
	longest  = 8 * time.Second        // of those waits
)

// Pace is that of one URL. Its zero value holds no call back. It is not safe for concurrent use.
type Pace struct {
	next   time.Time     // no call starts before
	gap    time.Duration // between the starts of two calls; 0 = none
	since  time.Time     // when the counts began
	sent   int           // calls since then
	denied int           // those of them that were refused
	shut   bool          // refused since: the next call opens again
	blind  bool          // the gap is no measured one
	epoch  int           // openings so far
	step   time.Duration // the last wait that the server did not name
}

// Due is when the next call may start.
func (p *Pace) Due() time.Time { return p.next }

// Start counts a call that starts now, which is not before Due. Refused wants what it returns.
func (p *Pace) Start(now time.Time) (epoch int) {
	if p.shut {
		p.open(now)
	}
	lately := now.Sub(p.next)
	switch {
	case p.since.IsZero():
		p.since = now
	case lately > idle:
		p.since = p.since.Add(lately)
	}
	p.sent++
	p.next = now.Add(p.gap)
	if p.blind {
		p.gap = time.Duration(eager * float64(p.gap))
	} else {
		p.gap -= time.Duration(math.Ln2 * float64(p.gap) * min(1, float64(p.gap)/float64(doubling)))
	}
	if p.gap < time.Millisecond {
		p.gap = 0
	}
	return p.epoch
}

// open begins the counts anew. The gap is that of the rate at which calls were taken since the last opening.
func (p *Pace) open(now time.Time) {
	taken, took := p.sent-p.denied, now.Sub(p.since)
	if p.blind = taken <= 0; p.blind {
		p.gap = max(p.gap, took/time.Duration(max(1, p.sent)))
	} else {
		p.gap, p.step = time.Duration(float64(took)/float64(taken)/headroom), 0
	}
	p.since, p.sent, p.denied, p.shut = now, 0, 0, false
	p.epoch++
}

// Refused says that a call, which started in an epoch, was refused now, and to come again after a time; 0 = the server
// named none.
func (p *Pace) Refused(now time.Time, epoch int, after time.Duration) {
	if after <= 0 && epoch == p.epoch && !p.shut {
		p.step = min(max(step, 2*p.step), longest)
	}
	if after <= 0 {
		after = p.step
	}
	if until := now.Add(after); until.After(p.next) {
		p.next = until
	}
	if epoch == p.epoch { // of an earlier one, it says nothing about this pace
		p.shut = true
		p.denied++
	}
}

// Line is where calls wait for their turn, first come, first served.
type Line chan struct{}

// NewLine returns an empty line.
func NewLine() Line { return make(Line, 1) }

// Wait calls try, when all who came before have gone, until it returns a time that has come; else it waits for it. The
// error is the context's, where that ends first.
func (l Line) Wait(ctx context.Context, try func(now time.Time) (due time.Time)) error {
	select {
	case l <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-l }()
	for {
		now := time.Now()
		due := try(now)
		if !due.After(now) {
			return nil
		}
		timer := time.NewTimer(due.Sub(now))
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return context.Cause(ctx)
		}
	}
}
