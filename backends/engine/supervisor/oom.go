package supervisor

import (
	"sync"
	"time"
)

// recently is how long before a server's end a process of it may have been
// killed for lack of memory and be why it ended.
const recently = 30 * time.Second

// memory watches whether the kernel kills processes for lack of memory. It
// counts those of the whole machine, so only recent ones say something.
type memory struct {
	mu      sync.Mutex
	samples []sample
}

type sample struct {
	at    time.Time
	kills int
}

// look takes a sample. Of those that are not recent, one is kept.
func (m *memory) look(now time.Time, kills int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.samples = append(m.samples, sample{now, kills})
	for len(m.samples) > 1 && now.Sub(m.samples[1].at) > recently {
		m.samples = m.samples[1:]
	}
}

// short reports whether there was a kill lately.
func (m *memory) short(now time.Time, kills int) bool {
	m.look(now, kills)
	m.mu.Lock()
	defer m.mu.Unlock()
	return kills > m.samples[0].kills
}
