package retry

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"infnet/backends"
)

// scriptedScorer fails as its script says, call by call, then scores pairs by
// the length of their targets.
type scriptedScorer struct {
	script []any // nil, an error, or scores
	calls  int
}

func (s *scriptedScorer) Score(_ context.Context, pairs []backends.Pair) ([]float64, error) {
	if s.calls++; s.calls <= len(s.script) {
		switch x := s.script[s.calls-1].(type) {
		case error:
			return nil, x
		case []float64:
			return x, nil
		}
	}
	var out []float64
	for _, p := range pairs {
		out = append(out, -float64(len(p.Target)))
	}
	return out, nil
}

func TestScorerAsksAgain(t *testing.T) {
	down := &backends.Failure{Cause: backends.ServerError, Status: 500, Message: "out of order"}
	refused := &backends.Failure{Cause: backends.BadRequest, Status: 400, Message: "what?"}
	for _, c := range []struct {
		name   string
		script []any
		calls  int
		want   error // nil = scores
	}{
		{name: "at once", calls: 1},
		{name: "after a server error", script: []any{down}, calls: 2},
		{name: "a score too few", script: []any{[]float64{-1}}, calls: 2},
		{name: "not a number", script: []any{[]float64{-1, math.NaN()}}, calls: 2},
		{name: "an infinity", script: []any{[]float64{math.Inf(-1), -1}}, calls: 2},
		{name: "not what would fail again", script: []any{refused}, calls: 1, want: refused},
		{name: "not for ever", script: []any{down, down, down, down}, calls: 3, want: down},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := &scriptedScorer{script: c.script}
			s := NewScorer(inner, Options{Tries: 3, First: time.Millisecond})
			got, err := s.Score(context.Background(), []backends.Pair{{Target: "a"}, {Target: "bb"}})
			if inner.calls != c.calls {
				t.Errorf("%d calls, want %d", inner.calls, c.calls)
			}
			if c.want != nil {
				if !errors.Is(err, c.want) {
					t.Errorf("error %v, want %v", err, c.want)
				}
			} else if err != nil || len(got) != 2 || got[0] != -1 || got[1] != -2 {
				t.Errorf("%v, %v; want the negative lengths of the targets", got, err)
			}
		})
	}
}
