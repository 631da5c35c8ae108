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

func TestScore(t *testing.T) {
	st := newStore(t)
	s := &scorer{}
	p := &recorder{t: t}
	j := scoreJob(s, "a", "bb", "a", "")
	if n, err := j.Count(st); err != nil || n.Had != 0 || n.Missing != 3 {
		t.Errorf("before: %+v, %v", n, err)
	}
	rep, err := j.Run(t.Context(), st, collect.Options{}, p)
	if err != nil || rep.Total != 4 || rep.Made != 3 || rep.Shared != 1 || s.pairs != 3 {
		t.Errorf("%+v, %v, %d pairs scored", rep, err, s.pairs)
	}
	if p.added != 3 || len(p.starts) != 1 || p.starts[0] != "rater on scores: 0 of 3" || p.ended != 1 {
		t.Errorf("progress %+v", p)
	}
	if n, err := j.Count(st); err != nil || n.Had != 3 || n.Missing != 0 || n.Path != rep.Path {
		t.Errorf("after: %+v, %v", n, err)
	}
	if rep, err = scoreJob(nil, "bb").Run(t.Context(), st, collect.Options{Offline: true}, nil); err != nil ||
		rep.Had != 1 {
		t.Errorf("all on disk: %+v, %v", rep, err)
	}
	_, err = scoreJob(s, "a", "new").Run(t.Context(), st, collect.Options{Offline: true}, nil)
	if !errors.As(err, new(*collect.MissingError)) || !strings.Contains(err.Error(), "1 of rater on scores;") {
		t.Errorf("offline: %v", err)
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
