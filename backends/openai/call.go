package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"infnet/backends"
	"infnet/backends/wire"
)

// seedBits keeps a seed within what every server takes (llama.cpp and Ollama
// read 32 bits, signed in places).
const seedBits = 1<<31 - 1

// question is one call to the model.
type question struct {
	mode      backends.Mode
	prompt    string
	maxTokens int
	stop      []string
	seed      uint64
	logprobs  bool
	top       int            // alternatives a token, where logprobs is set
	add       map[string]any // further fields
}

// exchange is a question as it was answered.
type exchange struct {
	at      *wire.Endpoint
	latency time.Duration
	reply   *response // nil = none that can be read
}

// client makes calls to a model's servers and caches what they report about themselves. It is safe
// for concurrent use.
type client struct {
	cfg   backends.OpenAIConfig // defaults filled in, secrets taken out
	wire  *wire.Wire
	names names // who answers at which URL

	mu      sync.Mutex              // of what follows, and of a model's probes
	tokens  map[string][]labelToken // how the server splits labels, by form
	refused []string                // fields that change no greedy answer and that the server refuses; found by the probe
	longest int                     // the longest input in tokens, found by the probe; 0 = not known
}

// ask makes the call. On success the exchange has a reply with one choice, of the model that was asked.
func (m *client) ask(ctx context.Context, q question) (*exchange, *backends.Failure) {
	x, err := m.post(ctx, q, nil)
	if err != nil {
		return x, wire.Failed(err)
	}
	x.reply.asked = q
	if by := responderOf(ctx); by != nil {
		by.calls = append(by.calls, x.reply.spent())
	}
	if f := m.answered(ctx, x); f != nil {
		return x, f
	}
	if n, _ := x.reply.spent().Prompt.Known(); m.context() > 0 && n >= m.context() {
		return x, &backends.Failure{Cause: backends.TooLong,
			Message: fmt.Sprintf("the prompt fills the server's context of %d tokens: what was over it was cut off without a "+
				"word (Ollama does so: raise num_ctx)", m.context())}
	}
	return x, nil
}

// post sends a question, to one URL or to the one whose turn it is.
func (m *client) post(ctx context.Context, q question, at *wire.Endpoint) (*exchange, error) {
	x := &exchange{}
	body, err := m.body(q)
	if err != nil {
		return x, err
	}
	path := "/completions"
	if q.mode == backends.Chat {
		path = "/chat/completions"
	}
	r, err := m.wire.Call(ctx, wire.Call{At: at, Path: path, Body: body, Read: func(r *wire.Reply) (f *backends.Failure) {
		if x.reply, f = decode(r); f == nil {
			f = r.Owns(x.reply.ID)
		}
		return f
	}})
	x.at, x.latency = r.At, r.Latency
	return x, err
}

// context is the longest input that the probe found out; 0 = not known.
func (m *client) context() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.longest
}

// turn is one of a chat.
type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// body is what a question sends.
func (m *client) body(q question) ([]byte, error) {
	f := map[string]any{"model": m.cfg.Served, "seed": q.seed & seedBits, "top_p": 1, "temperature": 0}
	m.mu.Lock()
	for _, field := range m.refused {
		delete(f, field)
	}
	m.mu.Unlock()
	limit := string(m.cfg.MaxTokensField)
	if q.mode == backends.Raw {
		f["prompt"], limit = q.prompt, "max_tokens"
	} else {
		f["messages"] = []turn{{"user", q.prompt}}
	}
	f[limit] = q.maxTokens
	if len(q.stop) > 0 {
		f["stop"] = q.stop
	}
	switch {
	case !q.logprobs:
	case q.mode == backends.Raw:
		f["logprobs"] = max(q.top, 1) // 0 would do on some servers; on others it means none
	default:
		f["logprobs"] = true
		if q.top > 0 {
			f["top_logprobs"] = q.top
		}
	}
	for _, more := range []map[string]any{q.add, m.cfg.Extra} {
		for k, v := range more {
			if f[k] = v; v == nil {
				delete(f, k)
			}
		}
	}
	return encoded(f)
}

// encoded is the body of a call. The failure is for a field of the settings that has no JSON.
func encoded(fields any) ([]byte, error) {
	b, err := json.Marshal(fields)
	if err != nil {
		return nil, &backends.Failure{Cause: backends.Internal, Message: "the request's body: " + err.Error()}
	}
	return b, nil
}

// own calls a server-specific route, outside /v1; without a body, by GET.
func (m *client) own(ctx context.Context, path string, body, into any) error {
	c := wire.Call{Root: true, Path: path, Read: func(r *wire.Reply) *backends.Failure { return r.JSON(into) }}
	if body != nil {
		var err error
		if c.Body, err = encoded(body); err != nil {
			return err
		}
	}
	_, err := m.wire.Call(ctx, c)
	return err
}
