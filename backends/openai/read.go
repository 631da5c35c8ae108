package openai

import (
	"encoding/json"
	"strings"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
)

// The text, the finish reason and the token counts of a chat are those that langchaingo reads from the reply; what the
// reply itself says only checks them. Everything else, log-probabilities above all, langchaingo does not pass on and is
// read from the reply.

// readable is a chat completion as langchaingo gets it: what it is to read. Replies that it does not expect make it
// panic, such as a call without a function.
func (r *response) readable() ([]byte, error) {
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	type choice struct {
		Index   int     `json:"index"`
		Message message `json:"message"`
		Finish  string  `json:"finish_reason"`
	}
	text, _ := r.text()
	return json.Marshal(struct {
		Choices []choice `json:"choices"`
		Usage   usage    `json:"usage"`
	}{[]choice{{Message: message{"assistant", text}, Finish: r.reason()}}, r.Usage})
}

// reason is the finish reason that langchaingo can read.
func (r *response) reason() string {
	f := r.Choices[0].FinishReason
	if f == nil || *f == "function_call" { // which wants a function
		return ""
	}
	return *f
}

// take takes what langchaingo read of a chat. A difference from the reply is no answer.
func (r *response) take(res *llms.ContentResponse) *backends.Failure {
	if res == nil || len(res.Choices) != 1 {
		return badResponse("langchaingo read no single choice in the reply")
	}
	read, c := res.Choices[0], &r.Choices[0]
	text, ok := r.text()
	if read.Content != strings.ToValidUTF8(text, "\uFFFD") || read.StopReason != r.reason() {
		return badResponse("langchaingo read the text %q (%s), the reply has %q (%s)", short(read.Content), read.StopReason,
			short(text), r.reason())
	}
	if ok && c.Message != nil && c.Message.Content != nil {
		c.Message.Content = &read.Content
	}
	if read.StopReason != "" {
		c.FinishReason = &read.StopReason
	}
	for _, n := range []struct {
		name string
		at   *int // nil = the server does not say, for which langchaingo has 0
	}{{"PromptTokens", r.Usage.Prompt}, {"CompletionTokens", r.Usage.Completion}, {"TotalTokens", r.Usage.Total},
		{"PromptCachedTokens", &r.Usage.Details.Cached}} {
		got, ok := read.GenerationInfo[n.name].(int)
		if !ok || got != stated(n.at) {
			return badResponse("langchaingo read %v for %s, the reply says %d", read.GenerationInfo[n.name], n.name,
				stated(n.at))
		}
		if n.at != nil {
			*n.at = got
		}
	}
	return nil
}
