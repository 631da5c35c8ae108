package serving

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/supervisor"
	"infnet/harness/fault"
)

// ports is how many ports are tried for a server: another program may take one before it does.
const ports = 3

// replica is one server of a model.
type replica struct {
	servers *Servers
	number  int // from 0
	devices []string
	port    int // 0 = none was chosen yet

	mu      sync.Mutex
	process *supervisor.Process // nil = none was started
	ready   bool
	died    int   // times, after it was ready
	healthy bool  // as it said when it was last asked
	hangs   bool  // it was stopped, since it left calls open
	wants   error // why it was not ready then
	err     error // it will not be ready again
}

// begin starts the server for the first time, and waits until it is ready.
func (r *replica) begin(ctx context.Context) error {
	for try := 1; ; try++ {
		port, err := freePort()
		if err != nil {
			return fmt.Errorf("model %s: find a free port: %w", r.servers.model.Name, err)
		}
		r.port = port
		err = r.start(ctx)
		var dead *DeadError
		if err == nil || !errors.As(err, &dead) || !dead.Diagnosis.Port || try == ports {
			return err
		}
	}
}

// start starts the server and waits until it is ready.
func (r *replica) start(ctx context.Context) error {
	l := r.servers.model.Task.Launch
	c := engine.Build(r.task())
	p, err := supervisor.Start(ctx, supervisor.Server{
		Name: r.servers.model.Name, Path: c.Args[0], Args: c.Args[1:], Env: c.Environ(os.Environ()),
		Log: r.log(), Grace: grace,
		State: r.servers.opt.State, Secrets: secrets(r.servers.key), Routine: []string{engine.Health(r.task())},
	})
	if err != nil {
		_, install := engine.Program(l)
		return fmt.Errorf("model %s: %w; to install %s: %s", r.servers.model.Name, err, engine.Name(l), install)
	}
	r.mu.Lock()
	r.process, r.ready, r.wants = p, false, nil
	r.healthy, r.hangs = false, false
	r.mu.Unlock()
	if err := r.await(ctx, p); err != nil {
		return errors.Join(err, p.Stop(context.WithoutCancel(ctx)))
	}
	r.mu.Lock()
	r.ready = true
	r.mu.Unlock()
	return nil
}

// await waits until a process is healthy and has answered once. It ends when the process does, when it is silent
// for too long, and when ctx is done.
func (r *replica) await(ctx context.Context, p *supervisor.Process) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	answered := make(chan error, 1)
	go func() { answered <- r.first(ctx) }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	silence := r.servers.model.Task.Launch.Silence
	for {
		select {
		case err := <-answered:
			if err == nil {
				return nil
			}
			if ctx.Err() == nil {
				return r.broken(p, err)
			}
			return r.givenUp(p, context.Cause(ctx))
		case <-p.Done():
			return r.dead(p)
		case <-ctx.Done():
			return r.givenUp(p, context.Cause(ctx))
		case <-tick.C:
			if silence > 0 && p.Silence() > silence {
				return r.givenUp(p, fmt.Errorf("it logged nothing for %v (silence)", silence))
			}
		}
	}
}

// slowest is the longest time between two calls that ask a server whether it is ready.
const slowest = 2 * time.Second

// mounting is how long a healthy server may answer that it has no such route or model: some list their model first.
const mounting = 30 * time.Second

// first waits for a server's health and then for its first answer. It asks again while the failure is temporary, but
// a healthy server that fails so for longer than its log may be silent is given up: it logs each of these calls.
func (r *replica) first(ctx context.Context) error {
	var failing time.Time // since when it is healthy and fails
	silence := r.servers.model.Task.Launch.Silence
	for wait := 200 * time.Millisecond; ; wait = min(wait+wait/4, slowest) {
		err := r.health(ctx)
		if err == nil {
			r.mu.Lock()
			r.healthy = true
			r.mu.Unlock()
			err = r.servers.model.Ready(ctx, engine.URL(r.port), r.servers.key)
			var f *backends.Failure
			if failing.IsZero() {
				failing = time.Now()
			}
			early := errors.As(err, &f) && f.Status == 404 && time.Since(failing) < mounting
			if err == nil || ctx.Err() == nil && !(f != nil && f.Temporary() || early) {
				return err
			}
			if silence > 0 && time.Since(failing) > silence && ctx.Err() == nil {
				return fmt.Errorf("its first call has failed for %v (silence): %w", silence, err)
			}
			err = fmt.Errorf("it is healthy, and its first call failed: %w", err)
		} else {
			failing = time.Time{}
		}
		if ctx.Err() == nil {
			r.mu.Lock()
			r.wants, r.healthy = err, !failing.IsZero()
			r.mu.Unlock()
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
	}
}

// lacks says why a server is not ready yet; "" = it was not asked.
func (r *replica) lacks() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.wants == nil {
		return ""
	}
	return "; when it was last asked: " + r.wants.Error()
}

