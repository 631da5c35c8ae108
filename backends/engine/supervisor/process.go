// Package supervisor starts model servers and guarantees that none survives. It owns the processes
// of a server: their start, their log, their end, and the record by which a later run finds what
// an earlier one left. It knows nothing of models, ports or GPUs, and asks no server anything.
//
// Engines' workers leave their parent's process group, and after kill -9 infnet sends no signal. So each server
// runs under a supervisor: this binary, started once more by Start and taken over by Main. It is the subreaper of
// all processes below it, in a session of its own (a signal from the terminal does not reach it), and reads a pipe
// that infnet holds open. When that pipe ends it stops every descendant: SIGTERM, a time of grace, SIGKILL until
// none is left.
//
// Output goes through the supervisor into a log, as clean lines without secrets. What infnet says about a server that
// starts or died, it reads there.
//
// A container is no descendant: it lives below the daemon that started it. Its client passes SIGTERM on, so
// "docker run --rm" in the foreground ends with its server; one that does not end within the time of grace goes on.
//
// Linux alone has all of this: elsewhere no server is started.
package supervisor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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

// Server is a program to start, and where its output and its record go.
type Server struct {
	Name    string        // in messages and records, such as "student"
	Path    string        // the program: a path, or a name on the PATH
	Args    []string      // without the program's name
	Env     []string      // the whole environment, "NAME=value"; nil = this process's
	Log     string        // file for the output, appended to; its folder is made
	Grace   time.Duration // between SIGTERM and SIGKILL
	State   string        // folder of the records of running servers; it is made
	Secrets []string      // never written to the log or to the record, in no encoding
	Routine []string      // a line that contains one of these is no news of the server, as it logs calls of ours
}

// The supervisor's process is recognised by both of these; neither can be a
// command of infnet.
const (
	title    = "infnet-supervisor"
	variable = "INFNET_SUPERVISOR"
)

// Marker is the environment variable that all processes of a server carry. Its
// value is different for each start.
const Marker = "INFNET_SERVER"

// hasMain reports that Main was called: a program that does not call it would
// run itself again instead of a supervisor.
var hasMain atomic.Bool

// order is what the supervisor is asked to start. It goes through a pipe, as it
// holds secrets; arguments and environment are visible to others.
type order struct {
	Server
	Record record
}

// Start starts a server under a supervisor and returns once its program runs, or
// could not be run. The context limits the start alone; the server runs until
// Stop, until it ends by itself, or until this process ends, however it ends.
func Start(ctx context.Context, s Server) (*Process, error) {
	o, err := prepare(s)
	var p *Process
	if err == nil {
		p, err = launch(ctx, o)
	}
	if err != nil {
		return nil, fmt.Errorf("starting server %q: %w", s.Name, err)
	}
	return p, nil
}

func prepare(s Server) (o order, err error) {
	if !hasMain.Load() {
		return o, errors.New("this program does not call supervisor.Main at its beginning, so it cannot supervise a server")
	}
	if s.Path, err = exec.LookPath(s.Path); err != nil && !errors.Is(err, exec.ErrDot) {
		return o, err
	}
	for _, p := range []*string{&s.Path, &s.Log, &s.State} {
		if *p, err = filepath.Abs(*p); err != nil {
			return o, err
		}
	}
	for _, dir := range []string{s.State, filepath.Dir(s.Log)} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return o, fmt.Errorf("no folder for its log and record: %w", err)
		}
	}
	o = order{Server: s, Record: newRecord(s)}
	if o.Env = slices.Clone(s.Env); s.Env == nil {
		o.Env = os.Environ()
	}
	// setproctitle, which vLLM's workers call, otherwise writes over the
	// environment that /proc shows, and the marker would be gone.
	for _, own := range []string{"SPT_NOENV=1", Marker + "=" + o.Record.Marker, variable + "="} {
		name, value, _ := strings.Cut(own, "=")
		o.Env = slices.DeleteFunc(o.Env, func(e string) bool { return strings.HasPrefix(e, name+"=") })
		if value != "" {
			o.Env = append(o.Env, own)
		}
	}
	return o, nil
}
