package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"infnet/backends"
	"infnet/backends/wire"
)

// seedBits keeps a seed within what every server takes (llama.cpp and Ollama
// read 32 bits, signed in places).
const seedBits = 1<<31 - 1

// question is a request as a call asks it.
type question struct {
	backends.Request // with TopLogprobs alternatives a token, where logprobs is set
	logprobs         bool
	add              map[string]any // further fields
}

// shows is a question that shows the model what a request does, for at most so many tokens.
func shows(r backends.Request, tokens int) question {
	r.MaxTokens, r.Stop, r.TopLogprobs = tokens, nil, 0
	return question{Request: r}
}

func oneToken(mode backends.Mode, prompt string) question {
	return question{Request: backends.Request{Mode: mode, Prompt: prompt, MaxTokens: 1}}
}

// talk is the calls of one request, one after the other: who answered them, and what they took.
type talk struct {
	m       *Model
	latency time.Duration
	calls   []backends.Usage
	names   []string
	system  string // of the last reply that names one
}

// one is the name of who answered. If the calls of one request were answered under two names, as
// when a snapshot is replaced in between, there is no answer.
func (t *talk) one() (string, *backends.Failure) {
	switch len(t.names) {
	case 0:
		return "", nil
	case 1:
		return t.names[0], nil
	}
	return "", badResponse("the calls of one answer were answered by %q: they are not of one model", t.names)
}

// ask makes the call. The reply has one choice and is of the model that was asked.
func (t *talk) ask(ctx context.Context, q question) (*response, *backends.Failure) {
	r, latency, err := t.m.post(ctx, q, nil)
	t.latency += latency
	if err != nil {
		return nil, wire.Failed(err)
	}
	t.calls = append(t.calls, r.spent())
	if f := t.m.names.counts(ctx, r.at, r.Model); f != nil {
		return nil, f
	}
	if name := t.m.names.shown(r.Model); !slices.Contains(t.names, name) {
		t.names = append(t.names, name)
	}
	t.system = cmp.Or(clean(t.m.wire.Secrets.Text(r.system())), t.system)
	if n, _ := r.spent().Prompt.Known(); t.m.context() > 0 && n >= t.m.context() {
		return nil, &backends.Failure{Cause: backends.TooLong,
			Message: fmt.Sprintf("the prompt fills the server's context of %d tokens: what was over it was cut off without a "+
				"word (Ollama does so: raise num_ctx)", t.m.context())}
	}
	return r, nil
}

// post sends a question, to one URL or to the one whose turn it is.
func (m *Model) post(ctx context.Context, q question, at *wire.Endpoint) (r *response, took time.Duration, err error) {
	body, err := m.body(q)
	if err != nil {
		return nil, 0, err
	}
	path := "/completions"
	if q.Mode == backends.Chat {
		path = "/chat/completions"
	}
	reply, err := m.wire.Call(ctx, wire.Call{At: at, Path: path, Body: body,
		Read: func(reply *wire.Reply) (f *backends.Failure) {
			if r, f = decode(reply); f == nil {
				r.at, r.asked = reply.At, q
				f = reply.Owns(r.ID)
			}
			return f
		}})
	return r, reply.Latency, err
}

// context is the longest input that the probe found out; 0 = not known.
func (m *Model) context() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.probed == nil {
		return 0
	}
	return m.probed.p.Context
}

type turn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func (q question) turns() []turn {
	var out []turn
	if q.System != "" {
		out = append(out, turn{"system", q.System})
	}
	for _, e := range q.Examples {
		out = append(out, turn{"user", e.Prompt}, turn{"assistant", e.Answer})
	}
	return append(out, turn{"user", q.Prompt})
}

func (m *Model) body(q question) ([]byte, error) {
	f := map[string]any{"model": m.cfg.Served, "seed": q.Seed & seedBits, "top_p": 1,
		"temperature": q.Sampling.Temperature}
	m.mu.Lock()
	for _, field := range m.refused {
		delete(f, field)
	}
	m.mu.Unlock()
	limit := string(m.cfg.MaxTokensField)
	if q.Mode == backends.Raw {
		f["prompt"], limit = q.Prompt, "max_tokens"
	} else {
		f["messages"] = q.turns()
		if m.cfg.Effort != "" {
			f["reasoning_effort"] = m.cfg.Effort
		}
	}
	f[limit] = q.MaxTokens
	if len(q.Stop) > 0 {
		f["stop"] = q.Stop
	}
	switch {
	case !q.logprobs:
	case q.Mode == backends.Raw:
		f["logprobs"] = max(q.TopLogprobs, 1) // 0 would do on some servers; on others it means none
	default:
		f["logprobs"] = true
		if q.TopLogprobs > 0 {
			f["top_logprobs"] = q.TopLogprobs
		}
	}
	maps.Copy(f, q.add)
	return m.encoded(f)
}

// encoded is the body of a call, with the fields of the settings over ours; a nil value removes one. The failure is for
// a field that has no JSON.
func (m *Model) encoded(fields map[string]any) ([]byte, error) {
	maps.Copy(fields, m.cfg.Extra)
	maps.DeleteFunc(fields, func(_ string, v any) bool { return v == nil })
	b, err := json.Marshal(fields)
	if err != nil {
		return nil, &backends.Failure{Cause: backends.Internal, Message: "the request's body: " + err.Error()}
	}
	return b, nil
}

// own calls a server-specific route, outside /v1; without a body, by GET.
func own(ctx context.Context, w *wire.Wire, path string, body, into any) error {
	c := wire.Call{Root: true, Path: path, Read: func(r *wire.Reply) *backends.Failure { return r.JSON(into) }}
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			panic(err) // texts and numbers of ours
		}
		c.Body = b
	}
	_, err := w.Call(ctx, c)
	return err
}
