package limit_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/limit"
)

func requests(n int) []backends.Request {
	out := make([]backends.Request, n)
	for i := range out {
		out[i] = backends.Request{Model: backends.ModelID{ID: "m"}, Prompt: string(rune('a' + i)), MaxTokens: 4}
	}
	return out
}

func TestConformance(t *testing.T) {
	backendtest.Run(t, func(*testing.T) backends.Model {
		return limit.New(limit.Options{Rate: 1e6, Burst: 10, InFlight: 2}).Model(&backendtest.Faulty{Batch: 3})
	}, backendtest.Options{Requests: requests(5)})
}

func TestRate(t *testing.T) {
	for _, test := range []struct {
		name  string
		opt   limit.Options
		calls []int // requests per call, one call after the other
		want  time.Duration
	}{
		// The first request is free, each of the 9 others waits 1/2 s.
		{"single requests", limit.Options{Rate: 2}, []int{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, 4500 * time.Millisecond},
		{"one batch pays for all", limit.Options{Rate: 2}, []int{10}, 4500 * time.Millisecond},
		{"a burst", limit.Options{Rate: 2, Burst: 4}, []int{10}, 3 * time.Second},
		{"no limit", limit.Options{}, []int{10, 10}, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := limit.New(test.opt).Model(&backendtest.Faulty{})
				start := time.Now()
				for _, n := range test.calls {
					if _, err := m.Answer(t.Context(), requests(n)); err != nil {
						t.Fatal(err)
					}
				}
				if d := time.Since(start); (d - test.want).Abs() > time.Millisecond {
					t.Errorf("took %v, want %v", d, test.want)
				}
			})
		})
	}
}

// counter counts the calls inside it at the same time.
type counter struct{ now, most atomic.Int64 }

func (c *counter) Answer(context.Context, []backends.Request) ([]backends.Answer, error) {
	n := c.now.Add(1)
	for {
		most := c.most.Load()
		if n <= most || c.most.CompareAndSwap(most, n) {
			break
		}
	}
	time.Sleep(time.Second)
	c.now.Add(-1)
	return nil, nil
}

// Two models that share a limit together stay within it.
func TestInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &counter{}
		l := limit.New(limit.Options{InFlight: 3})
		one, two := l.Model(c), l.Model(c)
		var wg sync.WaitGroup
		start := time.Now()
		for range 6 {
			wg.Go(func() { one.Answer(t.Context(), nil) })
			wg.Go(func() { two.Answer(t.Context(), nil) })
		}
		wg.Wait()
		if c.most.Load() != 3 || time.Since(start) != 4*time.Second {
			t.Errorf("%d calls at once in %v, want 3 in 4s", c.most.Load(), time.Since(start))
		}
	})
}

func TestCancel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := limit.New(limit.Options{InFlight: 1})
		go l.Model(&counter{}).Answer(t.Context(), nil)
		synctest.Wait()
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if _, err := l.Model(&counter{}).Answer(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v, want the context's", err)
		}
		time.Sleep(2 * time.Second)
	})
	slow := limit.New(limit.Options{Rate: 1e-3}).Model(&backendtest.Faulty{})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(time.Millisecond, cancel)
	if _, err := slow.Answer(ctx, requests(2)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}
