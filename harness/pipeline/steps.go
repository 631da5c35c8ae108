package pipeline

import (
	"context"
	"sync"
)

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
