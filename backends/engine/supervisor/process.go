package supervisor

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// kept is how many last lines a Process holds. vLLM passes an error on through three processes, each with its stack:
// the line that says what happened is 130 lines above the last.
const kept = 400

// Process is a server that runs, or ran. It is safe for concurrent use.
type Process struct {
	name, log string
	pid       int
	stop      func() error // asks the supervisor to stop everything
	done      chan struct{}

	mu       sync.Mutex
	lines    []string
	last     string // the last of them that was not routine
	partial  string
	grown    time.Time
	stopping bool
	err      error
}

// report is what a supervisor says, a JSON object a line.
type report struct {
	Started int      `json:",omitempty"` // the engine's pid
	Failed  string   `json:",omitempty"` // why it could not be started
	Lines   []string `json:",omitempty"` // output since the last report, at most kept
	Partial string   `json:",omitempty"` // a line that has no end yet
	Grown   bool     `json:",omitempty"` // there was output
	News    bool     `json:",omitempty"` // some of it was not routine
	Last    string   `json:",omitempty"` // its last line that has an end, and was not routine
	End     *ending  `json:",omitempty"` // everything is over
}

type ending struct {
	Code   int
	Signal string
	OOM    bool
	Left   []int
}

// PID is the process of the server's program.
func (p *Process) PID() int { return p.pid }

// Done is closed when the server and all its processes have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the server ended: nil before Done and after Stop, else an
// *ExitError.
func (p *Process) Err() error {
	select {
	case <-p.done:
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.err
	default:
		return nil
	}
}

// LastLine is the newest line of output that is neither blank nor routine, complete or not. It
// is printable text: no control characters, no half of a character.
func (p *Process) LastLine() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.partial != "" {
		return p.partial
	}
	return p.last
}

// Tail returns the last n lines of output, of those that are kept.
func (p *Process) Tail(n int) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tail(n)
}

func (p *Process) tail(n int) []string {
	all := p.lines
	if p.partial != "" {
		all = append(slices.Clone(all), p.partial)
	}
	return slices.Clone(all[max(0, len(all)-n):])
}

// Silence is how long the server has printed nothing but routine.
func (p *Process) Silence() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Since(p.grown)
}

// hear takes in one report.
func (p *Process) hear(r report) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Grown {
		p.partial = r.Partial
	}
	if r.News {
		p.grown = time.Now()
	}
	if r.Last != "" {
		p.last = r.Last
	}
	p.lines = append(p.lines, r.Lines...)
	p.lines = slices.Delete(p.lines, 0, max(0, len(p.lines)-kept))
}

// finish ends the process; e is nil if the supervisor was lost.
func (p *Process) finish(e *ending, left []int) {
	p.mu.Lock()
	exit := &ExitError{Name: p.name, Log: p.log, Lines: p.tail(kept), Lost: e == nil, Left: left}
	if e != nil {
		exit.Code, exit.Signal, exit.OOM, exit.Left = e.Code, e.Signal, e.OOM, e.Left
	}
	switch {
	case !p.stopping:
		p.err = exit
	case len(exit.Left) > 0:
		p.err = fmt.Errorf("server %q: processes that could not be stopped: %s", p.name, list(exit.Left))
	}
	p.mu.Unlock()
	close(p.done)
}

// Stop ends the server: SIGTERM to all its processes, its time of grace, SIGKILL. It returns when none is left, or
// with an error when the context ends first; the supervisor goes on trying. Further calls wait as well.
func (p *Process) Stop(ctx context.Context) error {
	p.mu.Lock()
	first := !p.stopping
	select {
	case <-p.done: // ended by itself: Err says how
	default:
		p.stopping = true
	}
	p.mu.Unlock()
	if first {
		_ = p.stop() // fails if the supervisor has ended: then Done follows
	}
	select {
	case <-p.done:
	case <-ctx.Done():
		return fmt.Errorf("stopping server %q: process %d has not ended yet: %w", p.name, p.pid, context.Cause(ctx))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return p.err
	}
	return nil
}
