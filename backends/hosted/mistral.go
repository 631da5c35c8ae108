package hosted

import (
	"context"
	"encoding/json"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/mistral"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// The form is that of "Chat Completion" in Mistral's API reference (docs.mistral.ai/api, read in November 2026):
// POST /v1/chat/completions.

// mistralProvider asks chat completions. Its client takes no HTTP client and drops the context, so each call has an
// address of its own, and retries are ours.
func mistralProvider() *provider {
	return &provider{
		open: func(c backends.HostedConfig, t *transport) (*client, error) {
			r, err := routed()
			if err != nil {
				return nil, err
			}
			return &client{generate: func(ctx context.Context, x *exchange) (*llms.ContentResponse, error) {
				ctx = withExchange(ctx, x)
				address, done := r.openFor(ctx, t)
				defer done()
				m, err := mistral.New(mistral.WithAPIKey("none"), mistral.WithEndpoint(address), mistral.WithModel(c.Served),
					mistral.WithMaxRetries(1), mistral.WithTimeout(2*c.Timeout))
				if err != nil {
					return nil, err
				}
				return m.GenerateContent(ctx, x.question.messages(),
					append(x.question.options(), llms.WithSeed(int(x.question.seed)))...)
			}}, nil
		},
		route:      asWritten,
		authorizer: inHeader("Authorization", "Bearer "),
		complete:   completeMistral,
		reply:      readMistral,
		hear:       hearMistral,
		named:      true,
	}
}

// completeMistral removes the empty list of tools that the client sends, and adds the stops that it drops.
func completeMistral(_ map[string]json.RawMessage, put putter, q question) error {
	if err := put("tools", nil); err != nil || len(q.stop) == 0 {
		return err
	}
	return put("stop", q.stop)
}

type mistralReply struct {
	Object  string          `json:"object"`
	Model   string          `json:"model"`
	Message json.RawMessage `json:"message"` // of an error
	Choices []struct {
		Index   int `json:"index"`
		Message struct {
			Content   json.RawMessage `json:"content"` // a text, or a list of chunks
			ToolCalls json.RawMessage `json:"tool_calls"`
		} `json:"message"`
		Finish *string `json:"finish_reason"`
	} `json:"choices"`
	Usage struct {
		Prompt     *int `json:"prompt_tokens"`
		Completion *int `json:"completion_tokens"`
		Details    struct {
			Cached int `json:"cached_tokens"`
		} `json:"prompt_tokens_details"`
	} `json:"usage"`
}

func readMistral(body []byte) (*said, []byte, *backends.Failure) {
	var r mistralReply
	if f := unmarshal(body, &r); f != nil {
		return nil, nil, f
	}
	if r.Object == "error" || len(r.Choices) == 0 && holds(r.Message) {
		return nil, nil, erred(body)
	}
	if len(r.Choices) != 1 || r.Choices[0].Index != 0 {
		return nil, nil, httpfailure.BadResponse("the response has %d choices, want 1, of index 0", len(r.Choices))
	}
	c := r.Choices[0]
	p := parts{tool: holds(c.Message.ToolCalls)}
	if f := p.chunks(c.Message.Content); f != nil {
		return nil, nil, f
	}
	out := &said{model: r.Model}
	if c.Finish != nil {
		out.finish = *c.Finish
	}
	if out.finish == "error" {
		return nil, nil, &backends.Failure{Cause: backends.ServerError, Status: 200,
			Message: "the provider gave the answer up (finish reason error)"}
	}
	var f *backends.Failure
	if out.usage, f = counted(r.Usage.Prompt, r.Usage.Completion, r.Usage.Details.Cached,
		p.text == "" && !p.tool && !p.thoughts); f != nil {
		return nil, nil, f
	}
	if out.text, f = p.answer(out.finish); f != nil {
		return out, nil, f
	}
	readable, err := rewritten(body, "choices", []any{map[string]any{"index": 0, "finish_reason": out.finish,
		"message": map[string]string{"role": "assistant", "content": out.text}}})
	if err != nil {
		return out, nil, httpfailure.BadResponse("%v", err)
	}
	return out, readable, nil
}

// chunks reads a content that is a text, or a list of chunks of text and thoughts, which Mistral's and Cohere's
// reasoning models write and langchaingo cannot read.
func (p *parts) chunks(content json.RawMessage) *backends.Failure {
	if !holds(content) {
		return nil
	}
	if json.Unmarshal(content, &p.text) == nil {
		return nil
	}
	var list []struct {
		Type string  `json:"type"`
		Text *string `json:"text"`
	}
	if f := unmarshal(content, &list); f != nil {
		return f
	}
	for _, c := range list {
		switch {
		case c.Type == "text" && c.Text != nil:
			p.text += *c.Text
		case c.Type == "thinking":
			p.thoughts = true
		default:
			return httpfailure.BadResponse("the response has a chunk of type %q that is no text", c.Type)
		}
	}
	return nil
}

func hearMistral(res *llms.ContentResponse) (said, *backends.Failure) {
	c, f := only(res)
	if f != nil {
		return said{}, f
	}
	var usage struct { // of a type of the client's own
		Prompt     *int `json:"prompt_tokens"`
		Completion *int `json:"completion_tokens"`
	}
	if b, err := json.Marshal(c.GenerationInfo["usage"]); err != nil || json.Unmarshal(b, &usage) != nil {
		return said{}, httpfailure.BadResponse("langchaingo's usage cannot be read")
	}
	out := said{text: c.Content, finish: c.StopReason}
	out.usage, f = counted(usage.Prompt, usage.Completion, 0, out.text == "")
	return out, f
}
