package collect_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/retry"
	"infnet/harness/collect"
	"infnet/harness/store"
)

// answering is a model whose calls do as the function says.
type answering func(ctx context.Context, r backends.Request) (backends.Answer, error)

func (a answering) Answer(ctx context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	out := make([]backends.Answer, len(reqs))
	for i, r := range reqs {
		var err error
		if out[i], err = a(ctx, r); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// remote is a job of n requests to a server, eight at once.
func remote(m backends.Model, n int) collect.Job {
	id := backends.ModelID{ID: "m", Revision: "1", Kind: backends.OpenAI}
	items := make([]collect.Item, n)
	for i := range items {
		items[i] = collect.Item{ID: fmt.Sprint("ex", i),
			Request: backends.Request{Model: id, Prompt: fmt.Sprint("p", i), MaxTokens: 4}}
	}
	return collect.Job{Model: id, Name: "student", Dataset: "reviews", Hash: "d0", Items: all(items), Concurrency: 8,
		Open: func() (backends.Model, error) { return m, nil }}
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// A run that is told to stop, and calls under way that are paid for.
func TestStop(t *testing.T) {
	down := backends.Answer{Failure: &backends.Failure{Cause: backends.ServerError, Status: 503, Message: "loading"}}
	for _, test := range []struct {
		name   string
		takes  time.Duration // a call that is not broken off
		fails  bool          // the calls under way do
		grace  time.Duration
		hurry  bool // a second Ctrl-C, 100 ms later
		byTime bool // the budget's time ends the run, not a signal
		on     int  // answers on disk
		atMost time.Duration
	}{
		{name: "all calls under way come back", takes: 400 * time.Millisecond, grace: 20 * time.Second, on: 8,
			atMost: 10 * time.Second},
		{name: "calls that hang are given up", takes: time.Hour, grace: 500 * time.Millisecond, on: 0,
			atMost: 10 * time.Second},
		{name: "a second Ctrl-C", takes: time.Hour, grace: time.Hour, hurry: true, on: 0, atMost: 10 * time.Second},
		{name: "a call that waits for its next try is not under way", takes: time.Millisecond, fails: true, grace: time.Hour,
			on: 0, atMost: 10 * time.Second},
		{name: "the budget's time", takes: 800 * time.Millisecond, grace: 20 * time.Second, byTime: true, on: 8,
			atMost: 10 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			hurry := make(chan struct{})
			var calls atomic.Int64
			var model backends.Model = answering(func(ctx context.Context, r backends.Request) (backends.Answer, error) {
				if calls.Add(1) == 8 && !test.byTime {
					time.AfterFunc(50*time.Millisecond, cancel)
					if test.hurry {
						time.AfterFunc(150*time.Millisecond, func() { close(hurry) })
					}
				}
				if err := wait(ctx, test.takes); err != nil {
					return backends.Answer{}, err
				}
				if test.fails {
					a := down
					a.Key = r.Key()
					return a, nil
				}
				return backendtest.Good(r), nil
			})
			if test.fails {
				model = retry.New(model, retry.Options{Tries: 9, First: time.Hour, Longest: time.Hour, Elapsed: 10 * time.Hour})
			}
			var waited atomic.Int64
			opt := collect.Options{Grace: test.grace, Hurry: hurry,
				Waiting: func(n int, d time.Duration) { waited.Add(int64(n)) }}
			if test.byTime {
				b := collect.NewSpending(collect.Limits{Time: 400 * time.Millisecond})
				defer b.Close()
				opt.Spending = b
			}
			st := store.Open(t.TempDir(), store.Options{})
			j := remote(model, 100)
			began := time.Now()
			rep, err := collect.Run(ctx, st, []collect.Job{j}, opt, nil)
			var spent *collect.SpendingError
			if !test.byTime && !errors.Is(err, context.Canceled) ||
				test.byTime && !(errors.As(err, &spent) && spent.Limit == "time") {
				t.Errorf("error %v", err)
			}
			if took := time.Since(began); took > test.atMost {
				t.Errorf("it took %v", took)
			}
			if n := len(contents(t, st, j)); n != test.on || rep.Jobs[0].Asked != test.on || rep.Jobs[0].Failed != 0 {
				t.Errorf("%d answers on disk, %+v; want %d and no failure", n, rep.Jobs[0], test.on)
			}
			if calls.Load() != 8 {
				t.Errorf("%d calls were begun, want 8", calls.Load())
			}
			// Calls that wait for their next try are let go at once, each when it
			// hears of the stop: how many are still counted then is chance.
			if !test.fails && waited.Load() != 8 {
				t.Errorf("told of %d calls under way", waited.Load())
			}
		})
	}
}

// Failures that overtake slow answers are no streak: the calls begun before are waited for, and the run goes on.
func TestSlowAnswersEndAStreak(t *testing.T) {
	m := answering(func(ctx context.Context, r backends.Request) (backends.Answer, error) {
		if strings.HasSuffix(r.Prompt, "7") {
			return backendtest.Good(r), wait(ctx, 30*time.Millisecond)
		}
		return backends.Answer{Key: r.Key(),
			Failure: &backends.Failure{Cause: backends.Unauthorized, Status: 403, Message: "not " + r.Prompt}}, nil
	})
	rep, err := collect.Run(t.Context(), newStore(t), []collect.Job{remote(m, 100)}, collect.Options{}, nil)
	if err != nil || rep.Jobs[0].Asked != 10 || rep.Jobs[0].Failed != 90 {
		t.Errorf("%+v, %v", rep.Jobs[0], err)
	}
	if g := rep.Jobs[0].Failures(); len(g) != 1 || g[0].Count != 90 {
		t.Errorf("messages that differ in a number alone are %d groups", len(g))
	}
}

// A store that is deleted midway ends the run at the next batch, and nothing is counted that is not there.
func TestStoreDeleted(t *testing.T) {
	st := store.Open(t.TempDir()+"/store", store.Options{})
	m := answering(func(ctx context.Context, r backends.Request) (backends.Answer, error) {
		if r.Prompt == "p20" {
			if err := os.RemoveAll(st.Root()); err != nil {
				t.Error(err)
			}
		}
		return backendtest.Good(r), wait(ctx, time.Millisecond)
	})
	j := remote(m, 400)
	j.Concurrency = 1
	rep, err := collect.Run(t.Context(), st, []collect.Job{j}, collect.Options{}, nil)
	if !errors.As(err, new(*store.WriteError)) || !strings.Contains(err.Error(), "deleted or moved") ||
		!strings.Contains(err.Error(), "answers that were received are not on disk") {
		t.Errorf("error %v", err)
	}
	if rep.Jobs[0].Asked > 20 {
		t.Errorf("%d answers counted, of which at most 20 were written before", rep.Jobs[0].Asked)
	}
}
