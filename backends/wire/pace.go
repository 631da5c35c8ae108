package wire

import (
	"context"
	"time"
)

// A refusal for coming too fast concerns every call to its URL, not the one that met it. Nothing is sent until the time
// that the server named. Then calls go as far apart as they were taken lately, the waits included, and slowly closer
// while none is refused, since each refusal costs its wait. So the calls soon come as fast as the server takes them,
// whether it counts by the minute, by the second or by tokens in a bucket, and few are refused again.
const (
	growth  = 0.0005                 // share by which calls move closer in a second …
	ramp    = 30.0                   // … (1 + (t/ramp)²) times as much t seconds after an opening
	back    = 1.03                   // by which they move apart where calls that close were refused
	enough  = 32                     // calls taken before a rate is measured anew
	rounded = time.Second            // how much later than the true one a named time may be
	idle    = time.Second            // a longer time without a call that may start is not held against the rate
	step    = time.Second            // wait where the server names none and no rate is known; else two gaps
	part    = 12                     // of the time since a call was taken: such waits are at least this, …
	longest = 15 * time.Second       // … but no more
	patient = 2                      // openings in a row that nothing comes of before a named time is no longer believed
	trial   = 250 * time.Millisecond // between calls while none was ever taken; less by a fifth after each
)

// pace is when the next call to one URL may start. Its zero value holds no call back. It is not safe for concurrent
// use.
type pace struct {
	next         time.Time     // no call starts before
	gap          time.Duration // between the starts of two calls; 0 = none
	blind        bool          // the gap is no measured one
	since        time.Time     // when the rate's measurement began
	from, epoch  int           // the opening of then, and of now
	taken        int           // calls taken since then, but for those of this opening
	opened       time.Time     // when it opened last
	shut         bool          // refused since: the next call opens again
	sent, denied int           // calls since then, and those of them that were refused
	blank        int           // openings in a row that nothing came of
	last         time.Time     // when the last opening ended that something came of
}

// start counts a call that starts now, which is not before next. refused wants what it returns.
func (p *pace) start(now time.Time) (epoch int) {
	if p.shut {
		p.open(now)
	}
	lately := now.Sub(p.next)
	switch {
	case p.since.IsZero():
		p.since, p.opened = now, now
	case lately > idle:
		p.since = p.since.Add(lately)
	}
	p.sent++
	if p.next = p.next.Add(p.gap); p.next.Before(now) { // late by more than a gap, which is not made up for
		p.next = now
	}
	if p.blind {
		p.gap -= p.gap / 5
		return p.epoch
	}
	t := now.Sub(p.opened).Seconds() / ramp
	p.gap -= time.Duration(min(0.5, growth*p.gap.Seconds()*(1+t*t)) * float64(p.gap))
	return p.epoch
}

// open begins the counts anew. The gap becomes that of the rate at which calls were taken since the measurement began,
// but hardly more than the one that was refused, where the two are alike: what the waits cost is no rate.
func (p *pace) open(now time.Time) {
	if taken := p.sent - p.denied; taken > 0 {
		if p.taken >= enough {
			p.since, p.taken, p.from = p.opened, 0, p.epoch
		}
		p.taken, p.blank = p.taken+taken, 0
	} else {
		p.blank++
	}
	switch took := p.next.Sub(p.since); {
	case p.taken <= 0:
		p.gap, p.blind = trial, true
	case p.blind || p.gap == 0 || took > time.Duration(2*p.taken)*p.gap+rounded:
		p.gap, p.blind = took/time.Duration(p.taken), false
	case p.blank > patient && p.taken >= enough:
		p.gap = max(p.gap, took/time.Duration(p.taken))
	case p.blank == 0:
		p.gap = min(took/time.Duration(p.taken), time.Duration(back*float64(p.gap)))
	}
	p.sent, p.denied, p.shut = 0, 0, false
	p.next, p.opened = now, now
	p.epoch++
}

// refused says that a call, which started in an epoch, was refused now, and to come again after a time; 0 = the server
// named none.
func (p *pace) refused(now time.Time, epoch int, after time.Duration) {
	switch {
	case epoch == p.epoch:
		p.denied++
		if p.shut {
			break
		}
		p.shut = true
		if p.sent > p.denied || p.last.IsZero() {
			p.last = now
		}
		named := after > 0
		if !named {
			if after = step; p.gap > 0 && !p.blind {
				after = min(step, 2*p.gap)
			}
		}
		if p.blank > patient || !named {
			after = max(after, min(longest, now.Sub(p.last)/part))
		}
	case epoch >= p.from:
		p.taken--
		fallthrough
	default:
		if !p.shut {
			return // of an earlier opening: it says nothing about this one
		}
	}
	if until := now.Add(after); until.After(p.next) {
		p.next = until
	}
}

// line is where calls wait for their turn, first come, first served.
type line chan struct{}

// try calls attempt if nobody waits, and reports whether it returned a time that has come.
func (l line) try(attempt func(now time.Time) (due time.Time)) bool {
	select {
	case l <- struct{}{}:
	default:
		return false
	}
	defer func() { <-l }()
	now := time.Now()
	return !attempt(now).After(now)
}

// wait calls attempt, when all who came before have gone, until it returns a time that has come; else it waits for it.
// The error is the context's, where that ends first.
func (l line) wait(ctx context.Context, attempt func(now time.Time) (due time.Time)) error {
	select {
	case l <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { <-l }()
	for {
		now := time.Now()
		due := attempt(now)
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
