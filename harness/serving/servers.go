package serving

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"infnet/backends"
	"infnet/backends/engine"
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
	name, n := engine.Name(s.model.Task.Launch), len(s.replicas)
	what := fmt.Sprintf("starting %s for %s", name, s.model.Name)
	if n > 1 {
		what = fmt.Sprintf("starting %d servers (%s) for %s", n, name, s.model.Name)
	}
	began := time.Now()
	defer s.opt.Screen.Wait(what, s.status)()
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
	s.opt.Screen.Info("ready", "model", s.model.Name, "engine", name, "servers", n, "took",
		time.Since(began).Round(100*time.Millisecond))
	return nil
}

// status is the last line of the log of a server that is not ready yet, or why its first call failed.
func (s *Servers) status() (line string) {
	for _, r := range s.replicas {
		r.change(func() {
			switch {
			case line != "" || r.process == nil || r.ready:
			case r.healthy && r.wants != nil:
				line = r.wants.Error()
			default:
				line = r.process.LastLine()
			}
		})
	}
	return line
}

// errHurry ends the wait for servers that are being stopped: their supervisors go on with it.
var errHurry = errors.New("left to its supervisor, which stops it")

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
	return errors.Join(s.each(func(r *replica) error {
		if r.process == nil {
			return nil
		}
		if err := r.process.Stop(ctx); err != nil && !errors.Is(err, errHurry) {
			return fmt.Errorf("stop the server of %s: %w", s.model.Name, err)
		}
		return nil
	})...)
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
