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
	if f := r.denied(); f != nil {
		return "", f
	}
	text, ok := r.text()
	switch f := r.ending(false); {
	case !ok:
		return "", unsaid(backends.NoContent,
			"the response's choice has no text: ask the server's log why, and try the other mode (raw, chat)")
	case text != "" || f == backends.FinishEnd:
		return text, nil
	case f == backends.FinishLength:
		return "", unsaid(backends.CutEmpty,
			"the answer reached max_tokens before it had any text: raise max_tokens; if the model thinks first, turn its "+
				"thinking off")
	default:
		return "", unsaid(backends.NoContent,
			"the text is empty, and the finish reason is %q: an empty answer is one that the model ended itself (stop)", f)
	}
}

// denied is why a reply is no answer whatever its tokens are: it was refused or
// filtered, or is a call of a tool or thoughts without any text.
func (r *response) denied() *backends.Failure {
	c := r.Choices[0]
	finish := ""
	if c.FinishReason != nil {
		finish = strings.ToLower(*c.FinishReason)
	}
	if finish == "content_filter" {
		return unsaid(backends.Refused,
			"the server's content filter removed the answer: change the prompt, or leave the record out")
	}
	if m := c.Message; m != nil && m.Refusal != nil && *m.Refusal != "" {
		return unsaid(backends.Refused, "the model refused to answer: %s", clean(*m.Refusal))
	}
	called := finish == "tool_calls" || finish == "function_call"
	if called || c.calls() {
		return unsaid(backends.ToolCall,
			"the model called a tool in place of an answer, and no tool was offered: serve it without tools, or say in the "+
				"prompt that it is to answer in words")
	}
	if text, _ := r.text(); text != "" {
		return nil
	}
	if c.thinks() {
		return unsaid(backends.Thoughts, "the reply holds the model's thoughts and no answer: turn thinking off "+
			"(vLLM, SGLang: extra = { chat_template_kwargs = { enable_thinking = false } }; Ollama: extra = { "+
			"reasoning_effort = \"none\" }), or raise max_tokens")
	}
	return nil
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
