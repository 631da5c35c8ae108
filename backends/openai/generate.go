package openai

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/httpfailure"
	"infnet/backends/wire"
)

const noLogprobs = "the response has text but no log-probabilities: if the server gives none, set no_logprobs = true " +
	"and make the model the last of its cascade"

// generate fills in the answer to a generation. The failure of a reply of thoughts, or with thoughts in its text, comes
// with the answer filled in.
func (t *talk) generate(ctx context.Context, r backends.Request, a *backends.Answer) *backends.Failure {
	scored := !t.m.cfg.NoLogprobs && r.Sampling.Greedy() // samples vote, and need none
	if scored && t.m.cfg.Labels == backends.LabelsAuto {
		p, err := t.m.Probe(ctx, r.Mode)
		if err != nil {
			return wire.Failed(err)
		}
		offer := p.offer(r.Mode)
		if scored = offer.Offered; scored && r.TopLogprobs > offer.Top {
			return badRequest("%d alternatives a token were asked for, the server gives %d: ask for less", r.TopLogprobs,
				offer.Top)
		}
	}
	x, f := t.ask(ctx, question{Request: r, logprobs: scored})
	if f != nil {
		return f
	}
	text, thinks := x.said()
	if a.Text = backends.BeforeStop(text, r.Stop); thinks == nil {
		thinks = httpfailure.Leftover(a.Text, r.Prompt)
	}
	if thinks != nil && thinks.Cause != backends.Thoughts {
		return thinks
	}
	a.Usage, a.NoLogprobs, a.Thoughts, a.Thinks = x.spent(), !scored, x.Choices[0].Message.thoughts(), thinks != nil
	said, _ := a.Usage.Completion.Known()
	if scored && (text != "" || thinks == nil) {
		steps, f := x.steps()
		if f != nil {
			return f
		}
		if a.Tokens, f = t.read(ctx, r, text, steps, x); f != nil {
			return f
		}
		if said = len(a.Tokens); a.Usage.Completion.IsZero() && len(steps) > 0 {
			a.Usage.Completion = backends.Counted(len(steps))
		}
	}
	if a.Finish = x.ending(said >= r.MaxTokens); a.Text != text { // a stop is an end of the model's own
		a.Finish = backends.FinishEnd
	}
	return thinks
}

// read takes the tokens of a text out of a reply's steps.
func (t *talk) read(ctx context.Context, r backends.Request, text string, steps []step,
	x *response) ([]backends.Token, *backends.Failure) {
	switch {
	case len(steps) > r.MaxTokens:
		return nil, badResponse("%d tokens, at most %d were asked for", len(steps), r.MaxTokens)
	case len(steps) == 0 && text != "":
		return nil, badResponse(noLogprobs)
	}
	if f := t.m.lexer.whole(ctx, steps); f != nil {
		return nil, f
	}
	return tokens(text, steps, r, x.finish(), x.Choices[0].Message.thinks())
}

// whole refuses incomplete log-probabilities. The llama.cpp server reports none for a token that
// ends inside a character, and the whole character for the token that completes it. The token's id
// reveals this, because the server can detokenize that id alone.
func (x *lexer) whole(ctx context.Context, steps []step) *backends.Failure {
	for _, s := range steps {
		if s.id < 0 || !strings.ContainsFunc(s.text, func(r rune) bool { return r >= utf8.RuneSelf }) {
			continue
		}
		list, err := x.tokenize(ctx, s.text)
		if err != nil {
			return wire.Failed(err)
		}
		for _, t := range list {
			if t.id == s.id && t.text != "" && t.text != s.text {
				return badRequest("the server left out the log-probability of a part of the character in %q: it reports none "+
					"for tokens that end within a character (llama.cpp), "+
					"so the answer has no confidence; another server of the same weights reports all", short(s.text))
			}
		}
	}
	return nil
}

