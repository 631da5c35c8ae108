package hosted

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"net/url"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/cohere"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// The form is that of "Chat" in version 2 of Cohere's API reference (docs.cohere.com/reference/chat, read in November
// 2026): POST /v2/chat. langchaingo's client asks POST /v1/generate with the prompt and the model alone, a route that
// Cohere deprecated on 15 September 2025 (docs.cohere.com/changelog/2025-09-15-major-command-deprecations). So its
// request is made one of the present route, and the reply one of the old, which is the text alone.

// cohereProvider asks version 2 of the chat API.
func cohereProvider() *provider {
	return &provider{
		open: func(c backends.HostedConfig, t *transport) (*client, error) {
			r, err := routed()
			if err != nil {
				return nil, err
			}
			address, done := r.open(t)
			m, err := cohere.New(cohere.WithToken("none"), cohere.WithBaseURL(address), cohere.WithModel(c.Served))
			if err != nil {
				done()
				return nil, err
			}
			return &client{done: done, generate: func(ctx context.Context, x *exchange) (*llms.ContentResponse, error) {
				return m.GenerateContent(withExchange(ctx, x), // the client sends the first text alone
					[]llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, x.question.prompt)})
			}}, nil
		},
		route:      func(*url.URL) string { return "/v2/chat" },
		authorizer: inHeader("Authorization", "Bearer "),
		complete:   completeCohere,
		refuse:     refuseCohere,
		reply:      readCohere,
		hear: func(res *llms.ContentResponse) (said, *backends.Failure) {
			c, f := only(res)
			if f != nil {
				return said{}, f
			}
			return said{text: c.Content}, nil // all that the client reads
		},
	}
}

// refuseCohere reads statuses of Cohere's own ("Errors" of its documentation): 498 is a filter's, 499 a call that was
// given up there.
func refuseCohere(f *backends.Failure, _ []byte) {
	switch f.Status {
	case 498:
		f.Cause = backends.Refused
	case 499:
		f.Cause = backends.ServerError
	}
}

// completeCohere makes a request of the old route one of the present one.
func completeCohere(fields map[string]json.RawMessage, put putter, q question) error {
	type turn struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	var prompt string
	if err := json.Unmarshal(fields["prompt"], &prompt); err != nil {
		return errors.New("it has no prompt")
	}
	var turns []turn
	if q.system != "" {
		turns = append(turns, turn{"system", q.system})
	}
	for _, e := range q.examples {
		turns = append(turns, turn{"user", e.Prompt}, turn{"assistant", e.Answer})
	}
	turns = append(turns, turn{"user", prompt})
	for _, f := range []struct {
		name string
		v    any
	}{{"prompt", nil}, {"messages", turns}, {"stream", false}, {"max_tokens", q.maxTokens}, {"temperature", 0},
		{"seed", q.seed}} {
		if err := put(f.name, f.v); err != nil {
			return err
		}
	}
	if len(q.stop) == 0 {
		return nil
	}
	return put("stop_sequences", q.stop)
}

type cohereReply struct {
	ID      string          `json:"id"`
	Finish  string          `json:"finish_reason"`
	Message json.RawMessage `json:"message"` // an object; of an error, a text
	Usage   struct {
		Billed cohereCounts `json:"billed_units"`
		Tokens cohereCounts `json:"tokens"` // with those of the chat template, which are not billed
		Cached *float64     `json:"cached_tokens"`
	} `json:"usage"`
}

// cohereCounts are documented as numbers that need not be whole.
type cohereCounts struct {
	Input  *float64 `json:"input_tokens"`
	Output *float64 `json:"output_tokens"`
}

// rounded is a count as a whole number; nil where it is none.
func rounded(x *float64) *int {
	if x == nil || *x > 1<<31 {
		return nil
	}
	n := int(math.Ceil(*x))
	return &n
}

// cohereFinish are the reasons in the words of backends.FinishOf.
var cohereFinish = map[string]string{"COMPLETE": "stop", "STOP_SEQUENCE": "stop_sequence", "MAX_TOKENS": "max_tokens",
	"TOOL_CALL": "tool_call"}

func readCohere(body []byte) (*said, []byte, *backends.Failure) {
	var r cohereReply
	if f := unmarshal(body, &r); f != nil {
		return nil, nil, f
	}
	var message struct {
		Role      string          `json:"role"`
		Content   json.RawMessage `json:"content"`
		ToolCalls json.RawMessage `json:"tool_calls"`
	}
	if json.Unmarshal(r.Message, &message) != nil && holds(r.Message) {
		return nil, nil, erred(body)
	}
	if f := unmarshal(r.Message, &message); f != nil || message.Role != "assistant" {
		return nil, nil, httpfailure.BadResponse("the response has no message of the assistant")
	}
	p := parts{tool: holds(message.ToolCalls)}
	if f := p.chunks(message.Content); f != nil {
		return nil, nil, f
	}
	out := &said{finish: cohereFinish[r.Finish]}
	switch {
	case r.Finish == "ERROR" || r.Finish == "TIMEOUT":
		return nil, nil, &backends.Failure{Cause: backends.ServerError, Status: 200,
			Message: "the provider gave the answer up (finish reason " + r.Finish + ")"}
	case r.Finish == "ERROR_TOXIC":
		p.refused = "finish reason ERROR_TOXIC"
	case out.finish == "":
		out.finish = r.Finish
	}
	u := r.Usage.Billed
	if u.Input == nil || u.Output == nil {
		u = r.Usage.Tokens
	}
	cached := 0
	if n := rounded(r.Usage.Cached); n != nil {
		cached = *n
	}
	var f *backends.Failure
	if out.usage, f = counted(rounded(u.Input), rounded(u.Output), cached,
		p.text == "" && !p.tool && !p.thoughts); f != nil {
		return nil, nil, f
	}
	if out.text, f = p.answer(out.finish); f != nil {
		return out, nil, f
	}
	readable, err := json.Marshal(map[string]any{"id": r.ID, "generations": []any{map[string]string{"text": out.text}}})
	if err != nil {
		return out, nil, httpfailure.BadResponse("%v", err)
	}
	return out, readable, nil
}
