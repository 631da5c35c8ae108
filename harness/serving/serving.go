// Package serving starts the servers of a study's models, and stops them. It owns whose turn it is, which GPUs and
// port a server gets, when it is ready, and what happens when it dies. It refuses to know what is asked of a
// server, how an engine is called (backends/engine), and how a process is stopped for certain
// (backends/engine/supervisor).
//
// Its opinion: one model at a time. A study needs the memory of its largest model, not of all of them together.
package serving

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
)

const (
	restarts = 2 // of a server that dies
	ports    = 3 // tried for a server: another program may take one before it does
)

var (
	grace  = 10 * time.Second // a server may take to end by itself
	giveUp = 10 * time.Minute // a starting server that logs nothing so long, or fails so long, is given up
)

// Model is a model to be served.
type Model struct {
	Name string      // in the study
	Task engine.Task // without what each server gets: port, key and devices

	// Ready asks a server that is healthy for one answer. A temporary *backends.Failure means: not yet.
	Ready func(ctx context.Context, url string, key backends.Secret) error
}

// Screen shows what servers do.
type Screen interface {
	Info(message string, about ...any)
	Warn(message string, about ...any)
}

// Fleet is the servers of a study. At most one model is served at a time.
type Fleet struct {
	logs   string // folder
	screen Screen

	mu      sync.Mutex // held while servers start and stop
	serving *Servers   // nil = none
}

// New returns a fleet without servers, whose logs will be in a folder.
func New(logs string, screen Screen) *Fleet { return &Fleet{logs: logs, screen: screen} }

// Deal returns the GPUs of each server of a model, as CUDA_VISIBLE_DEVICES names them; an entry
// without any is a server on the CPU. The error says what the machine lacks.
func Deal(ctx context.Context, l *backends.Launch) ([][]string, error) {
	out := make([][]string, l.Servers)
	if l.GPUs == 0 {
		return out, nil
	}
	gpus, err := engine.GPUs(ctx)
	if n := l.Servers * l.GPUs; err == nil && n > len(gpus) {
		err = fmt.Errorf("servers × gpus is %d × %d, and %d GPU(s) are visible", l.Servers, l.GPUs, len(gpus))
	}
	if err != nil {
		return nil, fmt.Errorf("%w; gpus = 0 in the launch table computes on the CPU, where the engine can", err)
	}
	for i := range out {
		out[i] = gpus[i*l.GPUs : (i+1)*l.GPUs]
	}
	return out, nil
}

// Serve returns the running servers of a model. It starts them if they do not run, after those of any other model have
// stopped, and waits until all of them are ready.
func (f *Fleet) Serve(ctx context.Context, m Model) (*Servers, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.serving != nil && f.serving.model.Name == m.Name {
		return f.serving, nil
	}
	if err := f.stop(); err != nil {
		return nil, err
	}
	devices, err := Deal(ctx, m.Task.Launch)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", m.Name, err)
	}
	s := &Servers{model: m, fleet: f, key: backends.Secret("infnet-" + rand.Text())}
	s.life, s.end = context.WithCancel(context.Background())
	for i, d := range devices {
		s.replicas = append(s.replicas, &replica{servers: s, number: i, devices: d})
	}
	f.serving = s
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(err, f.stop())
	}
	return s, nil
}

// Stop stops all servers, and returns when they are gone.
func (f *Fleet) Stop() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stop()
}

func (f *Fleet) stop() error {
	s := f.serving
	if s == nil {
		return nil
	}
	f.serving = nil
	s.end()
	s.keep.Wait()
	return errors.Join(s.each(func(r *replica) error {
		if r.process == nil {
			return nil
		}
		return r.process.Stop()
	})...)
}

// Servers are the running servers of one model.
type Servers struct {
	model    Model
	fleet    *Fleet
	key      backends.Secret
	replicas []*replica

	life context.Context // of the servers
	end  context.CancelFunc
	keep sync.WaitGroup // goroutines that start dead servers again
}

// URLs are the base URLs of the servers. They stay the same when a server is started again.
func (s *Servers) URLs() []string {
	out := make([]string, len(s.replicas))
	for i, r := range s.replicas {
		out[i] = engine.URL(r.port)
	}
	return out
}

// Key is what the servers ask of their clients.
func (s *Servers) Key() backends.Secret { return s.key }

// each does something for all servers at a time, and returns their errors.
func (s *Servers) each(do func(*replica) error) []error {
	errs := make([]error, len(s.replicas))
	var wg sync.WaitGroup
	for i, r := range s.replicas {
		wg.Go(func() { errs[i] = do(r) })
	}
	wg.Wait()
	return errs
}

func (s *Servers) start(ctx context.Context) error {
	name := engine.Name(s.model.Task.Launch)
	s.fleet.screen.Info("starting", "model", s.model.Name, "engine", name, "servers", len(s.replicas), "log",
		s.replicas[0].log())
	began := time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var cause error // of the others: one that is no interruption, if there is one
	for _, err := range s.each(func(r *replica) error {
		err := r.begin(ctx)
		if err != nil {
			cancel() // the others are of no use
		}
		return err
	}) {
		if err != nil && (cause == nil || errors.Is(cause, context.Canceled) && !errors.Is(err, context.Canceled)) {
			cause = err
		}
	}
	if cause != nil {
		return cause
	}
	for _, r := range s.replicas {
		s.keep.Go(r.keep)
	}
	s.fleet.screen.Info("ready", "model", s.model.Name, "took", time.Since(began).Round(100*time.Millisecond))
	return nil
}

// pause waits; false = the context ended first.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}
