package openai

import (
	"context"
	"sync"
	"time"
)

// Numbers of the search for a server's knee.
const (
	firstLimit = 4   // calls in flight to begin with
	slowdown   = 2.0 // latency over the lowest seen that means the server only queues
	backOff    = 0.7 // factor of the limit after a refusal
	ease       = 0.9 // factor of the limit when calls only queue
	smoothing  = 0.2 // weight of the newest latency in the running mean
)

// gate limits the calls in flight. An adaptive one looks for the number of calls beyond which
// latency grows and throughput does not: additive increase, multiplicative decrease (Chiu and Jain
// 1989), at most one decrease per limit's worth of answers. A refusal (429, 503) or a timeout
// counts as congestion, and so does a running mean of the latency above slowdown times the lowest
// such mean seen. It judges calls of about equal length; a study's calls are.
type gate struct {
	mu       sync.Mutex
	limit    float64
	most     float64
	adaptive bool
	inFlight int
	waiting  []chan struct{} // first come, first served

	mean, floor time.Duration // of latencies; 0 = none yet
	round       int           // answers since the limit last shrank
}

func newGate(most int, adaptive bool) *gate {
	g := &gate{limit: float64(most), most: float64(most), adaptive: adaptive}
	if adaptive {
		g.limit = min(firstLimit, g.most)
	}
	return g
}

// enter waits for a place. Whoever gets one calls leave.
func (g *gate) enter(ctx context.Context) error {
	g.mu.Lock()
	if len(g.waiting) == 0 && g.inFlight < int(g.limit) {
		g.inFlight++
		g.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	g.waiting = append(g.waiting, turn)
	g.mu.Unlock()
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-turn: // given the place at the last moment: pass it on
		g.inFlight--
		g.admit()
	default:
		for i, w := range g.waiting {
			if w == turn {
				g.waiting = append(g.waiting[:i], g.waiting[i+1:]...)
				break
			}
		}
	}
	return context.Cause(ctx)
}

// leave gives the place back. refused says that the server asked for less;
// latency is 0 where there was no answer to time.
func (g *gate) leave(latency time.Duration, refused bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	if g.adaptive {
		g.learn(latency, refused)
	}
	g.admit()
}

func (g *gate) admit() {
	for len(g.waiting) > 0 && g.inFlight < int(g.limit) {
		close(g.waiting[0])
		g.waiting = g.waiting[1:]
		g.inFlight++
	}
}

func (g *gate) learn(latency time.Duration, refused bool) {
	g.round++
	if refused {
		g.shrink(backOff)
		return
	}
	if latency <= 0 {
		return
	}
	if g.mean == 0 {
		g.mean = latency
	}
	g.mean += time.Duration(smoothing * float64(latency-g.mean))
	if g.floor == 0 || g.mean < g.floor {
		g.floor = g.mean
	}
	if float64(g.mean) > slowdown*float64(g.floor) {
		g.shrink(ease)
		return
	}
	g.limit = min(g.most, g.limit+1/g.limit)
}

// shrink lowers the limit, once per limit's worth of answers: those already
// under way when it shrank say nothing new.
func (g *gate) shrink(by float64) {
	if float64(g.round) < g.limit {
		return
	}
	g.limit, g.round = max(1, g.limit*by), 0
}
