package openai

import "infnet/backends"

// echo finds out whether completions return the prompt's own tokens.
func (s *prober) echo() error {
	if !s.p.Raw.Offered {
		return nil
	}
	q := s.question(backends.Raw)
	before := q.prompt
	q.prompt, q.logprobs, q.top, q.add = before+" Yes", true, 1, map[string]any{"echo": true}
	return s.extra(backends.Raw, "echo", q, func(steps []step) {
		_, f := echoed(steps, before, " Yes")
		s.p.Echo = f == nil
	})
}

// extra tries an optional ability in a mode. If the mode is needed, a temporary failure is an
// error, because the result determines how everything is asked from now on.
func (s *prober) extra(mode backends.Mode, what string, q question, read func([]step)) error {
	try := func() error {
		r, err := s.ask(q)
		if err != nil {
			return err
		}
		if steps, f := r.steps(); f == nil {
			read(steps)
		}
		return nil
	}
	if !s.needs(mode) {
		return s.aside(what, s.m.spare, try)
	}
	return s.lacks(what, try())
}

// mode is the one in which extras are tried: the needed one, where it works.
func (s *prober) mode(works func(*Offer) bool) backends.Mode {
	if s.onlyRaw() && works(&s.p.Raw) || !works(&s.p.Chat) {
		return backends.Raw
	}
	return backends.Chat
}

// tokens finds out whether the server splits texts, and reports tokens by their numbers.
func (s *prober) tokens() error {
	var a, b labelToken
	known := false
	mode := s.mode(func(o *Offer) bool { return o.Offered })
	err := s.aside("tokenize", s.m.aside, func() error {
		list, err := s.m.lexer.tokenize(s.ctx, ":")
		if s.p.Tokenize = err == nil && len(list) > 0; !s.p.Tokenize || s.p.offer(mode).Top < 2 {
			return err
		}
		var okA, okB bool
		if a, okA, err = s.m.lexer.firstToken(s.ctx, mode, oddA); err == nil {
			b, okB, err = s.m.lexer.firstToken(s.ctx, mode, oddB)
		}
		known = err == nil && okA && okB && a.id != b.id
		return err
	})
	if err != nil || !known {
		return err
	}
	// Named tokens come in addition to the chosen one.
	forms := []wanted{{forms: []form{{known: true, first: a}}}, {forms: []form{{known: true, first: b}}}}
	q := s.question(mode)
	q.logprobs, q.top, q.add = true, 2, map[string]any{namedTokens: []int{a.id, b.id}, byNumbers: true}
	return s.extra(mode, namedTokens, q, func(steps []step) {
		if len(steps) == 1 {
			first := steps[0]
			first.top = first.top[:min(3, len(first.top))]
			at := sought{labels: forms}.find(first).at
			s.p.TokenIDs = at[0][0].seen && at[1][0].seen
		}
	})
}
