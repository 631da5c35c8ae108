package retry

import (
	"context"
	"errors"
	"math"
	"slices"
	"sync"
	"testing"
	"time"

	"infnet/backends"
)

// scripted fails as its script says, call by call, then embeds texts by their
// length.
type scripted struct {
	mu     sync.Mutex
	script []any // nil, a *backends.Failure, an error, or vectors
	calls  [][]string
	size   int
}

func (s *scripted) BatchSize() int { return s.size }

func (s *scripted) Embed(_ context.Context, texts []string) ([][]float32, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls = append(s.calls, texts)
	if n := len(s.calls) - 1; n < len(s.script) {
		switch x := s.script[n].(type) {
		case error:
			return nil, x
		case [][]float32:
			return x, nil
		}
	}
	var out [][]float32
	for _, t := range texts {
		out = append(out, []float32{1, float32(len(t))})
	}
	return out, nil
}

func TestEmbedderAsksAgain(t *testing.T) {
	nan := float32(math.NaN())
	down := &backends.Failure{Cause: backends.ServerError, Status: 500, Message: "out of order"}
	refused := &backends.Failure{Cause: backends.BadRequest, Status: 400, Message: "what?"}
	lost := errors.New("the weights are gone")
	for _, c := range []struct {
		name   string
		script []any
		calls  int
		want   error // nil = vectors
		cause  backends.Cause
	}{
		{name: "at once", calls: 1},
		{name: "rate limits are no tries", script: slices.Repeat([]any{&backends.Failure{Cause: backends.RateLimited,
			RetryAfter: time.Millisecond}}, 5), calls: 6},
		{name: "nor are they for ever", script: slices.Repeat([]any{&backends.Failure{Cause: backends.RateLimited,
			RetryAfter: time.Hour}}, 5), calls: 1, cause: backends.RateLimited},
		{name: "a vector too few", script: []any{[][]float32{{1}}}, calls: 2},
		{name: "not a number", script: []any{[][]float32{{1, nan}, {1, 2}}}, calls: 2},
		{name: "two dimensions", script: []any{[][]float32{{1, 2}, {1}}}, calls: 2},
		{name: "no numbers", script: []any{[][]float32{{}, {}}}, calls: 2},
		{name: "not what would fail again", script: []any{refused}, calls: 1, want: refused},
		{name: "not what is no failure", script: []any{lost}, calls: 1, want: lost},
		{name: "not for ever", script: []any{down, down, down, down}, calls: 3, want: down},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := &scripted{script: c.script, size: 2}
			e := NewEmbedder(inner, Options{Tries: 3, First: time.Millisecond})
			got, err := e.Embed(context.Background(), []string{"a", "bb"})
			if len(inner.calls) != c.calls {
				t.Errorf("%d calls, want %d", len(inner.calls), c.calls)
			}
			var f *backends.Failure
			switch {
			case c.cause != "":
				if !errors.As(err, &f) || f.Cause != c.cause {
					t.Errorf("error %v, want a failure by %s", err, c.cause)
				}
			case c.want != nil:
				if !errors.Is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				}
			case err != nil || len(got) != 2 || got[1][1] != 2:
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

// One bad call is asked again alone.
func TestEmbedderKeepsTheOtherBatches(t *testing.T) {
	inner := &scripted{script: []any{&backends.Failure{Cause: backends.Timeout}}, size: 2}
	var told int
	var mu sync.Mutex
	e := NewEmbedder(inner, Options{Tries: 3, First: time.Millisecond,
		Notify: func(n int, f backends.Failure, _ time.Duration) {
			mu.Lock()
			defer mu.Unlock()
			told += n
			if f.Cause != backends.Timeout {
				t.Errorf("told of %v", f)
			}
		}})
	texts := []string{"", "a", "bb", "ccc", "dddd"}
	got, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if v[1] != float32(i) {
			t.Errorf("text %d has the vector of another: %v", i, v)
		}
	}
	if len(inner.calls) != 4 || told > 2 || told == 0 {
		t.Errorf("%d calls, want 4 of which one again; told of %d texts", len(inner.calls), told)
	}
	if got, err := e.Embed(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("%v, %v of no text", got, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	inner.script = nil
	if _, err := NewEmbedder(blind{}, Options{}).Embed(ctx, texts); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

// blind waits for the end of its context.
type blind struct{}

func (blind) Embed(ctx context.Context, _ []string) ([][]float32, error) {
	<-ctx.Done()
	return nil, context.Cause(ctx)
}

// Each call is made by what keeps it steady, which may make it anew: that is no other try.
func TestSteadyCallsAreOneTry(t *testing.T) {
	inner := &scripted{script: []any{&backends.Failure{Cause: backends.Connection}}, size: 2}
	twice := func(_ context.Context, call func() error) error {
		if call() != nil {
			return call()
		}
		return nil
	}
	got, err := NewEmbedder(inner, Options{Tries: 1, Steady: twice}).Embed(t.Context(), []string{"a", "bb"})
	if err != nil || len(got) != 2 || len(inner.calls) != 2 {
		t.Errorf("%v, %v after %d calls", got, err, len(inner.calls))
	}
}
