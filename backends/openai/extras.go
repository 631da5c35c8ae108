package openai

import (
	"strconv"
	"strings"

	"infnet/backends"
)

// echo finds out whether completions return the prompt's own tokens.
func (s *prober) echo() error {
	if !s.p.Raw.Offered {
		return nil
	}
	q := s.question(backends.Raw)
	before := q.prompt
	q.prompt, q.logprobs, q.top, q.add = before+" Yes", true, 1, map[string]any{"echo": true}
	return s.extra(backends.Raw, "echo", func() error {
		x, err := s.ask(q)
		if err != nil {
			return err
		}
		if steps, f := x.reply.Choices[0].Logprobs.steps(); f == nil {
			_, f = echoed(steps, before, " Yes")
			s.p.Echo = f == nil
		}
		return nil
	})
}

// extra tries an optional ability in a mode. If the mode is needed, a temporary failure is an
// error, because the result determines how everything is asked from now on.
func (s *prober) extra(mode backends.Mode, what string, try func() error) error {
	if !s.needs(mode) {
		return s.aside(what, s.m.spare, try)
	}
	return s.lacks(what, try())
}

// mode is the one in which extras are tried: the needed one, where it works.
func (s *prober) mode(works func(Offer) bool) backends.Mode {
	if s.onlyRaw() && works(s.p.Raw) || !works(s.p.Chat) {
		return backends.Raw
	}
	return backends.Chat
}

// tokens finds out how the server reports and biases tokens.
func (s *prober) tokens() error {
	err := s.aside("tokenize", s.m.aside, func() error {
		list, err := s.m.tokenize(s.ctx, ":")
		s.p.Tokenize = err == nil && len(list) > 0
		return err
	})
	mode := s.mode(func(o Offer) bool { return o.Offered })
	if err != nil || !s.p.Tokenize || s.p.offer(mode).Top < 2 {
		return err
	}
	var a, b labelToken
	known := false
	err = s.aside("tokenize", s.m.aside, func() (err error) {
		var okA, okB bool
		if a, okA, err = s.m.firstToken(s.ctx, mode, oddA); err == nil {
			b, okB, err = s.m.firstToken(s.ctx, mode, oddB)
		}
		known = err == nil && okA && okB && a.id != b.id
		return err
	})
	if err != nil || !known {
		return err
	}
	// Named tokens come in addition to the chosen one; a bias must rank them above all others.
	if s.p.TokenIDs, err = s.both(mode, "logprob_token_ids", []labelToken{a, b}, 3, 2,
		map[string]any{"logprob_token_ids": []int{a.id, b.id}, "return_tokens_as_token_ids": true}); err != nil {
		return err
	}
	add := map[string]any{"logit_bias": map[string]int{strconv.Itoa(a.id): lift, strconv.Itoa(b.id): lift}}
	if s.p.Server == "vllm" {
		add["return_tokens_as_token_ids"] = true
	}
	s.p.LogitBias, err = s.both(mode, "logit_bias", []labelToken{a, b}, 2, s.p.offer(mode).Top, add)
	return err
}

// both reports whether two odd tokens are among the most probable few of an
// answer's first token, where more fields ask for them.
func (s *prober) both(mode backends.Mode, what string, odd []labelToken, few, top int,
	add map[string]any) (found bool, err error) {
	var forms []wanted
	for _, t := range odd {
		forms = append(forms, wanted{forms: []form{{known: true, first: t}}})
	}
	q := s.question(mode)
	q.logprobs, q.top, q.add = true, top, add
	err = s.extra(mode, what, func() error {
		x, err := s.ask(q)
		if err != nil {
			return err
		}
		steps, f := x.reply.Choices[0].Logprobs.steps()
		if f != nil || len(steps) != 1 {
			return nil
		}
		first := steps[0]
		first.top = first.top[:min(few, len(first.top))]
		got := sought{labels: forms, match: backends.MatchWord}.score(first, 0)
		found = got[0].Seen && got[1].Seen
		return nil
	})
	return found, err
}

// constraints tries to hold the answer to two odd words.
func (s *prober) constraints() error {
	mode := s.mode(func(o Offer) bool { return o.Answers })
	held := func(what string, add map[string]any) (held bool, err error) {
		q := s.question(mode)
		q.maxTokens, q.add = 8, add
		err = s.extra(mode, what, func() error {
			x, err := s.ask(q)
			if err != nil {
				return err
			}
			text, f := x.reply.said()
			text = strings.TrimSpace(text)
			held = f == nil && (text == oddA || text == oddB)
			return nil
		})
		return held, err
	}
	var err error
	if s.p.Structured, err = held(structuredField, structured([]string{oddA, oddB})); err != nil {
		return err
	}
	s.p.Grammar, err = held("grammar", map[string]any{"grammar": grammar([]string{oddA, oddB})})
	return err
}

// choose picks, for each mode, the label mode that leaves the least unknown.
func (s *prober) choose() {
	s.p.ChatLabels = s.p.ways(backends.Chat)[0]
	s.p.RawLabels = s.p.ways(backends.Raw)[0]
}
