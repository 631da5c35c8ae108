package openai

import (
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"infnet/backends"
	"infnet/backends/retry"
	"infnet/harness/seed"
)

var everyLimit = flag.Bool("limits", false, "simulate all 288 servers")

// limit is how a server limits the calls of an account.
type limit struct {
	rate   int           // calls a minute
	counts string        // what it counts by
	span   time.Duration // of a window; what a bucket holds is what comes in this time
	says   string        // of the time to come back: "seconds", "ms", or nothing
}

func (l limit) String() string {
	return fmt.Sprintf("%d a minute by %s of %v, says %q", l.rate, l.counts, l.span, l.says)
}

// limits are servers: three ways to count calls, and one to count tokens, as providers document them.
func limits(rates ...int) (out []limit) {
	for _, rate := range rates {
		for _, says := range []string{"seconds", "ms", ""} {
			for _, counts := range []string{"bucket", "fixed window", "sliding window", "tokens"} {
				for _, span := range []time.Duration{time.Second, time.Minute} {
					if counts == "tokens" && span == time.Second {
						span = 10 * time.Second // or a single call may take all that the bucket holds
					}
					out = append(out, limit{rate, counts, span, says})
				}
			}
		}
	}
	return out
}

// cost is what call i takes out of a bucket: one, or its tokens in units of their mean, 0.2 to 1.8.
func (l limit) cost(i int) float64 {
	if l.counts != "tokens" {
		return 1
	}
	return 0.2 + 1.6*float64(i*61%400)/399
}

// holds is what a bucket or a window holds.
func (l limit) holds() float64 { return float64(l.rate) * l.span.Minutes() }

// best is the least time in which n calls are taken. A window is counted from its first call on.
func (l limit) best(n int) time.Duration {
	if strings.Contains(l.counts, "window") {
		return time.Duration((n-1)/int(l.holds())) * l.span
	}
	return time.Duration(max(0, float64(n)-l.holds()) / float64(l.rate) * float64(time.Minute))
}

// limited is such a server, in the network's place: its calls cost time on the clock of the test alone.
type limited struct {
	limit
	takes time.Duration // a call on the average; half of it to half as much again

	mu    sync.Mutex
	last  time.Time   // when the window began, or the bucket was filled
	full  float64     // of the bucket
	used  int         // of the fixed window
	taken []time.Time // of the sliding window
	times []time.Time // when calls were taken
	no    int         // calls refused
}

// admit takes call i, or returns how long until it would.
func (s *limited) admit(i int) (wait time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if s.last.IsZero() {
		s.last, s.full = now, s.holds()
	}
	switch s.counts {
	case "fixed window":
		if past := now.Sub(s.last); past >= s.span {
			s.last, s.used = s.last.Add(past.Truncate(s.span)), 0
		}
		if s.used++; s.used > int(s.holds()) {
			wait = s.last.Add(s.span).Sub(now)
		}
	case "sliding window":
		for len(s.taken) > 0 && now.Sub(s.taken[0]) >= s.span {
			s.taken = s.taken[1:]
		}
		if s.taken = append(s.taken, now); len(s.taken) > int(s.holds()) {
			wait, s.taken = s.taken[0].Add(s.span).Sub(now), s.taken[:len(s.taken)-1]
		}
	default:
		each := float64(time.Minute) / float64(s.rate)
		s.full = min(s.holds(), s.full+float64(now.Sub(s.last))/each)
		s.last = now
		if s.full >= s.cost(i) {
			s.full -= s.cost(i)
		} else {
			wait = time.Duration(math.Ceil((s.cost(i) - s.full) * each))
		}
	}
	if wait > 0 {
		s.no++
	} else {
		s.times = append(s.times, now)
	}
	return wait
}

