package supervisor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Process is a server that runs, or ran. It is safe for concurrent use.
type Process struct {
	order
	pid  int
	stop func() error // asks the supervisor to stop everything
	done chan struct{}

	mu       sync.Mutex
	heard    heard
	stopping bool
	err      error
}

// ExitError says how a server ended that nobody asked to stop.
type ExitError struct {
	Code   int    // its exit code; −1 if a signal ended it
	Signal string // "killed", "segmentation fault", …; "" = none
	Lost   bool   // its supervisor was killed, so how it ended is unknown
	Left   []int  // processes that could not be stopped
}

func (e *ExitError) Error() string {
	what := fmt.Sprintf("ended with exit code %d", e.Code)
	switch {
	case e.Lost:
		what = "was stopped, because its supervisor was killed"
	case e.Signal != "":
		if what = "was ended by a signal (" + e.Signal + ")"; e.Signal == "killed" {
			what += ", which a lack of memory does, or another user"
		}
	}
	if len(e.Left) > 0 {
		what += "; processes that could not be stopped: " + list(e.Left)
	}
	return what
}

func list(pids []int) string { return strings.Trim(fmt.Sprint(pids), "[]") }

// Done is closed when the server and all its processes have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the server ended: nil before Done and after Stop, else an
// *ExitError.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *Process) look() heard {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.heard.look(p.Log, p.Routine)
	return p.heard
}

// LastLine is the newest line of output that is neither blank nor routine. It is printable text.
func (p *Process) LastLine() string { return p.look().last }

// Tail returns the last n lines of output, of those that are kept.
func (p *Process) Tail(n int) []string {
	all := p.look().lines
	return slices.Clone(all[max(0, len(all)-n):])
}

// Silence is how long the server has printed nothing but routine.
func (p *Process) Silence() time.Duration { return time.Since(p.look().grown) }

func (p *Process) finish(e *ExitError) {
	p.mu.Lock()
	switch {
	case !p.stopping:
		p.err = e
	case len(e.Left) > 0:
		p.err = fmt.Errorf("server %q: processes that could not be stopped: %s", p.Name, list(e.Left))
	}
	p.mu.Unlock()
	close(p.done)
}

// Stop ends the server: SIGTERM to all its processes, its time of grace, SIGKILL. It returns when none is left, or
// with an error when the context ends first; the supervisor goes on trying. Further calls wait as well.
func (p *Process) Stop(ctx context.Context) error {
	p.mu.Lock()
	select {
	case <-p.done: // ended by itself: Err says how
	default:
		p.stopping = true
	}
	p.mu.Unlock()
	_ = p.stop() // fails if it was asked before, or the supervisor has ended: then Done follows
	select {
	case <-p.done:
	case <-ctx.Done():
		return fmt.Errorf("stopping server %q: process %d has not ended yet: %w", p.Name, p.pid, context.Cause(ctx))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return p.err
	}
	return nil
}
