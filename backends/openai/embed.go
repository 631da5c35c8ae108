package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"sync"

	"github.com/tmc/langchaingo/embeddings"
	"github.com/tmc/langchaingo/llms/openai"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/strictjson"
)

// Embedder embeds texts by the /v1/embeddings route of vLLM, Text Embeddings
// Inference, Ollama, OpenAI and whatever else has it. It is safe for concurrent
// use. Errors are a *backends.Failure, except for the context's.
type Embedder struct {
	model  *Model
	client *embeddings.EmbedderImpl
	batch  int

	mu  sync.Mutex
	dim int // of the first call's vectors; 0 = none yet
}

var (
	_ backends.Embedder = (*Embedder)(nil)
	_ backends.Batcher  = (*Embedder)(nil)

	_ backends.Confirmer = (*Embedder)(nil)
)

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
	llm, err := openai.New(openai.WithToken("none"), openai.WithModel(m.cfg.Served),
		openai.WithEmbeddingModel(m.cfg.Served), openai.WithBaseURL(placeholder),
		openai.WithOrganization(""), openai.WithAPIType(openai.APITypeOpenAI),
		openai.WithHTTPClient(embedTransport{m.transport, m}))
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", cfg.Model.ID, err)
	}
	// Line breaks stay: taking them out would change the caller's texts, in both
	// senses.
	e.client, err = embeddings.NewEmbedder(llm, embeddings.WithStripNewLines(false), embeddings.WithBatchSize(e.batch))
	if err != nil {
		return nil, fmt.Errorf("model %q: %w", cfg.Model.ID, err)
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
	x := &embedExchange{exchange: exchange{plain: true, add: e.model.cfg.Extra}}
	out, err := e.client.EmbedDocuments(context.WithValue(ctx, embedKey{}, x), sent)
	switch {
	case x.failure != nil:
		return nil, x.failure
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil: // langchaingo could not read what we could
		return nil, e.model.transport.scrubbed(badResponse("%v", err))
	case len(out) != len(texts):
		return nil, badResponse("%d vectors for %d texts", len(out), len(texts))
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

// embedExchange is what langchaingo's calls for one Embed share: it makes one
// after another, and stops at the first failure.
type embedExchange struct{ exchange }

type embedKey struct{}

// embedTransport is langchaingo's HTTP client for embeddings: the model's own
// transport, and vectors put in order, which langchaingo does not look at.
type embedTransport struct {
	*transport
	model *Model
}

// Do makes one call and hands on the vectors in the order of the texts.
func (t embedTransport) Do(req *http.Request) (*http.Response, error) {
	shared, ok := req.Context().Value(embedKey{}).(*embedExchange)
	if !ok {
		return nil, errors.New("a call without an exchange in its context")
	}
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return nil, err
	}
	_ = req.Body.Close()
	var asked struct {
		Input []string `json:"input"`
	}
	if err := json.Unmarshal(body, &asked); err != nil {
		return nil, err
	}
	x := shared.exchange
	if err := t.carry(req.Context(), &x, "/embeddings", body); err != nil {
		return nil, err
	}
	var small []byte
	if x.failure == nil {
		small, x.failure = ordered(x.body, len(asked.Input))
	}
	if x.failure == nil {
		x.failure = t.model.embedded(req.Context(), &x)
	}
	if x.failure != nil {
		shared.failure = x.failure
		return nil, x.failure
	}
	return &http.Response{
		StatusCode: http.StatusOK, Status: "200 OK", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		ContentLength: int64(len(small)), Body: io.NopCloser(bytes.NewReader(small)), Request: req,
	}, nil
}

// embedded refuses vectors of another model than the one asked.
func (m *client) embedded(ctx context.Context, x *exchange) *backends.Failure {
	var r struct {
		Model string `json:"model"`
	}
	if err := strictjson.Unmarshal(x.body, &r); err != nil {
		return badResponse("the response names its model in a way we cannot read: %v", err)
	}
	return m.counts(ctx, x.at, r.Model)
}

// Confirm finds out which model embeds at each URL: it embeds one short text at each URL that is
// not known and has embedded nothing yet.
func (e *Embedder) Confirm(ctx context.Context, known func(url string) bool) []backends.Confirmation {
	return e.model.confirm(ctx, known, e.tryAt)
}

// tryAt embeds one word at one URL.
func (e *Embedder) tryAt(ctx context.Context, at *endpoint) (string, error) {
	m := e.model
	body, err := merged(nil, map[string]any{"model": m.cfg.Served, "input": []string{greetings()[0]}})
	if err == nil {
		body, err = merged(body, m.cfg.Extra)
	}
	if err != nil {
		return "", err
	}
	x := &exchange{at: at, plain: true}
	m.transport.once(ctx, x, at, "/embeddings", body)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if x.failure == nil {
		_, x.failure = ordered(x.body, 1)
	}
	if x.failure == nil {
		x.failure = m.embedded(ctx, x)
	}
	if x.failure != nil {
		x.failure.Message = m.transport.secrets.Text(x.failure.Message)
		return "", x.failure
	}
	return m.who(at), nil
}

// wireVector is one entry of a response. Without an index, its position in the list counts.
type wireVector struct {
	Index  *int       `json:"index"`
	Vector []*float64 `json:"embedding"`
}

// ordered checks a response of n vectors and writes it again by index.
func ordered(body []byte, n int) ([]byte, *backends.Failure) {
	var r struct {
		Data  []wireVector    `json:"data"`
		Error json.RawMessage `json:"error"`
	}
	if err := strictjson.Unmarshal(body, &r); err != nil {
		if httpfailure.LooksLikeHTML(body) {
			return nil, badResponse("the response is an HTML page: is the URL that of the API, and is there a proxy in front " +
				"of the " +
				"server?")
		}
		return nil, badResponse("the response is no list of vectors: %v", err)
	}
	if isError(r.Error) {
		_, message := httpfailure.Message(body)
		if len(r.Data) > 0 {
			return nil, badResponse("the response has vectors and also the error %q", message)
		}
		return nil, &backends.Failure{Cause: backends.ServerError, Status: http.StatusOK, Message: message}
	}
	if len(r.Data) != n {
		return nil, badResponse("%d vectors for %d texts", len(r.Data), n)
	}
	placed := 0
	for _, d := range r.Data {
		if d.Index != nil {
			placed++
		}
	}
	if placed != 0 && placed != n {
		return nil, badResponse("%d of %d vectors have an index: some are anybody's", placed, n)
	}
	out := struct {
		Data []sentVector `json:"data"`
	}{make([]sentVector, n)}
	for i, d := range r.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= n || out.Data[at].Vector != nil {
			return nil, badResponse("the vectors of %d texts have index %d twice, or outside them", n, at)
		}
		v, f := d.values()
		if f != nil {
			return nil, f
		}
		out.Data[at] = sentVector{at, v}
	}
	small, err := json.Marshal(out)
	if err != nil {
		return nil, &backends.Failure{Cause: backends.Internal, Message: err.Error()}
	}
	return small, nil
}

type sentVector struct {
	Index  int       `json:"index"`
	Vector []float32 `json:"embedding"`
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