func (s *limited) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	i := 0
	_, _ = fmt.Sscanf(string(body[strings.Index(string(body), "question"):]), "question %d", &i)
	time.Sleep(5 * time.Millisecond)
	reply := func(status int, h http.Header, body string) (*http.Response, error) {
		h.Set("Content-Type", "application/json")
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
	if wait := s.admit(i); wait > 0 {
		h := http.Header{}
		switch s.says {
		case "seconds": // whole ones, as RFC 9110 has them
			h.Set("Retry-After", fmt.Sprint(math.Ceil(wait.Seconds())))
		case "ms":
			h.Set("Retry-After-Ms", fmt.Sprint(math.Ceil(wait.Seconds()*1000)))
		}
		status := 429
		if s.says != "" && i%2 > 0 {
			status = 503
		}
		return reply(status, h, `{"error":{"message":"slow down"}}`)
	}
	time.Sleep(time.Duration((0.5 + float64(i*37%101)/100) * float64(s.takes)))
	return reply(200, http.Header{}, `{"model":"`+testID.ID+
		`","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
}

// ask asks n questions, so many at a time, as a study does. It returns how many have no answer, and how long it took
// until the last call was taken.
func (s *limited) ask(t *testing.T, n, flying int) (lost int, start time.Time) {
	t.Helper()
	m := open(t, "http://limited/v1", func(c *backends.OpenAIConfig) {
		c.NoLogprobs, c.Concurrency = true, flying
	})
	m.wire.Through(s)
	m.probed = &survey{p: Probe{Chat: Offer{Answers: true}, Raw: Offer{Answers: true}}}
	r := retry.New(m, retry.Options{Rand: seed.Stream(1, "retry")})
	start = time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	work := make(chan int)
	for range flying {
		wg.Go(func() {
			for i := range work {
				as, err := r.Answer(t.Context(), []backends.Request{{Model: testID, Mode: backends.Chat,
					Prompt: fmt.Sprintf("question %d", i), MaxTokens: 4}})
				if err != nil || as[0].Failure != nil {
					mu.Lock()
					lost++
					mu.Unlock()
				}
			}
		})
	}
	for i := range n {
		work <- i
	}
	close(work)
	wg.Wait()
	return lost, start
}

// A server takes 120 to 1,200 calls a minute, counted in eight ways, and may say when to come back: none of 1,200 calls
// is lost, and they take no longer than at 95 % of its rate, or of the rate of a client that has so many
// calls in flight. Each log line is the server, calls in flight, their length, calls lost, share of that rate, seconds
// for the first 400, the least time in which the server takes these as a share of it, and refusals.
func TestLimitedServers(t *testing.T) {
	some := 11
	if testing.Short() {
		some = 44
	}
	for k, l := range limits(120, 300, 600, 1200) {
		if !*everyLimit && k%some != 0 {
			continue
		}
		for _, c := range []struct {
			flying int
			takes  time.Duration
		}{{32, 300 * time.Millisecond}, {256, 300 * time.Millisecond}, {256, 4 * time.Second}} {
			t.Run(fmt.Sprintf("%v, %d in flight, calls of %v", l, c.flying, c.takes), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := &limited{limit: l, takes: c.takes}
					lost, start := s.ask(t, 1200, c.flying)
					own := float64(c.takes) / float64(c.flying) // a call without a limit
					each := max(own, float64(time.Minute)/float64(l.rate))
					share := 1200 * each / float64(s.times[1199].Sub(start))
					took := s.times[399].Sub(start)
					best := max(float64(l.best(400)), 400*own) / float64(took)
					t.Logf("| %v | %d | %v | %d | %.1f s | %.3f | %.3f | %d |", l, c.flying, c.takes, lost, took.Seconds(), share,
						best, s.no)
					if lost > 0 || share < 0.94 { // 0.95, of which the order of goroutines moves the second decimal
						t.Errorf("%d of 1,200 lost at %.3f of the rate, want none at 0.95 or so", lost, share)
					}
				})
			})
		}
	}
}
