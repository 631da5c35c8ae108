package serving

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/supervisor"
	"infnet/harness/fault"
)

// replica is one server of a model.
type replica struct {
	servers *Servers
	number  int // from 0
	devices []string
	port    int // 0 = none was chosen yet

	mu      sync.Mutex
	process *supervisor.Process // nil = none was started
	ready   bool
	changes int   // how often it became ready, and how often it died after that
	err     error // it will not be ready again
}

// change reads or changes what others read, too.
func (r *replica) change(do func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	do()
}

// begin starts the server for the first time, and waits until it is ready.
func (r *replica) begin(ctx context.Context) error {
	for try := 1; ; try++ {
		// below the ports that systems give to connections, which may take such a port before the server does
		l, err := net.Listen("tcp", net.JoinHostPort(engine.Host, strconv.Itoa(20000+rand.IntN(12000))))
		if err == nil {
			r.port = l.Addr().(*net.TCPAddr).Port
			_ = l.Close()
			err = r.start(ctx)
			if dead := (&deadError{}); err == nil || !errors.As(err, &dead) || !dead.port {
				return err
			}
		}
		if try == ports {
			return err
		}
	}
}

func (r *replica) start(ctx context.Context) error {
	m, t := r.servers.model, r.task()
	c := engine.Build(t)
	p, err := supervisor.Start(ctx, supervisor.Server{Name: m.Name, Path: c.Args[0], Args: c.Args[1:],
		Env: c.Environ(os.Environ()), Log: r.log(), Grace: grace, Secrets: []string{t.Key.Reveal()}})
	if err != nil {
		return fmt.Errorf("model %s: %w", m.Name, err)
	}
	r.change(func() { r.process, r.ready = p, false })
	if err := r.await(ctx, p); err != nil {
		return errors.Join(err, p.Stop())
	}
	r.change(func() { r.ready, r.changes = true, r.changes+1 })
	return nil
}

// mounting is how long a healthy server may answer that it has no such route or model: some list their model first.
const mounting = 30 * time.Second

// await waits until a process is healthy and has answered once. It ends when the process does, when it is silent
// for too long, and when ctx is done. A healthy server is asked again while its failure is temporary.
func (r *replica) await(ctx context.Context, p *supervisor.Process) error {
	var failing time.Time // since when it is healthy and fails
	for wait := 100 * time.Millisecond; ; wait = min(wait+wait/4, 2*time.Second) {
		err, fatal := health(ctx, r.task()), false
		if err == nil {
			if failing.IsZero() {
				failing = time.Now()
			}
			limited, cancel := context.WithTimeout(ctx, giveUp)
			err = r.servers.model.Ready(limited, engine.URL(r.port), r.servers.key)
			cancel()
			if err == nil {
				return nil
			}
			var f *backends.Failure
			fatal = !errors.As(err, &f) || !f.Temporary() && (f.Status != 404 || time.Since(failing) > mounting)
		}
		select {
		case <-p.Done():
			return r.dead(p)
		case <-ctx.Done():
			return fmt.Errorf("model %s: stopped while its server was starting: %w", r.servers.model.Name, context.Cause(ctx))
		case <-time.After(wait):
		}
		switch {
		case fatal || !failing.IsZero() && time.Since(failing) > giveUp:
			select {
			case <-p.Done(): // the call failed because the server ended
				return r.dead(p)
			case <-time.After(2 * time.Second):
			}
			return r.about(p, fmt.Sprintf("is healthy and does not answer: %v", err))
		case failing.IsZero() && p.Silence() > giveUp:
			return r.about(p, fmt.Sprintf("was not ready: it logged nothing for %v", giveUp))
		}
	}
}

// health asks a server of this machine for its health. nil = it answered 200.
func health(ctx context.Context, t engine.Task) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	url := fmt.Sprintf("http://%s:%d%s", engine.Host, t.Port, engine.Health(t))
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+t.Key.Reveal())
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}} // no proxy: it is on loopback
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, 1<<20))
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answers %s", url, resp.Status)
	}
	return nil
}

// keep starts a server again when it dies, until the servers are stopped.
func (r *replica) keep() {
	s := r.servers
	for again := 1; ; again++ {
		p := r.process // nobody else sets it now
		select {
		case <-s.life.Done():
			return
		case <-p.Done():
		}
		if s.life.Err() != nil {
			return
		}
		dead := r.dead(p)
		if again > restarts {
			err := fault.Model.Wrap(fmt.Errorf("%w\nits server was started again %d times; everything received is on "+
				"disk, and the same command goes on from there", dead, restarts))
			r.change(func() { r.changes, r.ready, r.err = r.changes+1, false, err })
			return
		}
		r.change(func() { r.changes, r.ready = r.changes+1, false })
		s.fleet.screen.Warn("the server died, and is started again; calls wait for it", "model", s.model.Name, "cause",
			dead.brief, "log", r.log(), "restart", again, "of", restarts)
		if err := r.start(s.life); err != nil { // at its port
			r.change(func() { r.err = fault.Model.Wrap(err) })
			return
		}
	}
}

func (r *replica) task() engine.Task {
	t := r.servers.model.Task
	t.Port, t.Key, t.Devices = r.port, r.servers.key, r.devices
	return t
}

func (r *replica) log() string {
	name := r.servers.model.Name
	if len(r.servers.replicas) > 1 {
		name += "-" + strconv.Itoa(r.number+1)
	}
	return filepath.Join(r.servers.fleet.logs, name+".log")
}

type deadError struct {
	brief string // what happened, and its cause where it is known
	text  string // all of it: the fix, and the last lines of its log
	port  bool   // its port was taken: another one may do
}

func (e *deadError) Error() string { return e.text }

func (r *replica) dead(p *supervisor.Process) *deadError {
	if err := p.Err(); err != nil {
		return r.about(p, err.Error())
	}
	return r.about(p, "ended by itself")
}

// about makes an error about a process of the server: what happened, the cause as its log has it, its last lines.
func (r *replica) about(p *supervisor.Process, what string) *deadError {
	const shown, studied = 8, 400 // lines: vLLM passes an error on through three processes, each with its stack
	lines := p.Tail(studied)
	d := engine.Diagnose(lines)
	e := &deadError{brief: what, port: d.Port}
	if d.Cause != "" {
		e.brief += ": " + d.Cause
	}
	e.text = fmt.Sprintf("model %s: its server (%s) %s", r.servers.model.Name, engine.Name(r.servers.model.Task.Launch),
		e.brief)
	if d.Fix != "" {
		e.text += ": " + d.Fix
	}
	lines = lines[max(0, len(lines)-shown):]
	if d.Line != "" && !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, d.Line) }) {
		e.text += "\nit said:\n    " + d.Line
	}
	e.text += "\nits last lines, of " + r.log() + ":"
	for _, line := range lines {
		e.text += "\n    " + line
	}
	return e
}
