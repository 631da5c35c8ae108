package serving

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
	"infnet/backends/engine/health"
)

// Servers are the running servers of one model.
type Servers struct {
	model    Model
	opt      Options
	key      backends.Secret
	replicas []*replica

	life context.Context // of the servers
	end  context.CancelFunc
	keep sync.WaitGroup // goroutines that start dead servers again

	open, answered atomic.Int64 // calls of their model
}

// URLs are the base URLs of the servers. They stay the same when a server is started again.
func (s *Servers) URLs() []string {
	out := make([]string, len(s.replicas))
	for i, r := range s.replicas {
		out[i] = engine.URL(r.port)
	}
	return out
}

// Key is what the servers ask of their clients; "" = nothing.
func (s *Servers) Key() backends.Secret { return s.key }

// start starts all servers and waits until they are ready.
func (s *Servers) start(ctx context.Context) error {
	name, n := engine.Name(s.model.Task.Launch), len(s.replicas)
	what := fmt.Sprintf("starting %s for %s", name, s.model.Name)
	if n > 1 {
		what = fmt.Sprintf("starting %d servers (%s) for %s", n, name, s.model.Name)
	}
	began := time.Now()
	done := s.opt.Screen.Wait(what, s.status)
	defer done()
	errs := make([]error, n)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	for i, r := range s.replicas {
		wg.Go(func() {
			if errs[i] = r.begin(ctx); errs[i] != nil {
				cancel() // the others are of no use
			}
		})
	}
	wg.Wait()
	if err := first(errs); err != nil {
		return err
	}
	for _, r := range s.replicas {
		s.keep.Go(r.keep)
	}
	s.opt.Screen.Info("ready", "model", s.model.Name, "engine", name, "servers", n, "took",
		time.Since(began).Round(100*time.Millisecond))
	return nil
}

// first returns the error that caused the others: one that is no interruption, if there is one.
func first(errs []error) error {
	var out error
	for _, err := range errs {
		if err != nil && (out == nil || errors.Is(out, context.Canceled) && !errors.Is(err, context.Canceled)) {
			out = err
		}
	}
	return out
}

// status is the last line of a server's log that is not ready yet.
func (s *Servers) status() string {
	for _, r := range s.replicas {
		if line, waits := r.said(); waits {
			return line
		}
	}
	return ""
}

// stop stops all servers, and returns when they are gone.
func (s *Servers) stop() error {
	s.end()
	defer s.opt.Screen.Wait(fmt.Sprintf("stopping %s for %s", engine.Name(s.model.Task.Launch), s.model.Name),
		func() string { return "" })()
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	go func() {
		select {
		case <-s.opt.Hurry:
			cancel(errHurry)
		case <-ctx.Done():
		}
	}()
	s.keep.Wait()
	errs := make([]error, len(s.replicas))
	var wg sync.WaitGroup
	for i, r := range s.replicas {
		wg.Go(func() { errs[i] = r.stop(ctx) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

// errHurry ends the wait for servers that are being stopped: their supervisors go on with it.
var errHurry = errors.New("left to its supervisor, which stops it")

// deaths counts how often servers died so far.
func (s *Servers) deaths() (n int) {
	for _, r := range s.replicas {
		r.mu.Lock()
		n += r.died
		r.mu.Unlock()
	}
	return n
}

// noticed is how long a broken call waits for the news that its server died.
const noticed = 5 * time.Second

// recovered says whether a call that failed is to be made again: a server died since before, and one is ready now.
// The error says that no server will be ready again.
func (s *Servers) recovered(ctx context.Context, before int) (bool, error) {
	begin, stop := backends.Beginning(ctx) // an interruption ends the wait
	defer stop()
	for limit := time.Now().Add(noticed); s.deaths() == before && s.up(); {
		if !pause(begin, 50*time.Millisecond) { // a server that breaks a connection may be about to end
			return false, context.Cause(begin)
		}
		if s.deaths() == before && (s.healthy(begin) || time.Now().After(limit)) {
			return false, nil
		}
	}
	return true, s.anyReady(begin)
}

// up reports whether some server is ready.
func (s *Servers) up() bool {
	return slices.ContainsFunc(s.replicas, func(r *replica) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.ready
	})
}

// healthy reports whether every server answers.
func (s *Servers) healthy(ctx context.Context) bool {
	for _, r := range s.replicas {
		if r.health(ctx) != nil {
			return false
		}
	}
	return true
}

// anyReady waits until a server is ready, or none will be.
func (s *Servers) anyReady(ctx context.Context) error {
	for {
		var last error
		waiting := false
		for _, r := range s.replicas {
			r.mu.Lock()
			switch {
			case r.err != nil:
				last = r.err
			case r.ready:
				r.mu.Unlock()
				return nil
			default:
				waiting = true
			}
			r.mu.Unlock()
		}
		if !waiting {
			return last
		}
		if !pause(ctx, 50*time.Millisecond) {
			return context.Cause(ctx)
		}
	}
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

// health asks a server's own route.
func (r *replica) health(ctx context.Context) error {
	t := r.task()
	return health.Check(ctx, engine.Root(t.Port)+engine.Health(t), t.Key)
}
