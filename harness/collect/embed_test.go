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

// embedder maps a text to (length, 1, …) of some dimension.
type embedder struct {
	texts int
	fault string // what goes wrong with the text "bad"
}

func (e *embedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e.texts += len(texts)
	var out [][]float32
	for _, s := range texts {
		v := []float32{float32(len(s)), 1}
		if s == "bad" {
			switch e.fault {
			case "error":
				return nil, errors.New("no such model")
			case "NaN":
				v[1] = float32(math.NaN())
			case "length":
				v = v[:1]
			case "empty":
				v = nil
			case "missing":
				continue
			}
		}
		out = append(out, v)
	}
	return out, nil
}

func embedJob(e backends.Embedder, texts ...string) collect.TextJob[string, []float32] {
	return collect.TextJob[string, []float32]{Making: collect.Embeddings, Model: embedderID, Name: "bag",
		All: slices.Values(texts), Batch: 2,
		Open: func() (func(context.Context, []string) ([][]float32, error), error) { return e.Embed, nil },
	}
}

func TestEmbed(t *testing.T) {
	st := newStore(t)
	e := &embedder{}
	p := &recorder{t: t}
	rep, err := embedJob(e, "a", "bb", "a", "", "bb", "ccc").Run(t.Context(), st, collect.Options{}, p)
	if err != nil || rep.Total != 6 || rep.Made != 4 || rep.Shared != 2 || rep.OnDisk != 0 || e.texts != 4 {
		t.Errorf("%+v, %v, %d texts embedded", rep, err, e.texts)
	}
	if p.added != 4 || len(p.starts) != 1 || p.starts[0] != "bag on embeddings: 0 of 4" || p.ended != 1 {
		t.Errorf("progress %+v", p)
	}
	rep, err = embedJob(e, "a", "d").Run(t.Context(), st, collect.Options{}, nil)
	if err != nil || rep.OnDisk != 1 || rep.Made != 1 || e.texts != 5 {
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
	closed := embedJob(nil, "a")
	closed.Open = nil
	if _, err := closed.Run(t.Context(), st, collect.Options{Offline: true}, nil); err != nil {
		t.Errorf("all there: %v", err)
	}
	_, err = embedJob(e, "a", "new").Run(t.Context(), st, collect.Options{Offline: true}, nil)
	if !errors.As(err, new(*collect.MissingError)) || !strings.Contains(err.Error(), "1 of bag on embeddings;") {
		t.Errorf("offline: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := embedJob(e, "new").Run(ctx, st, collect.Options{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func TestEmbedFaults(t *testing.T) {
	for _, test := range []struct{ fault, want string }{
		{"error", "no such model"},
		{"NaN", "a vector holds NaN"},
		{"length", "a vector of length 1 among vectors of length 2"},
		{"empty", "a vector of length 0"},
		{"missing", "1 vectors for 2 texts"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			st := newStore(t)
			e := &embedder{fault: test.fault}
			j := embedJob(e, "a", "b", "c", "bad", "d")
			rep, err := j.Run(t.Context(), st, collect.Options{}, nil)
			if err == nil || !strings.Contains(err.Error(), test.want) || !strings.Contains(err.Error(), "embed with bag: ") {
				t.Errorf("error %v, want %q", err, test.want)
			}
			if rep.Made != 2 {
				t.Errorf("%d made, want the batch before", rep.Made)
			}
			e.fault = ""
			if rep, err = j.Run(t.Context(), st, collect.Options{}, nil); err != nil || rep.OnDisk != 2 ||
				rep.Made != 3 {
				t.Errorf("going on: %+v, %v", rep, err)
			}
		})
	}
	j := embedJob(nil, "x")
	j.Open = nil
	if _, err := j.Run(t.Context(), newStore(t), collect.Options{}, nil); err == nil {
		t.Error("no embedder and no error")
	}
}
