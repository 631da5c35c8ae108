// Package workers distributes numbered jobs over CPU threads. It owns the number of threads and the
// buffers of each. It refuses to order jobs: for reproducible output, write each result to its own
// place.
package workers

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
)

// Pool is a fixed number of workers. It is safe for concurrent use; calls share
// the workers.
type Pool[W any] struct {
	free   chan *W // nil entries are made on first use
	worker func() *W
}

// New makes a pool for a number of CPU threads, 0 for all. worker makes one
// worker.
func New[W any](threads int, worker func() *W) *Pool[W] {
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	p := &Pool[W]{free: make(chan *W, threads), worker: worker}
	for range threads {
		p.free <- nil
	}
	return p
}

// Threads is the number of workers.
func (p *Pool[W]) Threads() int { return cap(p.free) }

// Each calls f for 0..n-1, every call with a worker of its own, and waits for
// all. The first error stops the rest.
func (p *Pool[W]) Each(ctx context.Context, n int, f func(w *W, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, p.Threads()) {
		wg.Go(func() {
			var w *W
			select {
			case w = <-p.free:
			case <-ctx.Done():
				return
			}
			if w == nil {
				w = p.worker()
			}
			defer func() { p.free <- w }()
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return
				}
				if err := f(w, i); err != nil {
					cancel(err)
				}
			}
		})
	}
	wg.Wait()
	return context.Cause(ctx)
}
