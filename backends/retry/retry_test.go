package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/retry"
	"infnet/harness/seed"
)

func requests(prompts ...string) []backends.Request {
	out := make([]backends.Request, len(prompts))
	for i, p := range prompts {
		out[i] = backends.Request{Model: backends.ModelID{ID: "m"}, Prompt: p, MaxTokens: 4}
	}
	return out
}

func TestConformance(t *testing.T) {
	reqs := requests("a", "b", "c", "d")
	reqs[1].Labels = []string{" x", " y"}
	reqs[3].Labels = []string{" x", " y", " z"}
	backendtest.Run(t, func(*testing.T) backends.Model {
		// The first asking of a and d fails; the wait is short and drawn.
		f := &backendtest.Faulty{Batch: 2, Script: map[string][]backendtest.Fault{
			"a": {backendtest.Down}, "d": {backendtest.NaN}, "bad": {backendtest.Refused, backendtest.Refused},
		}}
		return retry.New(f, retry.Options{First: time.Millisecond, Rand: seed.Stream(1, "retry")})
	}, backendtest.Options{Requests: reqs, Bad: requests("bad")})
}

// Each fault is played forever; what matters is how often it is asked again.
func TestCauses(t *testing.T) {
	for _, test := range []struct {
		name  string
		fault backendtest.Fault
		cause backends.Cause
		asked int
	}{
		{"500", backendtest.Down, backends.ServerError, 3},
		{"timeout", backendtest.Late, backends.Timeout, 3},
		{"reset", backendtest.Reset, backends.Connection, 3},
		{"truncated JSON", backendtest.Truncated, backends.BadResponse, 3},
		{"garbage JSON", backendtest.Garbage, backends.BadResponse, 3},
		{"NaN", backendtest.NaN, backends.BadResponse, 3},
		{"no log-probabilities", backendtest.NoLogprobs, backends.BadResponse, 3},
		{"too few answers", backendtest.Short, backends.BadResponse, 3},
		{"too many answers", backendtest.Extra, backends.BadResponse, 3},
		{"another request's answer", backendtest.WrongKey, backends.Internal, 1},
		{"401", backendtest.Forbidden, backends.Unauthorized, 1},
		{"400", backendtest.Refused, backends.BadRequest, 1},
		{"too long", backendtest.Long, backends.TooLong, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				forever := make([]backendtest.Fault, 20)
				for i := range forever {
					forever[i] = test.fault
				}
				f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"p": forever}}
				m := retry.New(f, retry.Options{Tries: 3, Rand: seed.Stream(1, "retry")})
				as, err := m.Answer(t.Context(), requests("p"))
				if err != nil {
					t.Fatal(err)
				}
				if as[0].Failure == nil || as[0].Failure.Cause != test.cause {
					t.Errorf("failure %+v, want cause %s", as[0].Failure, test.cause)
				}
				if got := f.Asked("p"); got != test.asked {
					t.Errorf("asked %d times, want %d", got, test.asked)
				}
			})
		})
	}
}

// The waits, on a clock that only the test moves.
func TestWaits(t *testing.T) {
	for _, test := range []struct {
		name     string
		opt      retry.Options
		script   []backendtest.Fault
		min, max time.Duration
		asked    int
	}{
		// No stream: the bounds themselves, 1 + 2 + 4 + 4 s.
		{"exponential", retry.Options{Tries: 5, First: time.Second, Longest: 4 * time.Second},
			[]backendtest.Fault{3, 3, 3, 3, 3}, 11 * time.Second, 11 * time.Second, 5},
		// A stream: below the bounds, and not nothing.
		{"full jitter", retry.Options{Tries: 5, First: time.Second, Longest: 4 * time.Second, Rand: seed.Stream(1, "retry")},
			[]backendtest.Fault{3, 3, 3, 3, 3}, time.Millisecond, 11*time.Second - 1, 5},
		// Retry-After is 2 s; up to First is added.
		{"Retry-After", retry.Options{First: time.Second, Rand: seed.Stream(1, "retry")},
			[]backendtest.Fault{backendtest.TooManyAfter}, 2 * time.Second, 3 * time.Second, 2},
		// 1 + 2 s have gone; another 4 s would be over the 5 s.
		{"elapsed", retry.Options{First: time.Second, Elapsed: 5 * time.Second},
			[]backendtest.Fault{3, 3, 3, 3, 3}, 3 * time.Second, 3 * time.Second, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"p": test.script}}
				heard := 0
				test.opt.Notify = func(n int, _ backends.Failure, _ time.Duration) { heard += n }
				start := time.Now()
				if _, err := retry.New(f, test.opt).Answer(t.Context(), requests("p")); err != nil {
					t.Fatal(err)
				}
				if d := time.Since(start); d < test.min || d > test.max {
					t.Errorf("took %v, want %v to %v", d, test.min, test.max)
				}
				if f.Asked("p") != test.asked || heard != test.asked-1 {
					t.Errorf("asked %d times and told of %d waits, want %d and %d", f.Asked("p"), heard, test.asked, test.asked-1)
				}
			})
		})
	}
}

func TestCancel(t *testing.T) {
	t.Run("keeps what it received", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"b": {1, 1, 1, 1, 1, 1, 1}}}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			as, err := retry.New(f, retry.Options{First: time.Hour, Elapsed: 24 * time.Hour}).Answer(ctx, requests("a", "b"))
			if err != nil || as[0].Failure != nil || as[1].Failure == nil {
				t.Errorf("answers %+v, error %v", as, err)
			}
		})
	})
	t.Run("nothing received", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"b": {1, 1, 1, 1, 1, 1, 1}}}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			defer cancel()
			_, err := retry.New(f, retry.Options{First: time.Hour, Elapsed: 24 * time.Hour}).Answer(ctx, requests("b"))
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("error %v, want the context's", err)
			}
		})
	})
}
