package httpfailure

import (
	"fmt"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/wording"
)

// Unsaid is the failure of a reply that is no answer.
func Unsaid(c backends.Cause, format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: c, Message: fmt.Sprintf(format, args...)}
}

// Parts are what a reply holds, before it is known to be an answer.
type Parts struct {
	Text     string
	NoText   bool            // not even an empty one
	Refused  string          // who withheld the answer, or in which words; "" = nobody did
	Tool     bool            // it calls a tool
	Thoughts bool            // it holds reasoning, apart from the text, or was cut while it was made
	End      backends.Finish // why it ended
}

// Denied is why a reply is no answer whatever its tokens are: it was withheld, or is a call of a tool, or thoughts
// without any text.
func (p Parts) Denied() *backends.Failure {
	switch {
	case p.Refused != "":
		return Unsaid(backends.Refused, "the answer was refused (%s): change the prompt, or leave the record out",
			Clean(p.Refused))
	case p.Tool:
		return Unsaid(backends.ToolCall, "the model called a tool in place of an answer, and no tool was offered: serve it "+
			"without tools, or say in the prompt that it is to answer in words")
	case p.Text == "" && p.Thoughts:
		return Unsaid(backends.Thoughts, "the reply holds the model's thoughts and no answer: turn thinking off by extra "+
			"(vLLM, SGLang: { chat_template_kwargs = { enable_thinking = false } }; Ollama: { reasoning_effort = \"none\" }), "+
			"raise max_tokens, or say how the answer is found in a reply, so that none is an answer that is wrong: answer = …")
	}
	return nil
}

// Unsaid is why a reply is no answer. An empty text is one if the model ended it.
func (p Parts) Unsaid() *backends.Failure {
	f := p.Denied()
	switch {
	case f != nil:
		return f
	case p.NoText:
		return Unsaid(backends.NoContent, "the response's choice has no text: ask the server's log why, and try the other "+
			"mode (raw, chat)")
	case p.Text != "" || p.End == backends.FinishEnd:
		return nil
	case p.End == backends.FinishLength:
		return Unsaid(backends.CutEmpty, "the answer reached max_tokens before it had any text: raise max_tokens; if the "+
			"model thinks first, turn its thinking off (extra)")
	}
	return Unsaid(backends.NoContent, "the text is empty, and the finish reason is %q: an empty answer is one that the "+
		"model ended itself (stop)", p.End)
}

// LabelTokens is the most that a model may say where a label is wanted: a token a character, at worst.
func LabelTokens(labels []string) int {
	n := 8
	for _, l := range labels {
		n = max(n, utf8.RuneCountInString(l))
	}
	return n
}

// Label fills an answer with the label that a text names, without any probability. A sample that names none is one
// that has no vote (backends.Answer.Labels).
func Label(a *backends.Answer, r backends.Request, text string) *backends.Failure {
	labels := r.Labels
	said := wording.NewLabels(labels).Read(text)
	switch {
	case said.Label < 0 && !r.Sampling.Greedy():
		a.Text, a.NoLogprobs = text, true
		return nil
	case said.Label < 0:
		return Unsaid(backends.NoLabel, "the model said %q, which names none of the %d labels (%s): say in the prompt that "+
			"the answer is one of them and nothing else", Clean(text), len(labels), said.Why)
	}
	a.Text, a.NoLogprobs, a.Labels = labels[said.Label], true, backends.Named(labels, said.Label)
	return nil
}

// leftover finds what is no part of an answer, in what is said beside thoughts first.
func leftover(text, prompt string) (wording.Kind, string) {
	kind, found := wording.Leftover(text, prompt)
	if kind != wording.Thoughts {
		return kind, found
	}
	for _, p := range wording.Spoken(text) {
		if other, what := wording.Leftover(text[p.First:p.Last], prompt); other > wording.Thoughts {
			return other, what
		}
	}
	return kind, found
}

// Leftover refuses a text with something in it that is no part of an answer. It is not cut out: what stands before a
// mark or behind it may be anything.
func Leftover(text, prompt string) *backends.Failure {
	switch kind, found := leftover(text, prompt); kind {
	case wording.Thoughts:
		return Unsaid(backends.Thoughts, "the text holds the model's thoughts (%s): turn thinking off, or start the "+
			"server with the reasoning parser of this model, which keeps them apart, or say how the answer is found in a "+
			"reply: answer = …", found)
	case wording.Call:
		return Unsaid(backends.ToolCall, "the text calls a tool (%s), and none was offered: say in the prompt that the "+
			"model is to answer in words", found)
	case wording.Mark:
		return Unsaid(backends.Template, "the text holds %s, a mark of the chat template: serve the model with its own "+
			"template, or name the mark in stop", found)
	case wording.Prompt:
		return Unsaid(backends.Template, "the text repeats the prompt: the server returns the prompt with the answer "+
			"(echo, return_full_text): turn that off")
	}
	return nil
}
