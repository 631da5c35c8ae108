package openai

import (
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

// limited takes the network's place: a server that takes a number of calls a minute, and answers the others with a
// status and, where it is kind, the time to come back.
type limited struct {
	counts string // what it counts by
	rate   int    // calls a minute
	status int
	hidden bool // no Retry-After
	takes  time.Duration

	mu      sync.Mutex
	begun   time.Time
	taken   []time.Time
	bucket  float64
	filled  time.Time
	refused int
}

// admit reports whether a call is taken, else how long until one would be.
func (l *limited) admit() (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if l.begun.IsZero() {
		l.begun, l.filled, l.bucket = now, now, float64(l.rate)/60
	}
	switch l.counts {
	case "fixed minutes", "sliding minute":
		if since := now.Sub(l.begun); l.counts == "fixed minutes" && since >= time.Minute {
			l.begun, l.taken = l.begun.Add(since.Truncate(time.Minute)), nil
		}
		for l.counts == "sliding minute" && len(l.taken) > 0 && now.Sub(l.taken[0]) >= time.Minute {
			l.taken = l.taken[1:]
		}
		if len(l.taken) < l.rate {
			l.taken = append(l.taken, now)
			return 0
		}
		first := l.begun
		if l.counts == "sliding minute" {
			first = l.taken[0]
		}
		wait = first.Add(time.Minute).Sub(now)
	case "a second's tokens": // a bucket that holds what comes in a second
		each := float64(l.rate) / 60
		l.bucket = min(each, l.bucket+each*now.Sub(l.filled).Seconds())
		l.filled = now
		if l.bucket >= 1 {
			l.bucket--
			return 0
		}
		wait = time.Duration((1 - l.bucket) / each * float64(time.Second))
	}
	l.refused++
	return max(wait, 1)
}

func (l *limited) RoundTrip(req *http.Request) (*http.Response, error) {
	_, _ = io.Copy(io.Discard, req.Body)
	reply := func(status int, h http.Header, body string) (*http.Response, error) {
		h.Set("Content-Type", "application/json")
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
	}
	if wait := l.admit(); wait > 0 {
		h := http.Header{}
		if !l.hidden {
			h.Set("Retry-After", fmt.Sprint(math.Ceil(wait.Seconds()))) // whole seconds, as RFC 9110 has them
		}
		time.Sleep(20 * time.Millisecond)
		return reply(l.status, h, `{"error":{"message":"slow down"}}`)
	}
	time.Sleep(l.takes)
	return reply(200, http.Header{}, `{"model":"`+testID.ID+
		`","choices":[{"index":0,"message":{"role":"assistant","content":"yes"},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4}}`)
}

// ask400 asks 400 questions, 16 at a time, and returns how many had no answer, and how long it took.
func ask400(t *testing.T, l *limited) (lost int, took time.Duration) {
	t.Helper()
	settings := &backends.OpenAIConfig{URLs: []string{"http://limited/v1"}, NoLogprobs: true, Timeout: time.Minute}
	m, err := Open(backends.Config{Model: testID, Settings: settings})
	if err != nil {
		t.Fatal(err)
	}
	m.transport.client.Transport = l
	known := &flight{done: make(chan struct{}), probe: Probe{Chat: Offer{Answers: true}, Raw: Offer{Answers: true}}}
	close(known.done)
	m.probed = known
	r := retry.New(m, retry.Options{Rand: seed.Stream(1, "retry")})
	start := time.Now()
	var wg sync.WaitGroup
	var mu sync.Mutex
	work := make(chan int)
	for range 16 {
		wg.Go(func() {
			for i := range work {
				as, err := r.Answer(t.Context(), []backends.Request{{Model: testID, Mode: backends.Chat,
					Prompt: fmt.Sprintf("question %d", i), MaxTokens: 4}})
				if err != nil || as[0].Failure != nil {
					mu.Lock()
					if lost++; lost == 1 {
						t.Logf("lost: %v, %+v", err, as)
					}
					mu.Unlock()
				}
			}
		})
	}
	for i := range 400 {
		work <- i
	}
	close(work)
	wg.Wait()
	return lost, time.Since(start)
}

// A server takes 120 to 1,200 calls a minute, counted in three ways, and says when to come back: none of 400 calls is
// lost, and they take no longer than at 95 % of its rate. Where it does not say when, none is lost either.
func TestLimitedServers(t *testing.T) {
	for _, counts := range []string{"fixed minutes", "sliding minute", "a second's tokens"} {
		for _, rate := range []int{120, 300, 600, 1200} {
			for _, takes := range []time.Duration{300 * time.Millisecond, 4 * time.Second} {
				for _, status := range []int{429, 503} {
					for _, hidden := range []bool{false, true} {
						if hidden && status == 503 || takes > time.Second && rate > 120 {
							continue // trouble as any other; more than 16 calls of that length a server takes
						}
						name := fmt.Sprintf("%d a minute by %s, %d, hidden %t, calls of %v", rate, counts, status, hidden, takes)
						t.Run(name, func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) {
								l := &limited{counts: counts, rate: rate, status: status, hidden: hidden, takes: takes}
								lost, took := ask400(t, l)
								share := 400 / (took - takes).Minutes() / float64(rate) // the last call's own time is not the limit's
								t.Logf("%d lost, %v, %.0f %% of its rate, %d refusals", lost, took, 100*share, l.refused)
								if lost > 0 || share < 0.95 && !hidden {
									t.Errorf("%d of 400 lost at %.0f %% of the server's rate, want none at 95 %% or more", lost, 100*share)
								}
							})
						})
					}
				}
			}
		}
	}
}
