package retry_test

import (
	"context"
	"errors"
	"slices"
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

// A refusal for coming too fast is no try: after twenty of them come as many tries as for any other request. The time
// limits them: of waits of 2 s, 15 pass in half a minute.
func TestPutOff(t *testing.T) {
	for _, test := range []struct {
		fault   backendtest.Fault
		elapsed time.Duration
		asked   int
	}{
		{backendtest.TooMany, time.Hour, 20 + 3}, {backendtest.TooManyAfter, time.Hour, 20 + 3},
		{backendtest.TooManyAfter, 30 * time.Second, 15},
	} {
		synctest.Test(t, func(t *testing.T) {
			script := slices.Concat(slices.Repeat([]backendtest.Fault{test.fault}, 20),
				slices.Repeat([]backendtest.Fault{backendtest.Down}, 9))
			f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"p": script}}
			m := retry.New(f, retry.Options{Tries: 3, First: time.Millisecond, Elapsed: test.elapsed,
				Rand: seed.Stream(1, "retry")})
			as, err := m.Answer(t.Context(), requests("p"))
			if err != nil || as[0].Failure == nil || f.Asked("p") != test.asked {
				t.Errorf("%v: asked %d times, want %d, then a failure: %v, %+v", test.fault, f.Asked("p"), test.asked, err, as)
			}
		})
	}
}

// Only the requests that failed are asked again, and the answers keep their
// places.
func TestPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{
			"b": {backendtest.Down, backendtest.Reset}, "d": {backendtest.Refused}, "e": {backendtest.TooMany},
		}}
		m := retry.New(f, retry.Options{Rand: seed.Stream(1, "retry")})
		reqs := requests("a", "b", "c", "d", "e")
		as, err := m.Answer(t.Context(), reqs)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct {
			asked  int
			failed bool
		}{{1, false}, {3, false}, {1, false}, {1, true}, {2, false}} {
			if got := f.Asked(reqs[i].Prompt); got != want.asked {
				t.Errorf("%s was asked %d times, want %d", reqs[i].Prompt, got, want.asked)
			}
			if as[i].Key != reqs[i].Key() || (as[i].Failure != nil) != want.failed {
				t.Errorf("%s: answer %+v", reqs[i].Prompt, as[i])
			}
		}
	})
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

func TestFatal(t *testing.T) {
	f := &backendtest.Faulty{Script: map[string][]backendtest.Fault{"p": {backendtest.Fatal}}}
	_, err := retry.New(f, retry.Options{}).Answer(t.Context(), requests("p"))
	if !errors.Is(err, backendtest.ErrFatal) || f.Calls() != 1 {
		t.Errorf("error %v after %d calls, want the model's own after 1", err, f.Calls())
	}
}
