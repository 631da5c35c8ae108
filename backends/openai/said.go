package openai

import (
	"fmt"
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// said is the text of a reply's only choice. An empty text is an answer if the model ended it. If
// it was cut, filtered, only reasoning, or a tool call, there is no answer.
func (r *response) said() (string, *backends.Failure) {
	p := r.parts()
	return p.Text, p.Unsaid()
}

// parts are what the reply's only choice holds.
func (r *response) parts() httpfailure.Parts {
	c := r.Choices[0]
	text, ok := r.text()
	finish := ""
	if c.FinishReason != nil {
		finish = strings.ToLower(*c.FinishReason)
	}
	p := httpfailure.Parts{Text: text, NoText: !ok, Thoughts: c.thinks(), End: r.ending(false),
		Tool: c.calls() || finish == "tool_calls" || finish == "function_call"}
	if c.Message != nil && c.Message.Refusal != nil {
		p.Refused = *c.Message.Refusal
	}
	if finish == "content_filter" {
		p.Refused = "by the server's content filter"
	}
	return p
}

// thinks reports whether a choice holds the model's thoughts, apart from its text.
func (c choice) thinks() bool {
	return c.Message != nil && (httpfailure.Says(c.Message.Reasoning) || httpfailure.Says(c.Message.ReasoningContent))
}

// calls reports whether a choice calls a tool.
func (c choice) calls() bool {
	return c.Message != nil && (httpfailure.Says(c.Message.ToolCalls) || httpfailure.Says(c.Message.FunctionCall))
}

// text returns the reply's text; ok is false if it has none.
func (r *response) text() (text string, ok bool) {
	switch c := r.Choices[0]; {
	case c.Message != nil && c.Message.Content != nil:
		return *c.Message.Content, true
	case c.Text != nil:
		return *c.Text, true
	}
	return "", false
}

func unsaid(cause backends.Cause, format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: cause, Message: fmt.Sprintf(format, args...)}
}

// ending is why the answer ended; full says that it has as many tokens as were
// allowed.
func (r *response) ending(full bool) backends.Finish {
	word := ""
	if f := r.Choices[0].FinishReason; f != nil {
		word = *f
	}
	return backends.FinishOf(word, full)
}

// finish is the ending in OpenAI's words, for the reading of tokens.
func (r *response) finish() string {
	switch f := r.ending(false); f {
	case backends.FinishEnd:
		return "stop"
	case backends.FinishUnsaid:
		return ""
	default:
		return string(f)
	}
}
