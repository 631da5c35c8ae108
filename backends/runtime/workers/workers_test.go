package workers_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"

	"infnet/backends/runtime/workers"
)

func TestEachRunsEveryJobOnce(t *testing.T) {
	for _, threads := range []int{1, 3} {
		var made atomic.Int64
		p := workers.New(threads, func() *int { made.Add(1); return new(int) })
		got := make([]int, 100)
		if err := p.Each(t.Context(), len(got), func(w *int, i int) error { *w++; got[i]++; return nil }); err != nil {
			t.Fatal(err)
		}
		if slices.Min(got) != 1 || slices.Max(got) != 1 {
			t.Errorf("%d threads: jobs ran %v times, want once each", threads, got)
		}
		if n := int(made.Load()); n < 1 || n > threads || p.Threads() != threads {
			t.Errorf("%d workers were made for %d threads", n, threads)
		}
	}
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	broken := errors.New("broken")
	p := workers.New(2, func() *int { return new(int) })
	calls := atomic.Int64{}
	err := p.Each(t.Context(), 1000, func(*int, int) error { calls.Add(1); return broken })
	if !errors.Is(err, broken) || calls.Load() > 2 {
		t.Errorf("%d calls, error %v; want at most one for each thread, and the error", calls.Load(), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Each(ended, 1, func(*int, int) error { return broken }); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v of an ended context", err)
	}
	if err := p.Each(t.Context(), 2, func(*int, int) error { return nil }); err != nil {
		t.Errorf("the pool does not work after an error: %v", err)
	}
}
