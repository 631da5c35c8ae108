package local

import (
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
	"infnet/backends/local/spm"
)

// rendered is a prompt on its way to tokens: head is settled, tail is text
// that an answer may still merge with.
type rendered struct {
	head []int32
	tail string
	keep int // tokens of head that truncation spares: those in front of the user's text
	end  int // tokens at the end of head after the user's text, spared as well
}

func (r rendered) encode(t *spm.Model) []int32 {
	return append(slices.Clone(r.head), t.Encode(r.tail)...)
}

// render says what a request's prompt is in the model's input.
func (m *Model) render(r *backends.Request) (rendered, *backends.Failure) {
	switch r.Mode {
	case backends.Raw:
		return m.raw(r.Prompt), nil
	case backends.Chat:
		if m.turns == nil {
			return rendered{}, badRequest("the model has no chat template: its tokenizer lacks %s or %s (ask in raw mode)", turnStart, turnEnd)
		}
		return m.chat(r.Prompt), nil
	}
	return rendered{}, badRequest("unknown mode %q: want %q or %q", r.Mode, backends.Raw, backends.Chat)
}

func badRequest(format string, args ...any) *backends.Failure {
	return &backends.Failure{Cause: backends.BadRequest, Message: fmt.Sprintf(format, args...)}
}

// raw is the prompt as it stands after the beginning-of-sequence token.
func (m *Model) raw(prompt string) rendered {
	r := rendered{tail: prompt}
	if m.bos >= 0 {
		r.head = []int32{int32(m.bos)}
	}
	r.keep = len(r.head)
	return r
}

// The pieces of Gemma's chat template.
const (
	turnStart = "<start_of_turn>"
	turnEnd   = "<end_of_turn>"
)

// turns are the template's special tokens.
type turns struct {
	start, end int32
	stops      bool // end is not in the model's own list of end tokens
}

func findTurns(t *spm.Model) *turns {
	start, ok := t.Special(turnStart)
	end, also := t.Special(turnEnd)
	if !ok || !also {
		return nil
	}
	return &turns{start: int32(start), end: int32(end)}
}

// chat wraps the prompt, outer blanks trimmed, as one user turn:
//
//	<start_of_turn>user\n…<end_of_turn>\n<start_of_turn>model\n
//
// Where the tokenizer has the turns as user-defined symbols, a prompt that
// spells them out contains them, as with the published tokenizers.
func (m *Model) chat(prompt string) rendered {
	r := m.raw("model\n")
	r.head = append(r.head, m.turns.start)
	who := m.tokens.Encode("user\n")
	said := m.tokens.Encode("user\n" + strings.TrimSpace(prompt))
	r.keep = len(r.head)
	if len(said) >= len(who) && slices.Equal(said[:len(who)], who) {
		r.keep += len(who)
	}
	r.head = append(r.head, said...)
	after := append(append([]int32{m.turns.end}, m.tokens.Encode("\n")...), m.turns.start)
	r.head = append(r.head, after...)
	r.end = len(after)
	return r
}

// fit truncates tokens to limit: it drops from the start of the user's text,
// right after what stands in front of it, because prompts end with what is
// asked. It returns how many were dropped.
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
		return nil, 0, &backends.Failure{Cause: backends.TooLong, Message: fmt.Sprintf("the model's context has room for %d tokens of prompt beside the answer: too few for any", max(limit, 0))}
	}
	return slices.Delete(tokens, r.keep, r.keep+drop), drop, nil
}
