package collect

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"

	"infnet/backends"
	"infnet/harness/store"
)

// EmbedJob is one embedder's work on the texts of a study.
type EmbedJob struct {
	Embedder backends.ModelID
	Served   string // the embedder's name on its servers; "" = no server knows it by a name
	Name     string // the embedder's name, for people

	// Texts yields the texts, repeats included. It is ranged over more than
	// once and must yield the same every time.
	Texts iter.Seq[string]

	// Open opens the embedder. It is called at most once, and only when
	// something must be embedded. nil is allowed where nothing will be.
	Open func() (backends.Embedder, error)

	Batch int // texts per call; 0 = 256

	Price Price // of the embedder's tokens, for a spending limit; they are estimated from characters
}

// Embed computes and stores the embeddings of all distinct texts. Each batch is on disk before it
// is counted. Its errors are those of Run; an error of the embedder ends it.
func Embed(ctx context.Context, st *store.Store, j EmbedJob, opt Options, p Progress) (Computed, error) {
	rep, err := j.batches(st).run(ctx, opt, p)
	if err != nil && !errors.As(err, new(*MissingError)) {
		err = fmt.Errorf("embed with %s: %w", j.Name, err)
	}
	return rep, err
}

// Count looks up how many of the texts are embedded. It calls nothing.
func (j EmbedJob) Count(st *store.Store) (Counted, error) { return j.batches(st).count() }

func (j EmbedJob) batches(st *store.Store) *batches[string, store.Vector] {
	b := &batches[string, store.Vector]{
		model: j.Embedder, name: j.Name, makes: "embeddings", price: j.Price, size: j.Batch,
		all: j.Texts, key: store.TextKey, prompt: func(text string) string { return text },
		file: func(write bool) (file[string, store.Vector], error) {
			open := st.Vectors
			if write {
				open = st.WriteVectors
			}
			v, err := open(j.Embedder)
			if err != nil {
				return nil, err
			}
			return v.As(j.Served), nil
		},
	}
	if b.size <= 0 {
		b.size = 256
	}
	if j.Open != nil {
		b.open = func() (func(context.Context, []string) ([]store.Vector, error), error) {
			e, err := j.Open()
			return (&embedding{embedder: e}).embed, err
		}
	}
	return b
}

// embedding checks that all vectors of one Embed call have one length.
type embedding struct {
	embedder backends.Embedder
	dim      int // of the vectors so far; 0 = none yet
}

func (e *embedding) embed(ctx context.Context, texts []string) ([]store.Vector, error) {
	vectors, err := e.embedder.Embed(ctx, texts)
	if err != nil {
		return nil, err
	}
	if len(vectors) != len(texts) {
		return nil, fmt.Errorf("%d vectors for %d texts", len(vectors), len(texts))
	}
	out := make([]store.Vector, len(texts))
	for i, v := range vectors {
		if e.dim == 0 {
			e.dim = len(v)
		}
		if len(v) == 0 || len(v) != e.dim {
			return nil, fmt.Errorf("a vector of length %d among vectors of length %d, for the text %.60q", len(v), e.dim,
				texts[i])
		}
		for _, x := range v {
			if !finite(float64(x)) {
				return nil, fmt.Errorf("a vector holds %v, for the text %.60q", x, texts[i])
			}
		}
		out[i] = store.Vector{Text: texts[i], Values: v}
	}
	return out, nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
