package pipeline

import (
	"context"
	"sync"

	"infnet/backends"
	"infnet/harness/collect"
)

// Events receives the events of an opened study. about are alternating keys and values, as in
// log/slog.
type Events interface {
	Info(message string, about ...any)
	Warn(message string, about ...any)

	// Begin starts a piece of work. Pieces of work follow one another.
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

var (
	_ Events = Silent{}
	_ Meter  = Silent{}
)

func (s Silent) Info(string, ...any)    {}
func (s Silent) Warn(string, ...any)    {}
func (s Silent) Begin(Task) Meter       { return s }
func (s Silent) Add(int, int)           {}
func (s Silent) Set(int64)              {}
func (s Silent) Finish(context.Context) {}

// Steps reports the progress of long computations to Events, one after the other. After Finish it
// shows nothing.
type Steps struct {
	Events Events

	mu    sync.Mutex
	what  string
	total int
	done  int
	meter Meter
	over  bool
}

// Progress says how far a computation is.
func (s *Steps) Progress(what string, done, total int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return
	}
	if s.meter == nil || s.what != what || s.total != total || done < s.done {
		s.end()
		s.what, s.total, s.done, s.meter = what, total, 0, s.Events.Begin(Task{Name: what, Total: int64(total)})
	}
	s.meter.Add(done-s.done, 0)
	s.done = done
}

// Finish ends the last meter, and all to come.
func (s *Steps) Finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end()
	s.over = true
}

func (s *Steps) end() {
	if s.meter != nil {
		s.meter.Finish(context.Background())
		s.meter = nil
	}
}

// progress reports the tasks of a collection to Events.
type progress struct {
	ctx    context.Context
	events Events
	meter  Meter
}

var _ collect.Progress = (*progress)(nil)

func (p *progress) Start(t collect.Task, total, done int) {
	p.meter = p.events.Begin(Task{Name: t.Model + " · " + t.Dataset, Total: int64(total), Done: int64(done)})
}

func (p *progress) Add(n int) { p.meter.Add(n, 0) }

func (p *progress) Fail(_ backends.Cause, n int) { p.meter.Add(n, n) }

func (p *progress) Finish() { p.meter.Finish(p.ctx) }
