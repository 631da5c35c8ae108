package local

import (
	"fmt"
	"slices"

	"infnet/backends"
)

// rendered is a partly encoded prompt: head is final, tail is text whose tokens may still merge
// with the answer's.
type rendered struct {
	head []int32
	tail string
	keep int // tokens of head that truncation spares: those in front of the user's text
	end  int // tokens at the end of head after the user's text, spared as well
}

func (r rendered) encode(t tokenizer) []int32 {
	return append(slices.Clone(r.head), t.Encode(r.tail)...)
}

func (m *Model) render(r *backends.Request) (rendered, *backends.Failure) {
	if f := backends.Carries(*r, backends.SystemPart, backends.ExamplesPart, backends.SamplingPart); f != nil {
		return rendered{}, f
	}
	switch r.Mode {
	case backends.Raw:
		return m.raw(r.Prompt), nil
	case backends.Chat:
		if m.turns == nil {
			return rendered{}, noTemplate()
		}
		return m.chat(r)
	}
	return rendered{}, badRequest("unknown mode %q: want %q or %q", r.Mode, backends.Raw, backends.Chat)
}

func badRequest(format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: backends.BadRequest, Message: fmt.Sprintf(format, args...)}
}

// raw renders the prompt unchanged, after the tokens that every prompt begins with.
func (m *Model) raw(prompt string) rendered {
	return rendered{head: slices.Clone(m.tokens.before), tail: prompt, keep: len(m.tokens.before)}
}

// fit truncates tokens to limit: it drops from the start of the user's text, right after the tokens
// in front of it, because prompts end with the question. It returns how many were dropped.
func (r rendered) fit(tokens []int32, limit int) ([]int32, int, *backends.Failure) {
	drop := len(tokens) - limit
	if drop <= 0 {
		return tokens, 0, nil
	}
	spared := len(tokens) - r.keep
	if r.end > 0 { // chat: the template's end stays
		spared = len(r.head) - r.end - r.keep
	}
	if limit <= r.keep || drop > spared {
		return nil, 0, &backends.Failure{Cause: backends.TooLong,
			Message: fmt.Sprintf("the model's context has room for %d tokens of prompt next to the answer: too few for any",
				max(limit, 0))}
	}
	return slices.Delete(tokens, r.keep, r.keep+drop), drop, nil
}
