package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// Embedder embeds texts by the /v1/embeddings route of vLLM, Text Embeddings
// Inference, Ollama, OpenAI and whatever else has it. It is safe for concurrent
// use. Errors are a *backends.Failure, except for the context's.
type Embedder struct {
	model *Model
	batch int

	mu  sync.Mutex
	dim int // of the first call's vectors; 0 = none yet
}

var _ backends.Confirmer = (*Embedder)(nil)

// OpenEmbedder prepares an embedder. Like Open it calls no server.
func OpenEmbedder(cfg backends.Config) (*Embedder, error) {
	m, err := Open(cfg)
	if err != nil {
		return nil, err
	}
	e := &Embedder{model: m, batch: cmp.Or(m.cfg.EmbedBatch, backends.DefaultEmbedBatch)}
	if e.batch < 1 {
		return nil, fmt.Errorf("model %q: batch = %d: want 1 or more", cfg.Model.ID, e.batch)
	}
	return e, nil
}

// BatchSize is the number of texts a call to the server brings.
func (e *Embedder) BatchSize() int { return e.batch }

// Close closes idle connections.
func (e *Embedder) Close() error { return e.model.Close() }

// Embed returns one vector per text, in order, as the server gives them: of
// whatever norm, finite, all of one dimension over the embedder's life. An
// empty text is sent as a blank, since servers refuse empty ones.
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if len(texts) == 0 {
		return nil, nil
	}
	sent := slices.Clone(texts)
	for i, t := range sent {
		if t == "" {
			sent[i] = " "
		}
	}
	out := make([][]float32, 0, len(texts))
	for part := range slices.Chunk(sent, e.batch) {
		vectors, err := e.embed(ctx, part, nil)
		if err != nil {
			return nil, err
		}
		out = append(out, vectors...)
	}
	if err := e.sound(out); err != nil {
		return nil, err
	}
	return out, nil
}

// sound checks that all vectors have one dimension: that of the first call.
func (e *Embedder) sound(vectors [][]float32) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	dim := e.dim
	if dim == 0 {
		dim = len(vectors[0])
	}
	for i, v := range vectors {
		if len(v) != dim {
			return badResponse("vector %d has %d numbers, others had %d", i, len(v), dim)
		}
	}
	e.dim = dim
	return nil
}

// embed makes one call, to one URL or to the one whose turn it is. It returns the vectors in the order of the texts.
func (e *Embedder) embed(ctx context.Context, texts []string, at *wire.Endpoint) ([][]float32, error) {
	m := e.model
	body, err := m.encoded(map[string]any{"model": m.cfg.Served, "input": texts})
	if err != nil {
		return nil, err
	}
	var vectors [][]float32
	var name string
	r, err := m.wire.Call(ctx, wire.Call{At: at, Path: "/embeddings", Body: body,
		Read: func(r *wire.Reply) (f *backends.Failure) {
			vectors, name, f = readVectors(r, len(texts))
			return f
		}})
	if err != nil {
		return nil, err
	}
	if f := m.names.counts(ctx, r.At, name); f != nil {
		return nil, f
	}
	return vectors, nil
}

// Confirm finds out which model embeds at each URL: it embeds one short text at each URL that is
// not known and has embedded nothing yet.
func (e *Embedder) Confirm(ctx context.Context, known func(url string) bool) []backends.Confirmation {
	return e.model.confirm(ctx, known, func(ctx context.Context, at *wire.Endpoint) error {
		_, err := e.embed(ctx, []string{greetings()[0]}, at)
		return err
	})
}

// wireVector is one entry of a response. Without an index, its position in the list counts.
type wireVector struct {
	Index  *int       `json:"index"`
	Vector []*float64 `json:"embedding"`
}

// readVectors reads a reply of n vectors, in the order of their indices, and the name of the model.
func readVectors(reply *wire.Reply, n int) (out [][]float32, model string, f *backends.Failure) {
	var r struct {
		Model string          `json:"model"`
		Data  []wireVector    `json:"data"`
		Error json.RawMessage `json:"error"`
	}
	if f := reply.JSON(&r); f != nil {
		return nil, "", f
	}
	if httpfailure.Says(r.Error) {
		f := httpfailure.Success(reply.Body)
		if len(r.Data) > 0 {
			f = badResponse("the response has vectors and also the error %q", f.Message)
		}
		return nil, "", f
	}
	if len(r.Data) != n {
		return nil, "", badResponse("%d vectors for %d texts", len(r.Data), n)
	}
	placed := 0
	for _, d := range r.Data {
		if d.Index != nil {
			placed++
		}
	}
	if placed != 0 && placed != n {
		return nil, "", badResponse("%d of %d vectors have an index: some are anybody's", placed, n)
	}
	out = make([][]float32, n)
	for i, d := range r.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out[at] != nil {
			return nil, "", badResponse("the vectors of %d texts have index %d twice, or outside them", n, at)
		}
		if out[at], f = d.values(); f != nil {
			return nil, "", f
		}
	}
	return out, r.Model, nil
}

// values returns the numbers of a vector: none missing (JSON writes NaN as null), none beyond
// float32, not all zero.
func (d wireVector) values() ([]float32, *backends.Failure) {
	out := make([]float32, len(d.Vector))
	for i, p := range d.Vector {
		if p == nil || math.Abs(*p) > math.MaxFloat32 {
			return nil, badResponse("number %d of a vector is missing or infinite", i)
		}
		out[i] = float32(*p)
	}
	if !slices.ContainsFunc(out, func(v float32) bool { return v != 0 }) {
		return nil, badResponse("a vector of %d numbers has no direction", len(out))
	}
	return out, nil
}