// tokens are the steps that spell the text, and the end token where the server reports it. Tokens before the text (a
// reasoning model's thoughts, kept out of the text by the server) are left out; tokens that spell something else are a
// bad response: their log-probabilities would be those of another answer. Of a reply with thoughts apart from its text,
// the text is what comes last.
func tokens(text string, steps []step, r backends.Request, finish string,
	thinks bool) ([]backends.Token, *backends.Failure) {
	var all strings.Builder
	ends := make([]int, len(steps)) // where each step's bytes end
	for i, s := range steps {
		all.WriteString(s.text)
		ends[i] = all.Len()
	}
	spelt := all.String()
	from := 0
	switch begins := strings.HasPrefix(spelt, text); {
	case begins && thinks:
		from = lastly(spelt, text, steps)
	case !begins:
		if n := loosely(text, steps, finish); n > 0 {
			if f := checkTail("", steps[n:], nil); f != nil {
				return nil, f
			}
			return inFull(steps, n)
		}
		if from = lastly(spelt, text, steps); from < 0 {
			return nil, badResponse("the log-probabilities are those of %q, the text is %q", short(spelt), short(text))
		}
	}
	to, last := from+len(text), len(spelt)
	after := 0 // the first step behind the text
	for after < len(steps) && (ends[after] <= from && from > 0 || ends[after]-len(steps[after].text) < to) {
		after++
	}
	if after < len(steps) {
		last = ends[after] - len(steps[after].text)
	}
	if f := checkTail(spelt[to:last], steps[after:], r.Stop); f != nil {
		return nil, f
	}
	var out []backends.Token
	for i, s := range steps {
		start := 0
		if i > 0 {
			start = ends[i-1]
		}
		if ends[i] <= from && from > 0 {
			continue
		}
		past := start >= to && (ends[i] > start || finish == "stop") // it adds nothing to the text
		if past && finish == "stop" && i == len(steps)-1 && !stopped(spelt[to:], r.Stop) {
			if !s.known() {
				break // an end token without a measurement is one the server did not report
			}
			out = append(out, token(s, true))
			break
		}
		t, f := spoken(steps, i)
		if f != nil {
			return nil, f
		}
		out = append(out, t)
	}
	return out, nil
}

// lastly returns where a text begins that is the last thing said: not within a token that ends answers, whose name may
// hold it (an answer "E", "<|END|>"); -1 = nowhere.
func lastly(spelt, text string, steps []step) int {
	at := strings.LastIndex(spelt, text)
	if n := len(steps); n > 0 && special(steps[n-1]) && text != steps[n-1].text {
		if end := len(spelt) - len(steps[n-1].text); at >= end {
			return strings.LastIndex(spelt[:end], text)
		}
	}
	return at
}

// stopped reports whether what follows the text holds a stop, so that no end token need be behind the end.
func stopped(rest string, stops []string) bool {
	for _, s := range stops {
		if s != "" && strings.Contains(rest, s) {
			return true
		}
	}
	return false
}

// token keeps the token's bytes, which may be part of a character.
func token(s step, end bool) backends.Token {
	t := backends.Token{Text: s.text, Logprob: min(s.lp, 0), End: end}
	for _, o := range s.top {
		if o.known() {
			t.Top = append(t.Top, backends.Alternative{Text: o.text, Logprob: min(o.lp, 0)})
		}
	}
	return t
}

// loosely aligns tokens that a server wrote with U+FFFD for parts of characters, and without bytes: the other tokens
// must be in the text, in order, from its first character to its last. It returns how many tokens spell the text, one
// less than all where the last is an end token; 0 = it is another text.
func loosely(text string, steps []step, finish string) int {
	if !slices.ContainsFunc(steps, func(s step) bool { return strings.Contains(s.text, "\uFFFD") }) {
		return 0
	}
	fits := func(steps []step) bool {
		var all strings.Builder
		for _, s := range steps {
			all.WriteString(s.text)
		}
		parts := strings.Split(all.String(), "\uFFFD")
		rest, ok := strings.CutPrefix(text, parts[0])
		if !ok {
			return false
		}
		last := len(parts) - 1
		for _, part := range parts[1:last] {
			if _, rest, ok = strings.Cut(rest, part); !ok {
				return false
			}
		}
		return strings.HasSuffix(rest, parts[last])
	}
	switch n := len(steps); {
	case fits(steps):
		return n
	case finish == "stop" && fits(steps[:n-1]):
		return n - 1
	}
	return 0
}

// spoken is a token of the text: it needs a value, and so does every alternative that nothing bounds, or the others
// would pass for the most probable.
func spoken(steps []step, i int) (backends.Token, *backends.Failure) {
	s := steps[i]
	if !s.chosen() {
		return backends.Token{}, badResponse("token %d of %d has no log-probability (%s)", i+1, len(steps),
			whyInvalid(s.lp))
	}
	for _, p := range s.top {
		if p.loose && !p.known() {
			return backends.Token{}, badResponse("the alternative %q to token %q has no log-probability", p.text, s.text)
		}
	}
	return token(s, false), s.undecided
}

// inFull takes the first n tokens, which spell a text, and the end token after them.
func inFull(steps []step, n int) ([]backends.Token, *backends.Failure) {
	out := make([]backends.Token, n)
	for i := range out {
		var f *backends.Failure
		if out[i], f = spoken(steps, i); f != nil {
			return nil, f
		}
	}
	if n < len(steps) && steps[n].known() {
		out = append(out, token(steps[n], true))
	}
	return out, nil
}

func short(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}
