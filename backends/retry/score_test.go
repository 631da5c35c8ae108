package retry

import (
	"context"
	"errors"
	"math"
	"testing"
	"time"

	"infnet/backends"
)

// scores answers its calls in order.
type scores [][]float64

func (s *scores) Score(context.Context, []backends.Pair) ([]float64, error) {
	if len(*s) == 0 {
		return nil, &backends.Failure{Cause: backends.BadRequest, Message: "what?"}
	}
	next := (*s)[0]
	*s = (*s)[1:]
	return next, nil
}

// Scores that are too few, or no numbers, are asked for again; what would fail again is not.
func TestScorerAsksAgain(t *testing.T) {
	pairs := []backends.Pair{{Target: "a"}, {Target: "bb"}}
	for _, bad := range [][]float64{{-1}, {-1, math.NaN()}, {math.Inf(-1), -1}} {
		got, err := NewScorer(&scores{bad, {-1, -2}}, Options{First: time.Millisecond}).Score(context.Background(), pairs)
		if err != nil || len(got) != 2 || got[1] != -2 {
			t.Errorf("after %v: %v, %v", bad, got, err)
		}
	}
	var f *backends.Failure
	if _, err := NewScorer(&scores{}, Options{}).Score(context.Background(), pairs); !errors.As(err, &f) ||
		f.Cause != backends.BadRequest {
		t.Errorf("error %v, want the scorer's own", err)
	}
}
