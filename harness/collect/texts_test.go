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

var embedderID = backends.ModelID{ID: "e", Revision: "1", Kind: backends.Lexical}

// texts is a job on a list, two a call.
func texts[T, V any](of *collect.Making[T, V], name string, list []T,
	ask func([]T) ([]V, error)) collect.TextJob[T, V] {
	return collect.TextJob[T, V]{Making: of, Model: embedderID, Name: name, All: slices.Values(list), Batch: 2,
		Open: func() (func(context.Context, []T) ([]V, error), error) {
			return func(_ context.Context, batch []T) ([]V, error) { return ask(batch) }, nil
		}}
}

// embed maps a text to its length and 1, and counts texts.
func embed(count *int, list ...string) collect.TextJob[string, []float32] {
	return texts(collect.Embeddings, "bag", list, func(batch []string) (out [][]float32, err error) {
		*count += len(batch)
		for _, s := range batch {
			out = append(out, []float32{float32(len(s)), 1})
		}
		return out, nil
	})
}

func TestEmbed(t *testing.T) {
	st, n := newStore(t), 0
	p := &recorder{t: t}
	rep, err := embed(&n, "a", "bb", "a", "", "bb", "ccc").Run(t.Context(), st, collect.Options{}, p)
	if err != nil || rep.Total != 6 || rep.Made != 4 || rep.Shared != 2 || rep.OnDisk != 0 || n != 4 {
		t.Errorf("%+v, %v, %d texts embedded", rep, err, n)
	}
	if p.added != 4 || len(p.starts) != 1 || p.starts[0] != "bag on embeddings: 0 of 4" || p.ended != 1 {
		t.Errorf("progress %+v", p)
	}
	rep, err = embed(&n, "a", "d").Run(t.Context(), st, collect.Options{}, nil)
	if err != nil || rep.OnDisk != 1 || rep.Made != 1 || n != 5 {
		t.Errorf("again: %+v, %v", rep, err)
	}
	v, err := st.Vectors(embedderID)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	for _, text := range []string{"", "a", "bb", "ccc", "d"} {
		x, ok, err := v.Get(text)
		if err != nil || !ok || x[0] != float32(len(text)) {
			t.Errorf("%q: %v, %v, %v", text, x, ok, err)
		}
	}
	closed := embed(&n, "a")
	closed.Open = nil
	if _, err := closed.Run(t.Context(), st, collect.Options{Offline: true}, nil); err != nil {
		t.Errorf("all there: %v", err)
	}
	if _, err := closed.Run(t.Context(), newStore(t), collect.Options{}, nil); err == nil {
		t.Error("no embedder and no error")
	}
	_, err = embed(&n, "a", "new").Run(t.Context(), st, collect.Options{Offline: true}, nil)
	if !errors.As(err, new(*collect.MissingError)) || !strings.Contains(err.Error(), "1 of bag on embeddings;") {
		t.Errorf("offline: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embed(&n, "new").Run(ctx, st, collect.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// fails runs a job whose second call returns what cannot be used: the run ends with the reason, keeps what came before,
// and goes on there.
func fails[T, V any](t *testing.T, of *collect.Making[T, V], list [4]T, good V, bad []V, fault error, want string) {
	t.Run(of.Makes+": "+want, func(t *testing.T) {
		calls := 0
		j := texts(of, "m", list[:], func(batch []T) ([]V, error) {
			if calls++; calls == 2 {
				return bad, fault
			}
			return slices.Repeat([]V{good}, len(batch)), nil
		})
		st := newStore(t)
		b := collect.NewSpending(collect.Limits{Tokens: 1}) // of a program and of the built-in embedder none count
		defer b.Close()
		rep, err := j.Run(t.Context(), st, collect.Options{Spending: b}, nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), " m: ") || rep.Made != 2 {
			t.Errorf("error %v, want %q; %d made, want the batch before", err, want, rep.Made)
		}
		if rep, err = j.Run(t.Context(), st, collect.Options{}, nil); err != nil || rep.OnDisk != 2 || rep.Made != 2 {
			t.Errorf("going on: %+v, %v", rep, err)
		}
	})
}

func TestFaultsOfTexts(t *testing.T) {
	words := [4]string{"a", "b", "c", "d"}
	v, none := []float32{1, 2}, errors.New("no such model")
	fails(t, collect.Embeddings, words, v, nil, none, "no such model")
	fails(t, collect.Embeddings, words, v, [][]float32{{1, float32(math.NaN())}, v}, nil, "a vector holds NaN")
	fails(t, collect.Embeddings, words, v, [][]float32{{1}, v}, nil, "a vector of length 1 among vectors of length 2")
	fails(t, collect.Embeddings, words, v, [][]float32{nil, v}, nil, "a vector of length 0")
	fails(t, collect.Embeddings, words, v, [][]float32{v}, nil, "1 vectors for 2 texts")
	var pairs [4]backends.Pair
	for i, w := range words {
		pairs[i] = backends.Pair{Source: "said", Target: w}
	}
	fails(t, collect.Scores, pairs, -1, []float64{math.NaN(), -1}, nil, "a score of NaN")
	fails(t, collect.Scores, pairs, -1, []float64{-1e300, -1}, nil, "a score of -1e+300") // no float32 holds it
	fails(t, collect.Scores, pairs, -1, nil, nil, "0 scores for 2 pairs")
	right := 1.0
	fails(t, collect.Grades, pairs, &right, nil, errors.New("line 1 of its output"), "line 1 of its output")
}

// A grade of none is kept as one.
func TestGrades(t *testing.T) {
	st, right := newStore(t), 1.0
	list := []backends.Pair{{Source: "{}", Target: "a"}, {Source: "{}", Target: "b"}}
	j := texts(collect.Grades, "grade", list, func([]backends.Pair) ([]*float64, error) {
		return []*float64{&right, nil}, nil
	})
	if _, err := j.Run(t.Context(), st, collect.Options{}, nil); err != nil {
		t.Fatal(err)
	}
	grades, err := st.Grades(j.Model)
	if err != nil {
		t.Fatal(err)
	}
	defer grades.Close()
	a, okA, _ := grades.Get(list[0])
	b, okB, _ := grades.Get(list[1])
	if !okA || *a != 1 || !okB || b != nil {
		t.Errorf("%v %v, %v %v", a, okA, b, okB)
	}
}
