package hosted

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

// The form is that of "Messages" and "Errors" in Anthropic's API reference
// (platform.claude.com/docs/en/api, read in November 2026): POST /v1/messages.

type envelope struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Model   string          `json:"model"`
	Error   json.RawMessage `json:"error"`
	Content []block         `json:"content"`
	Stop    *string         `json:"stop_reason"`
	Usage   json.RawMessage `json:"usage"`

	tool, thoughts bool // it calls a tool; it holds reasoning
	thinking       string
}

type block struct {
	Type     string  `json:"type"`
	Text     *string `json:"text"`
	Thinking string  `json:"thinking,omitempty"`
}

// open reads what langchaingo drops of a reply. langchaingo refuses blocks that it does not know and replies without a
// block, so it gets the blocks of text alone, at least one.
func open(reply *wire.Reply) (e *envelope, readable []byte, f *backends.Failure) {
	e = &envelope{}
	if f := reply.JSON(e); f != nil {
		return nil, nil, f
	}
	switch {
	case e.Type == "error" || httpfailure.Says(e.Error):
		return nil, nil, httpfailure.Success(reply.Body)
	case e.Type != "message" || e.Role != "assistant":
		return nil, nil, httpfailure.BadResponse("the response is a %q of the role %q, want a message of the assistant",
			e.Type, e.Role)
	case e.Stop == nil:
		return nil, nil, httpfailure.BadResponse("the response gives no reason for its end, which only streams lack")
	}
	if f := reply.Owns(e.ID); f != nil {
		return nil, nil, f
	}
	var texts []block
	for _, b := range e.Content {
		switch {
		case b.Type == "text" && b.Text != nil:
			texts = append(texts, b)
		case b.Type == "tool_use" || b.Type == "server_tool_use":
			e.tool = true
		case b.Type == "thinking" || b.Type == "redacted_thinking":
			e.thoughts = true
			e.thinking += b.Thinking
		default:
			return nil, nil, httpfailure.BadResponse("the response has a block of type %q that is no text", b.Type)
		}
	}
	if len(texts) == 0 {
		texts = []block{{Type: "text", Text: new(string)}}
	}
	readable, err := json.Marshal(map[string]any{"content": texts, "stop_reason": e.Stop, "usage": e.Usage})
	if err != nil {
		return nil, nil, httpfailure.BadResponse("%v", err)
	}
	return e, readable, nil
}

// hear fills an answer with what langchaingo read: choices, each a block of one answer.
func hear(res *llms.ContentResponse, e *envelope, q backends.Request, a *backends.Answer) *backends.Failure {
	if res == nil || len(res.Choices) == 0 {
		return httpfailure.BadResponse("langchaingo read nothing in the reply")
	}
	var text strings.Builder
	for _, c := range res.Choices {
		text.WriteString(c.Content)
	}
	first := res.Choices[0]
	count := func(name string) int { n, _ := first.GenerationInfo[name].(int); return n }
	cached, completion := count("CacheReadInputTokens"), count("OutputTokens")
	prompt, created := count("InputTokens"), count("CacheCreationInputTokens") // the first: those of no cache
	if min(prompt, completion, cached, created) < 0 {
		return httpfailure.BadResponse("the usage has negative token counts")
	}
	if prompt > 0 { // 0 here is a count that the provider leaves out
		prompt += created + cached
	}
	silent := text.Len() == 0 && !e.tool && !e.thoughts
	a.Text, a.NoLogprobs, a.Thoughts = text.String(), true, e.thinking
	said := len(a.Text)
	if e.thoughts || e.tool {
		said = -1
	}
	a.Usage = backends.Believe(backends.Usage{Prompt: backends.Counted(prompt), Completion: backends.Counted(completion),
		Cached: cached}, silent && httpfailure.Says(e.Usage)).Credible(len(q.Shown()), q.MaxTokens, said)
	word := first.StopReason
	if word == "model_context_window_exceeded" {
		word = "length"
	}
	n, _ := a.Usage.Completion.Known()
	a.Finish = backends.FinishOf(word, n >= q.MaxTokens)
	return nil
}
