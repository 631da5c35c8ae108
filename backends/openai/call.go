package openai

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"

	"infnet/backends"
	"infnet/backends/strictjson"
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

// client makes calls to a model's servers and caches what they report about themselves. It is safe
// for concurrent use.
type client struct {
	cfg       backends.OpenAIConfig // defaults filled in, secrets taken out
	transport *transport
	chat      *openai.LLM
	names     names // who answers at which URL

	mu      sync.Mutex              // of what follows, and of a model's probes
	tokens  map[string][]labelToken // how the server splits labels, by form
	refused []string                // fields that change no greedy answer and that the server refuses; found by the probe
	longest int                     // the longest input in tokens, found by the probe; 0 = not known
}

// ask makes the call: a chat through langchaingo, a completion directly. On
// success the exchange has a reply with one choice.
func (m *client) ask(ctx context.Context, q question) (*exchange, *backends.Failure) {
	x := &exchange{add: m.fields(q)}
	var err error
	if q.mode == backends.Chat {
		err = m.askChat(ctx, x, q)
	} else {
		err = m.transport.carry(ctx, x, "/completions", nil)
	}
	switch {
	case x.failure != nil:
		return x, x.failure
	case ctx.Err() != nil:
		return x, errEnded
	case err != nil: // langchaingo could not read what we could
		return x, badResponse("%v", err)
	case x.reply == nil:
		return x, badResponse("the call ended without a response")
	}
	x.reply.asked = q
	if by := responderOf(ctx); by != nil {
		by.took(x.reply.spent())
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

// context is the longest input that the probe found out; 0 = not known.
func (m *client) context() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.longest
}

func (m *client) askChat(ctx context.Context, x *exchange, q question) error {
	options := []llms.CallOption{llms.WithTemperature(0), llms.WithMaxTokens(q.maxTokens)}
	if len(q.stop) > 0 {
		options = append(options, llms.WithStopWords(slices.Clone(q.stop)))
	}
	message := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, q.prompt)}
	res, err := m.chat.GenerateContent(withExchange(ctx, x), message, options...)
	if err == nil && x.failure == nil && x.reply != nil {
		x.failure = x.reply.take(res)
	}
	return err
}

// fields returns the body's fields that langchaingo does not write; for a completion, all of them.
func (m *client) fields(q question) map[string]any {
	f := map[string]any{
		"seed": q.seed & seedBits, "top_p": 1, "temperature": 0, "stream": nil,
		"max_tokens": nil, "max_completion_tokens": nil,
	}
	m.mu.Lock()
	for _, field := range m.refused {
		f[field] = nil
	}
	m.mu.Unlock()
	limit := m.cfg.MaxTokensField
	if q.mode == backends.Raw {
		f["model"], f["prompt"] = m.cfg.Served, q.prompt
		if len(q.stop) > 0 {
			f["stop"] = q.stop
		}
		limit = "max_tokens"
	}
	f[limit] = q.maxTokens
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
			f[k] = v
		}
	}
	return f
}

// own calls a server-specific route, outside /v1; without a body, by GET.
func (m *client) own(ctx context.Context, path string, body, into any) error {
	x := &exchange{own: true, get: body == nil}
	return m.call(ctx, x, path, body, into)
}

func (m *client) call(ctx context.Context, x *exchange, path string, body, into any) error {
	var b []byte
	if body != nil {
		var err error
		if b, err = json.Marshal(body); err != nil {
			return err
		}
	}
	if err := m.transport.carry(ctx, x, path, b); err != nil {
		return err
	}
	if x.failure != nil {
		return x.failure
	}
	if err := strictjson.Unmarshal(x.body, into); err != nil {
		return badResponse("%s: %v", strings.TrimPrefix(path, "/"), err)
	}
	return nil
}