// keep starts a server again when it dies, until the servers are stopped.
func (r *replica) keep() {
	s := r.servers
	for restarts := 0; ; restarts++ {
		p := r.process // nobody else sets it now
		s.keep.Go(func() { r.watch(p) })
		select {
		case <-s.life.Done():
			return
		case <-p.Done():
		}
		if s.life.Err() != nil {
			return
		}
		dead := r.dead(p)
		r.mu.Lock()
		r.died++
		r.ready = false
		if restarts >= s.model.Task.Launch.Restarts {
			r.err = usedUp(dead, restarts)
		}
		final := r.err != nil
		r.mu.Unlock()
		if final {
			r.lost(dead.Brief())
			return
		}
		s.opt.Screen.Warn("the server died, and is started again; calls wait for it", "model", s.model.Name,
			"cause", dead.Brief(), "log", dead.Log, "restart", restarts+1, "of", s.model.Task.Launch.Restarts)
		if err := r.again(); err != nil {
			r.mu.Lock()
			r.err = fault.Model.Wrap(err)
			r.mu.Unlock()
			if s.life.Err() == nil {
				r.lost(brief(err))
			}
			return
		}
	}
}

// watch stops a ready server that hangs: while calls are open, it leaves a short one of our own without an answer, too,
// twice in a row, together for as long as its log may be silent while it starts.
func (r *replica) watch(p *supervisor.Process) {
	s := r.servers
	silence := s.model.Task.Launch.Silence
	for unanswered := 0; silence > 0 && unanswered < 2; {
		before, late := s.answered.Load(), false
		select {
		case <-p.Done():
			return
		case <-s.life.Done():
			return
		case <-time.After(silence / 10):
		}
		if s.open.Load() > 0 {
			ctx, cancel := context.WithTimeout(s.life, silence/2)
			late = s.model.Ready(ctx, engine.URL(r.port), s.key) != nil && ctx.Err() != nil
			cancel()
		}
		if unanswered++; !late || len(s.replicas) == 1 && s.answered.Load() > before {
			unanswered = 0
		}
	}
	if silence <= 0 || s.life.Err() != nil {
		return
	}
	r.mu.Lock()
	r.hangs = true
	r.mu.Unlock()
	_ = p.Stop(s.life) // keep hears how it ended
}

// lost says that a server is gone for good while others of its model go on; without others the run ends with an error.
func (r *replica) lost(cause string) {
	s := r.servers
	for _, other := range s.replicas {
		other.mu.Lock()
		works := other.err == nil
		other.mu.Unlock()
		if works {
			s.opt.Screen.Warn("the server died, and is not started again; the others of its model go on", "model",
				s.model.Name, "cause", cause, "log", r.log())
			return
		}
	}
}

// again starts a dead server at its port.
func (r *replica) again() error {
	done := r.servers.opt.Screen.Wait("starting "+r.servers.model.Name+" again", r.servers.status)
	defer done()
	return r.start(r.servers.life)
}

// stop stops the server, and returns when it is gone.
func (r *replica) stop(ctx context.Context) error {
	r.mu.Lock()
	p := r.process
	r.mu.Unlock()
	if p == nil {
		return nil
	}
	if err := p.Stop(ctx); err != nil && !errors.Is(err, errHurry) {
		return fmt.Errorf("stop the server of %s: %w", r.servers.model.Name, err)
	}
	return nil
}

// said is the last line of the log of a server that is not ready, or why its first call failed.
func (r *replica) said() (line string, waits bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.process == nil || r.ready {
		return "", false
	}
	if r.healthy && r.wants != nil {
		return r.wants.Error(), true
	}
	return r.process.LastLine(), true
}

// task is what the server is started for.
func (r *replica) task() engine.Task {
	t := r.servers.model.Task
	t.Port, t.Key, t.Devices, t.Home = r.port, r.servers.key, r.devices, r.servers.opt.Home
	return t
}

// log is the file of what the server prints.
func (r *replica) log() string {
	name := r.servers.model.Name
	if len(r.servers.replicas) > 1 {
		name += "-" + strconv.Itoa(r.number+1)
	}
	return filepath.Join(r.servers.opt.Logs, name+".log")
}

// secrets are what no log may hold.
func secrets(key backends.Secret) []string {
	if key == "" {
		return nil
	}
	return []string{key.Reveal()}
}

// freePort finds a port of loopback that nobody listens on.
func freePort() (int, error) {
	l, err := net.Listen("tcp", engine.Host+":0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
