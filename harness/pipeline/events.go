package pipeline

import (
	"context"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/harness/collect"
)

// Events receives the events of an opened study. about are alternating keys and values, as in
// log/slog.
type Events interface {
	Info(message string, about ...any)
	Warn(message string, about ...any)

	// Begin starts a piece of work. Collections follow one another; computations may run side by side.
	Begin(Task) Meter
}

// Task is a piece of work whose progress can be shown.
type Task struct {
	Name     string
	Total    int64
	Done     int64 // of Total, needs no work: it is on disk
	Download bool  // Total and Done count bytes of a file; 0 = not known
}

// Meter shows the progress of a piece of work.
type Meter interface {
	Add(done, failed int)   // so many more are done, failed of them without a result
	Set(done int64)         // how far it is: further, or back at the beginning
	Finish(context.Context) // it is over, complete or not
}

// Silent ignores all events, and is a meter that shows nothing.
type Silent struct{}

func (s Silent) Info(string, ...any)    {}
func (s Silent) Warn(string, ...any)    {}
func (s Silent) Begin(Task) Meter       { return s }
func (s Silent) Add(int, int)           {}
func (s Silent) Set(int64)              {}
func (s Silent) Finish(context.Context) {}

// Steps reports the progress of long computations, which may run side by side. After Finish it shows nothing.
type Steps struct {
	Events Events

	mu    sync.Mutex
	steps []step
	over  bool
}

type step struct {
	what        string
	done, total int
	meter       Meter
}

// Progress says how far a computation is. One with fewer steps done than before has begun again.
func (s *Steps) Progress(what string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	i := slices.IndexFunc(s.steps, func(x step) bool { return x.what == what })
	if i < 0 {
		i, s.steps = len(s.steps), append(s.steps, step{meter: Silent{}})
	}
	x := &s.steps[i]
	if x.total != total || done < x.done {
		x.meter.Finish(context.Background())
		*x = step{what, 0, total, s.Events.Begin(Task{Name: what, Total: int64(total)})}
	}
	x.meter.Add(done-x.done, 0)
	if x.done = done; done == total {
		x.meter.Finish(context.Background())
		x.meter = Silent{}
	}
}

// Finish ends what is under way, and all to come.
func (s *Steps) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.steps {
		x.meter.Finish(context.Background())
	}
	s.steps, s.over = nil, true
}

// progress reports the tasks of a collection to Events.
type progress struct {
	ctx    context.Context
	events Events
	meter  Meter
}

func (p *progress) Start(t collect.Task, total, done int) {
	p.meter = p.events.Begin(Task{Name: t.Model + " · " + t.Dataset, Total: int64(total), Done: int64(done)})
}

func (p *progress) Add(n int) { p.meter.Add(n, 0) }

func (p *progress) Fail(_ backends.Cause, n int) { p.meter.Add(n, n) }

func (p *progress) Finish() { p.meter.Finish(p.ctx) }
