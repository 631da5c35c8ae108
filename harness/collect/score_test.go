package collect_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/collect"
)

var scorerID = backends.ModelID{ID: "s", Revision: "1", Kind: backends.BART}

// scorer scores a pair by the length of its target.
type scorer struct {
	pairs int
	fault string // what goes wrong with the target "bad"
}

func (s *scorer) Score(_ context.Context, pairs []backends.Pair) ([]float64, error) {
	s.pairs += len(pairs)
	var out []float64
	for _, p := range pairs {
		v := -float64(len(p.Target))
		if p.Target == "bad" {
			switch s.fault {
			case "error":
				return nil, errors.New("no such model")
			case "NaN":
				v = math.NaN()
			case "beyond float32":
				v = -1e300
			case "missing":
				continue
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func scoreJob(s backends.Scorer, targets ...string) collect.TextJob[backends.Pair, float64] {
	var pairs []backends.Pair
	for _, t := range targets {
		pairs = append(pairs, backends.Pair{Source: "said", Target: t})
	}
	return collect.TextJob[backends.Pair, float64]{
		Making: collect.Scores, Model: scorerID, Name: "rater", All: slices.Values(pairs),
		Open: func() (func(context.Context, []backends.Pair) ([]float64, error), error) { return s.Score, nil },
	}
}

func TestScoreFaults(t *testing.T) {
	for _, test := range []struct{ fault, want string }{
		{"error", "no such model"},
		{"NaN", "a score of NaN"},
		{"beyond float32", "a score of -1e+300"},
		{"missing", "0 scores for 1 pairs"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			st := newStore(t)
			s := &scorer{fault: test.fault}
			j := scoreJob(s, "bad")
			rep, err := j.Run(t.Context(), st, collect.Options{}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "scores by rater: ") {
				t.Errorf("error %v, want %q", err, test.want)
			}
			s.fault = ""
			if rep, err = j.Run(t.Context(), st, collect.Options{}, nil); err != nil || rep.Made != 1 {
				t.Errorf("going on: %+v, %v", rep, err)
			}
		})
	}
}
