package local

import (
	"slices"
	"strings"

	"infnet/backends"
)

// turns is a chat template for one user turn:
//
//	before opening prompt after answer
//
// before and after are tokens. opening is encoded together with the prompt, and answer together
// with the model's continuation, since tokens may span the boundary.
type turns struct {
	turn
	answer string
	trims  bool  // blanks around the prompt are dropped
	end    int32 // ends the model's turn; -1 = the model's own end token does
	stops  bool  // end is not in the model's own list of end tokens

	// turns before the last one: a question and its answer, and what a system says. nil = the tokenizer lacks theirs;
	// a system without a turn of its own stands before the first question
	user, model, system *turn
}

// turn is a whole turn of a chat: before, opening and the text encoded together, after.
type turn struct {
	before  []int32
	opening string
	after   []int32
}

func (w *turn) encode(t tokenizer, text string) []int32 {
	return slices.Concat(w.before, t.Encode(w.opening+text), w.after)
}

// special are the tokens of a family's turns, which a template has as such; the rest of it is text.
type special []string

// steps encodes a template's pieces; nil where the tokenizer lacks a special one.
func (s special) steps(t tokenizer, pieces ...string) []int32 {
	ids := []int32{} // not nil: there may be no piece
	for _, p := range pieces {
		if !slices.Contains(s, p) {
			ids = append(ids, t.Encode(p)...)
			continue
		}
		id, ok := t.Special(p)
		if !ok {
			return nil
		}
		ids = append(ids, int32(id))
	}
	return ids
}

func (s special) turn(t tokenizer, before []string, opening string, after ...string) *turn {
	made := &turn{s.steps(t, before...), opening, s.steps(t, after...)}
	if made.before == nil || made.after == nil {
		return nil
	}
	return made
}

// template is the last question's turn, with what the answer begins with; nil where a special token is missing. What
// comes right after the prompt ends the model's turns as well.
func (s special) template(t tokenizer, before []string, opening string, after []string, answer string) *turns {
	asked := s.turn(t, before, opening, after...)
	if asked == nil {
		return nil
	}
	return &turns{turn: *asked, answer: answer, end: asked.after[0]}
}

// gemmaTurns: <start_of_turn>user\n…<end_of_turn>\n<start_of_turn>model\n
func gemmaTurns(t tokenizer, _ bool) *turns {
	const start, end = "<start_of_turn>", "<end_of_turn>"
	s, begin := special{start, end}, []string{start}
	made := s.template(t, begin, "user\n", []string{end, "\n", start}, "model\n")
	if made != nil {
		made.trims = true
		made.user, made.model = s.turn(t, begin, "user\n", end, "\n"), s.turn(t, begin, "model\n", end, "\n")
	}
	return made
}

// chatML: <|im_start|>user\n…<|im_end|>\n<|im_start|>assistant\n
//
// Reasoning that is on by default is switched off, as the template does with enable_thinking =
// false: the answer begins after <think>\n\n</think>\n\n.
func chatML(t tokenizer, thinks bool) *turns {
	const start, end, think, thought = "<|im_start|>", "<|im_end|>", "<think>", "</think>"
	s, begin := special{start, end, think, thought}, []string{start}
	after, answer := []string{end, "\n", start}, "assistant\n"
	if thinks {
		after, answer = append(after, answer, think, "\n\n", thought), "\n\n"
	}
	made := s.template(t, begin, "user\n", after, answer)
	if made != nil {
		role := func(name string) *turn { return s.turn(t, begin, name+"\n", end, "\n") }
		made.system, made.user, made.model = role("system"), role("user"), role("assistant")
	}
	return made
}

// mistralTurns: [INST]…[/INST], as since the tekken tokenizers. The system
// prompt that Ministral 3 puts in front, which states the day, is left out.
func mistralTurns(t tokenizer, _ bool) *turns {
	s := special{"[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "</s>"}
	made := s.template(t, []string{"[INST]"}, "", []string{"[/INST]"}, "")
	if made != nil {
		made.end = -1 // the model's turns end with its end token
		made.user, made.model = s.turn(t, []string{"[INST]"}, "", "[/INST]"), s.turn(t, nil, "", "</s>")
		made.system = s.turn(t, []string{"[SYSTEM_PROMPT]"}, "", "[/SYSTEM_PROMPT]")
	}
	return made
}

// past encodes the turns before the last question, and returns what stands before that in its turn.
func (m *Model) past(r *backends.Request) (before []int32, system string, f *backends.Failure) {
	t := m.turns
	trim := func(text string) string {
		if t.trims {
			text = strings.TrimSpace(text)
		}
		return text
	}
	switch {
	case len(r.Examples) > 0 && (t.user == nil || t.model == nil):
		return nil, "", badRequest("the tokenizer lacks the tokens that end the turns of examples")
	case r.System == "":
	case t.system != nil:
		before = t.system.encode(m.tokens, trim(r.System))
	default:
		system = r.System + "\n\n"
	}
	for _, e := range r.Examples {
		question := system + trim(e.Prompt)
		system = ""
		before = slices.Concat(before, t.user.encode(m.tokens, question), t.model.encode(m.tokens, trim(e.Answer)))
	}
	return before, system, nil
}

// chat wraps the prompt as one user turn, after those that the request has before it. Where the tokenizer has the
// turns as tokens that text can spell, a prompt that spells them out contains them, as with the published tokenizers.
func (m *Model) chat(asked *backends.Request) (rendered, *backends.Failure) {
	t, prompt := m.turns, asked.Prompt
	if t.trims {
		prompt = strings.TrimSpace(prompt)
	}
	before, system, f := m.past(asked)
	if f != nil {
		return rendered{}, f
	}
	r := m.raw(t.answer)
	r.head = slices.Concat(r.head, before, t.before)
	opening, said := m.tokens.Encode(t.opening+system), m.tokens.Encode(t.opening+system+prompt)
	r.keep = len(r.head)
	if len(said) >= len(opening) && slices.Equal(said[:len(opening)], opening) {
		r.keep += len(opening)
	}
	r.head = append(append(r.head, said...), t.after...)
	r.end = len(t.after)
	return r, nil
}
