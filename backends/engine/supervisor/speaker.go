package supervisor

import (
	"cmp"
	"encoding/json"
	"io"
	"sync"
)

// speaker sends reports to infnet without waiting for it: infnet may be
// suspended, or gone. What it has not taken yet is kept as one report.
type speaker struct {
	mu      sync.Mutex
	next    report
	some    bool
	over    bool
	changed *sync.Cond
	ended   chan struct{}
}

func newSpeaker(w io.Writer) *speaker {
	s := &speaker{ended: make(chan struct{})}
	s.changed = sync.NewCond(&s.mu)
	go s.send(json.NewEncoder(w))
	return s
}

// say adds to the next report.
func (s *speaker) say(r report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.Lines = append(s.next.Lines, r.Lines...)
	r.Lines = r.Lines[max(0, len(r.Lines)-kept):]
	if !r.Grown {
		r.Partial = s.next.Partial
	}
	r.Grown, r.News = r.Grown || s.next.Grown, r.News || s.next.News
	r.Last = cmp.Or(r.Last, s.next.Last)
	r.Started = max(r.Started, s.next.Started)
	s.next, s.some = r, true
	s.changed.Signal()
}

// finish returns when everything is sent, or nobody listens.
func (s *speaker) finish() {
	s.mu.Lock()
	s.over = true
	s.changed.Signal()
	s.mu.Unlock()
	<-s.ended
}

func (s *speaker) send(to *json.Encoder) {
	defer close(s.ended)
	for {
		s.mu.Lock()
		for !s.some && !s.over {
			s.changed.Wait()
		}
		r, some := s.next, s.some
		s.next, s.some = report{}, false
		s.mu.Unlock()
		if !some {
			return
		}
		_ = to.Encode(r)
	}
}
