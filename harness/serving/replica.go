package serving

import (
	"context"
	"errors"
	"fmt"
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
	changes int   // how often it became ready, and how often it died after that
	healthy bool  // it said so once
	hangs   bool  // it was stopped, since it left calls open
	wants   error // why it was not ready then
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
		port, err := freePort()
		if err != nil {
			return fmt.Errorf("model %s: find a free port: %w", r.servers.model.Name, err)
		}
		r.port = port
		err = r.start(ctx)
		var dead *deadError
		if err == nil || !errors.As(err, &dead) || !dead.port || try == ports {
			return err
		}
	}
}

func (r *replica) start(ctx context.Context) error {
	m, t := r.servers.model, r.task()
	c := engine.Build(t)
	o := supervisor.Server{Name: m.Name, Path: c.Args[0], Args: c.Args[1:], Env: c.Environ(os.Environ()), Log: r.log(),
		Grace: grace, State: r.servers.opt.State, Routine: []string{engine.Health(t)}}
	if t.Key != "" {
		o.Secrets = []string{t.Key.Reveal()}
	}
	p, err := supervisor.Start(ctx, o)
	if err != nil {
		_, install := engine.Program(t.Launch)
		return fmt.Errorf("model %s: %w; to install %s: %s", m.Name, err, engine.Name(t.Launch), install)
	}
	r.change(func() { r.process, r.ready, r.healthy, r.hangs, r.wants = p, false, false, false, nil })
	if err := r.await(ctx, p); err != nil {
		return errors.Join(err, p.Stop(context.WithoutCancel(ctx)))
	}
	r.change(func() { r.ready, r.changes = true, r.changes+1 })
	return nil
}

// await waits until a process is healthy and has answered once. It ends when the process does, when it is silent
// for too long, and when ctx is done.
func (r *replica) await(ctx context.Context, p *supervisor.Process) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answered := make(chan error, 1)
	go func() { answered <- r.first(ctx) }()
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	silence := r.servers.model.Task.Launch.Silence
	for {
		select {
		case err := <-answered:
			if err == nil || ctx.Err() == nil {
				return err
			}
		case <-p.Done():
			return r.dead(p)
		case <-ctx.Done():
			return fmt.Errorf("model %s: stopped while its server was starting: %w", r.servers.model.Name, context.Cause(ctx))
		case <-tick.C:
			if silence > 0 && p.Silence() > silence {
				what := fmt.Sprintf("was not ready: it logged nothing for %v (silence)", silence)
				r.change(func() {
					if r.wants != nil {
						what += "; when it was last asked: " + r.wants.Error()
					}
				})
				return r.about(p, what, engine.Diagnosis{})
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
		err := health(ctx, r.task())
		if err != nil {
			failing = time.Time{}
		} else {
			r.change(func() { r.healthy = true })
			err = r.servers.model.Ready(ctx, engine.URL(r.port), r.servers.key)
			if failing.IsZero() {
				failing = time.Now()
			}
			var f *backends.Failure
			early := errors.As(err, &f) && f.Status == 404 && time.Since(failing) < mounting
			over := silence > 0 && time.Since(failing) > silence
			switch {
			case err == nil:
				return nil
			case ctx.Err() != nil:
			case !early && (f == nil || !f.Temporary()):
				return r.about(r.process, "is healthy and does not answer: "+err.Error(), engine.Diagnosis{})
			case over:
				return r.about(r.process, fmt.Sprintf("is healthy and does not answer: its first call has failed for %v "+
					"(silence): %v", silence, err), engine.Diagnosis{})
			}
			err = fmt.Errorf("it is healthy, and its first call failed: %w", err)
		}
		if ctx.Err() == nil {
			r.change(func() { r.wants = err })
		}
		if !pause(ctx, wait) {
			return context.Cause(ctx)
		}
	}
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
		var err error
		if most := s.model.Task.Launch.Restarts; restarts >= most {
			err = fault.Model.Wrap(fmt.Errorf("%w\nits server was started again as often as restarts in its launch "+
				"table allows (%d); everything received is on disk, and the same command goes on from there", dead, most))
		}
		r.change(func() { r.changes, r.ready, r.err = r.changes+1, false, err })
		if err == nil {
			s.opt.Screen.Warn("the server died, and is started again; calls wait for it", "model", s.model.Name,
				"cause", dead.brief, "log", r.log(), "restart", restarts+1, "of", s.model.Task.Launch.Restarts)
			done := s.opt.Screen.Wait("starting "+s.model.Name+" again", s.status)
			err = fault.Model.Wrap(r.start(s.life)) // at its port
			done()
		}
		if err == nil {
			continue
		}
		r.change(func() { r.err = err })
		if _, _, gone := s.count(); gone == nil && s.life.Err() == nil { // else the run ends with an error
			cause := err.Error()
			if errors.As(err, &dead) {
				cause = dead.brief
			}
			s.opt.Screen.Warn("the server died, and is not started again; the others of its model go on", "model",
				s.model.Name, "cause", cause, "log", r.log())
		}
		return
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
	r.change(func() { r.hangs = true })
	_ = p.Stop(s.life) // keep hears how it ended
}

func (r *replica) task() engine.Task {
	t := r.servers.model.Task
	t.Port, t.Key, t.Devices, t.Home = r.port, r.servers.key, r.devices, r.servers.opt.Home
	return t
}

func (r *replica) log() string {
	name := r.servers.model.Name
	if len(r.servers.replicas) > 1 {
		name += "-" + strconv.Itoa(r.number+1)
	}
	return filepath.Join(r.servers.opt.Logs, name+".log")
}
