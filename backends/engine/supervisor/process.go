// Package supervisor starts model servers and guarantees that none survives. It owns the processes
// of a server: their start, their log, their end. It knows nothing of models, ports or GPUs, and asks no server
// anything.
//
// Engines' workers leave their parent's process group, and after kill -9 infnet sends no signal. So each server
// runs under a supervisor: this binary, started once more by Start and taken over by Main. It is the subreaper of
// all processes below it, in a session of its own (a signal from the terminal does not reach it), and reads a pipe
// that infnet holds open. When that pipe ends it stops every descendant: SIGTERM, a time of grace, SIGKILL until
// none is left. If the supervisor is killed, infnet does that, with the processes that carry the server's mark.
//
// Output goes through the supervisor into a log, as clean lines without secrets. What infnet says about a server that
// died, it reads there.
//
// A container is no descendant: it lives below the daemon that started it. Its client passes SIGTERM on, so
// "docker run --rm" in the foreground ends with its server; one that does not end within the time of grace goes on.
//
// Linux alone has all of this: elsewhere no server is started.
package supervisor

import (
	"context"
	"crypto/rand"
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
	Server
	pid  int
	from int64        // where its output begins in the log
	stop func() error // asks the supervisor to stop everything
	done chan struct{}

	mu       sync.Mutex
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
		what += fmt.Sprintf("; processes that could not be stopped: %v", e.Left)
	}
	return what
}

// Done is closed when the server and all its processes have ended.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err says how the server ended: nil before Done and after Stop, else an
// *ExitError.
func (p *Process) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}

func (p *Process) finish(e *ExitError) {
	p.mu.Lock()
	switch {
	case !p.stopping:
		p.err = e
	case len(e.Left) > 0:
		p.err = fmt.Errorf("server %q: processes that could not be stopped: %v", p.Name, e.Left)
	}
	p.mu.Unlock()
	close(p.done)
}

// Stop ends the server: SIGTERM to all its processes, its time of grace, SIGKILL. It returns when none is left. Further
// calls wait as well.
func (p *Process) Stop() error {
	p.mu.Lock()
	select {
	case <-p.done: // ended by itself: Err says how
	default:
		p.stopping = true
	}
	p.mu.Unlock()
	_ = p.stop() // fails if it was asked before, or the supervisor has ended: then Done follows
	<-p.done
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopping {
		return p.err
	}
	return nil
}

// Server is a program to start, and where its output goes.
type Server struct {
	Name    string        // in messages, such as "student"
	Path    string        // the program: a path, or a name on the PATH
	Args    []string      // without the program's name
	Env     []string      // the whole environment, "NAME=value"
	Log     string        // file for the output, appended to; its folder is made
	Grace   time.Duration // between SIGTERM and SIGKILL
	Secrets []string      // never written to the log, in no encoding
}

// The supervisor's process is recognised by both of these; neither can be a
// command of infnet.
const (
	title    = "infnet-supervisor"
	variable = "INFNET_SUPERVISOR"
)

// marker is the environment variable that all processes of a server carry. Its
// value is different for each start.
const marker = "INFNET_SERVER"

// hasMain reports that Main was called: a program that does not call it would
// run itself again instead of a supervisor.
var hasMain atomic.Bool

// order is what the supervisor is asked to start. It goes through a pipe, as it
// holds secrets; arguments and environment are visible to others.
type order struct {
	Server
	Mark string
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
	for _, p := range []*string{&s.Path, &s.Log} {
		if *p, err = filepath.Abs(*p); err != nil {
			return o, err
		}
	}
	// SPT_NOENV: setproctitle, which vLLM's workers call, otherwise writes over the environment that /proc shows,
	// and the mark would be gone.
	o = order{Server: s, Mark: marker + "=" + strings.ToLower(rand.Text())}
	o.Env = slices.DeleteFunc(slices.Clone(s.Env), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return slices.Contains([]string{"SPT_NOENV", marker, variable}, name)
	})
	o.Env = append(o.Env, "SPT_NOENV=1", o.Mark)
	return o, nil
}

// Silence is how long the server has printed nothing.
func (p *Process) Silence() time.Duration {
	info, err := os.Stat(p.Log)
	if err != nil {
		return 0
	}
	return time.Since(info.ModTime())
}
