package httpfailure

import (
	"fmt"

	"infnet/backends"
	"infnet/backends/wording"
)

// Leftover refuses a text with something in it that is no part of an answer. It is not cut out: what stands before a
// mark or behind it may be anything.
func Leftover(text, prompt string) *backends.Failure {
	unsaid := func(c backends.Cause, format string, args ...any) *backends.Failure {
		return &backends.Failure{Cause: c, Message: fmt.Sprintf(format, args...)}
	}
	switch kind, found := wording.Leftover(text, prompt); kind {
	case wording.Thoughts:
		return unsaid(backends.Thoughts, "the text holds the model's thoughts (%s): turn thinking off, or start the "+
			"server with the reasoning parser of this model, which keeps them apart", found)
	case wording.Call:
		return unsaid(backends.ToolCall, "the text calls a tool (%s), and none was offered: say in the prompt that the "+
			"model is to answer in words", found)
	case wording.Mark:
		return unsaid(backends.Template, "the text holds %s, a mark of the chat template: serve the model with its own "+
			"template, or name the mark in stop", found)
	case wording.Prompt:
		return unsaid(backends.Template, "the text repeats the prompt: the server returns the prompt with the answer "+
			"(echo, return_full_text): turn that off")
	}
	return nil
}
