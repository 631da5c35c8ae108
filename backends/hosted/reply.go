package hosted

import (
	"strings"

	"infnet/backends"
	"infnet/backends/httpfailure"
)

// said is what a reply holds: as it came from the provider, or as langchaingo read it.
type said struct {
	model  string // who answered; "" = not said
	text   string
	finish string // why it ended, in the words of backends.FinishOf; "" = not said
	usage  backends.Usage

	thoughts bool // it holds reasoning, whose length nobody knows
}

// against compares what langchaingo read with the reply, and adds what langchaingo lost. A difference in what it did
// read is no answer.
func (s *said) against(wire said) *backends.Failure {
	if s.text != wire.text {
		return httpfailure.BadResponse("langchaingo read the text %q, the reply has %q", short(s.text), short(wire.text))
	}
	if s.finish == "" {
		s.finish = wire.finish
	}
	if s.finish != wire.finish {
		return httpfailure.BadResponse("langchaingo read the finish reason %q, the reply has %q", s.finish, wire.finish)
	}
	for _, c := range []struct {
		what string
		mine *backends.Count
		its  backends.Count
	}{{"prompt", &s.usage.Prompt, wire.usage.Prompt}, {"generated", &s.usage.Completion, wire.usage.Completion}} {
		if c.mine.IsZero() || c.its.IsZero() { // lost, or not to be believed
			*c.mine = c.its
		}
		if *c.mine != c.its {
			return httpfailure.BadResponse("langchaingo read %v %s tokens, the reply has %v", *c.mine, c.what, c.its)
		}
	}
	s.usage.Cached = max(s.usage.Cached, wire.usage.Cached)
	return nil
}

// parts are what a reply's only answer consists of, before it is known to be one.
type parts struct {
	text     string
	refused  string // why the answer was withheld; "" = it was not
	tool     bool   // it calls a tool
	thoughts bool   // it holds reasoning
}

// answer is the text of a reply, or why there is none. An empty text is an answer if the model ended it.
func (p parts) answer(finish string) (string, *backends.Failure) {
	unsaid := func(c backends.Cause, message string) (string, *backends.Failure) {
		return "", &backends.Failure{Cause: c, Message: message}
	}
	end := backends.FinishOf(finish, false)
	switch {
	case p.refused != "":
		return unsaid(backends.Refused, "the provider or its model refused to answer ("+httpfailure.Clean(p.refused)+
			"): change the prompt, or leave the record out")
	case p.tool:
		return unsaid(backends.ToolCall, "the model called a tool in place of an answer, and no tool was offered: say in "+
			"the prompt that it is to answer in words")
	case p.text != "":
		return p.text, nil
	case end == backends.FinishLength:
		return unsaid(backends.CutEmpty, "the answer reached max_tokens before it had any text: raise max_tokens; if the "+
			"model thinks first, turn its thinking off (extra)")
	case p.thoughts:
		return unsaid(backends.Thoughts, "the reply holds the model's thoughts and no answer: turn its thinking off "+
			"(extra), or raise max_tokens")
	case end != backends.FinishEnd:
		return unsaid(backends.NoContent, "the text is empty, and the finish reason is \""+string(end)+
			"\": an empty answer is one that the model ended itself")
	}
	return "", nil
}

// counted makes a usage of counts as a provider states them; nil = not reported. Negative counts are refused.
func counted(prompt, completion *int, cached int, empty bool) (backends.Usage, *backends.Failure) {
	n := func(p *int) int {
		if p == nil {
			return 0
		}
		return *p
	}
	in, out := n(prompt), n(completion)
	if min(in, out, cached) < 0 {
		return backends.Usage{}, httpfailure.BadResponse("the usage has negative token counts")
	}
	if cached > in { // it is unclear whether all of them belong to the prompt
		in = 0
	}
	return backends.Believe(backends.Usage{Prompt: backends.Counted(in), Completion: backends.Counted(out),
		Cached: cached},
		empty && completion != nil), nil
}

// sum adds counts; nil where the first is.
func sum(first *int, more ...*int) *int {
	if first == nil {
		return nil
	}
	n := *first
	for _, p := range more {
		if p != nil {
			n += *p
		}
	}
	return &n
}

func short(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
