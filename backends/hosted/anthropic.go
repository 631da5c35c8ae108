package hosted

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/anthropic"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// The form is that of "Messages" and "Errors" in Anthropic's API reference
// (platform.claude.com/docs/en/api, read in November 2026): POST /v1/messages.

// clientOf is langchaingo's client of the Messages API.
func clientOf(c backends.HostedConfig, t *transport) (client, error) {
	m, err := anthropic.New(anthropic.WithToken("none"), anthropic.WithModel(c.Served),
		anthropic.WithBaseURL(placeholder), anthropic.WithHTTPClient(t))
	return client{m}, err
}

// claudeReply is a message, or an error in its place.
type claudeReply struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Content []claudeBlock   `json:"content"`
	Stop    *string         `json:"stop_reason"`
	Usage   struct {
		Input    *int `json:"input_tokens"` // neither read from a cache nor written to one
		Output   *int `json:"output_tokens"`
		Created  *int `json:"cache_creation_input_tokens"`
		FromRead *int `json:"cache_read_input_tokens"`
	} `json:"usage"`
}

type claudeBlock struct {
	Type string  `json:"type"`
	Text *string `json:"text"`
}

// claude reads a reply of Anthropic's form. langchaingo refuses blocks that it does not know and replies without a
// block, so it gets the blocks of text alone, at least one. The failure is for a reply that is no answer; what it says
// is returned all the same, as far as it was read.
func claude(body []byte) (wire *said, readable []byte, f *backends.Failure) {
	var r claudeReply
	if f := unmarshal(body, &r); f != nil {
		return nil, nil, f
	}
	if r.Type == "error" || holds(r.Error) {
		return nil, nil, erred(body)
	}
	if r.Type != "message" || r.Role != "assistant" {
		return nil, nil, httpfailure.BadResponse("the response is a %q of the role %q, want a message of the assistant",
			r.Type,
			r.Role)
	}
	var p parts
	var texts []map[string]string
	for _, b := range r.Content {
		switch {
		case b.Type == "text" && b.Text != nil:
			p.text += *b.Text
			texts = append(texts, map[string]string{"type": "text", "text": *b.Text})
		case b.Type == "tool_use" || b.Type == "server_tool_use":
			p.tool = true
		case b.Type == "thinking" || b.Type == "redacted_thinking":
			p.thoughts = true
		default:
			return nil, nil, httpfailure.BadResponse("the response has a block of type %q that is no text", b.Type)
		}
	}
	if r.Stop == nil {
		return nil, nil, httpfailure.BadResponse("the response gives no reason for its end, which only streams lack")
	}
	if *r.Stop == "refusal" {
		p.refused = "stop reason refusal"
	}
	cached := 0
	if r.Usage.FromRead != nil {
		cached = *r.Usage.FromRead
	}
	out := &said{model: r.Model, finish: claudeStop(*r.Stop), thoughts: p.thoughts || p.tool}
	if out.usage, f = counted(sum(r.Usage.Input, r.Usage.Created, r.Usage.FromRead), r.Usage.Output, cached,
		p.text == "" && !p.tool && !p.thoughts); f != nil {
		return nil, nil, f
	}
	if out.text, f = p.answer(out.finish); f != nil {
		return out, nil, f
	}
	if len(texts) == 0 {
		texts = append(texts, map[string]string{"type": "text", "text": ""})
	}
	readable, err := rewritten(body, "content", texts)
	if err != nil {
		return out, nil, httpfailure.BadResponse("%v", err)
	}
	return out, readable, nil
}

// claudeStop is a reason in the words of backends.FinishOf.
func claudeStop(reason string) string {
	if reason == "model_context_window_exceeded" {
		return "length"
	}
	return reason
}

// hearClaude reads the choices of a result, each a block of one answer.
func hearClaude(res *llms.ContentResponse) (said, *backends.Failure) {
	if res == nil || len(res.Choices) == 0 {
		return said{}, httpfailure.BadResponse("langchaingo read nothing in the reply")
	}
	var text strings.Builder
	for _, c := range res.Choices {
		text.WriteString(c.Content)
	}
	first := res.Choices[0]
	info := first.GenerationInfo
	read := count(info, "CacheReadInputTokens")
	cached := 0
	if read != nil {
		cached = *read
	}
	out := said{text: text.String(), finish: claudeStop(first.StopReason)}
	var f *backends.Failure
	out.usage, f = counted(sum(count(info, "InputTokens"), count(info, "CacheCreationInputTokens"), read),
		count(info, "OutputTokens"), cached, out.text == "")
	return out, f
}
