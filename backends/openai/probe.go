package openai

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"infnet/backends"
)

// Probe finds out what the server supports with a dozen or so short calls, once; later calls return the result. need
// names the modes that the caller requires; if it is empty, one mode that answers is enough. A failure of anything
// optional (the other mode, the list of models, the server's own routes) becomes a note. An error is temporary (no
// connection, a server that is loading) or needs a person (a wrong key, a model that is not served). After an error the
// next call probes again, and errors.As finds a *backends.Failure.
func (m *Model) Probe(ctx context.Context, need ...backends.Mode) (Probe, error) {
	m.mu.Lock()
	f, before := m.probed, m.latest
	m.mu.Unlock()
	if f != nil && f.lacks(need) == nil {
		return f.p, nil
	}
	select {
	case m.probing <- struct{}{}:
		defer func() { <-m.probing }()
	case <-ctx.Done():
		return Probe{}, context.Cause(ctx)
	}
	m.mu.Lock()
	f = m.latest
	m.mu.Unlock()
	// All who waited share the result, also a failure.
	if f == nil || f == before || f.lacks(need) != nil && (f.left || !f.tried(need)) {
		f = m.probe(ctx, need)
	}
	if err := f.lacks(need); err != nil {
		return Probe{}, err
	}
	return f.p, nil
}

// survey is a probe, under way or over.
type survey struct {
	m    *Model
	ctx  context.Context
	said map[backends.Mode]string // a question that the model answers with a token or more

	p      Probe
	failed map[backends.Mode]error // modes of which is not known what they offer
	err    error                   // the caller's context ended
	need   []backends.Mode         // of the caller that started it
	left   bool                    // that caller gave up; the failure is not the server's
}

// lacks says why the probe does not cover these modes; nil = it does.
func (f *survey) lacks(need []backends.Mode) error {
	if f.err != nil {
		return f.err
	}
	for _, mode := range need {
		if err := f.failed[mode]; err != nil {
			return err
		}
	}
	if f.p.Chat.Answers || f.p.Raw.Answers {
		return nil
	}
	return cmp.Or(f.failed[backends.Chat], f.failed[backends.Raw])
}

// tried reports whether the probe took these modes seriously.
func (f *survey) tried(need []backends.Mode) bool {
	return len(f.need) == 0 || len(need) > 0 &&
		!slices.ContainsFunc(need, func(m backends.Mode) bool { return !slices.Contains(f.need, m) })
}

func (m *Model) probe(ctx context.Context, need []backends.Mode) *survey {
	s := &survey{m: m, ctx: ctx, said: map[backends.Mode]string{}, failed: map[backends.Mode]error{}, need: need}
	for _, step := range []func() error{s.identify, s.routes, s.loaded, s.tokens} {
		if s.err = step(); s.err != nil {
			break
		}
	}
	s.left = ctx.Err() != nil
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.latest = s; s.lacks(nil) == nil {
		m.probed = s
	}
	return s
}

func (s *survey) needs(mode backends.Mode) bool {
	return len(s.need) == 0 || slices.Contains(s.need, mode)
}

var errAside = &backends.Failure{Cause: backends.Timeout, Message: "no answer in time; nothing depends on it"}

// aside makes optional calls with a time limit of their own. Any failure becomes a note; only the
// end of the caller's context is an error.
func (s *survey) aside(what string, limit time.Duration, calls func() error) error {
	outer := s.ctx
	var cancel context.CancelFunc
	s.ctx, cancel = context.WithTimeoutCause(outer, limit, errAside)
	err := calls()
	cancel()
	s.ctx = outer
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.note(what, err)
	return nil
}

// words are a server's, as one line without secrets.
func (s *survey) words(said string) string { return s.m.wire.Secrets.Text(clean(said)) }

func (s *survey) note(what string, err error) {
	if err != nil {
		s.p.Notes = append(s.p.Notes, s.words(what+": "+err.Error()))
	}
}

// Two words that no model says unprompted, so an answer made of them was forced.
const oddA, oddB = "qvx", "zjw"

// greetings are harmless questions. A model may end its answer before the first token, and some
// servers then report no log-probabilities although they have them; so the next greeting is tried.
func greetings() []string {
	return []string{"Say one word.", "1, 2, 3,", "Once upon a time",
		"Question: What is the colour of the sky?\nAnswer:", "the"}
}

// refused classifies an error: nil if the server refused (with a note that says what), the error itself if that cannot
// be known now. A server that fails, hangs or returns nonsense when asked for an optional ability lacks it.
func (s *survey) refused(what string, err error, optional bool) error {
	no := []backends.Cause{backends.BadRequest, backends.TooLong}
	if optional {
		no = append(no, backends.BadResponse, backends.Unauthorized, backends.Timeout)
	}
	var f *backends.Failure
	switch {
	case err != nil && s.ctx.Err() != nil:
		return context.Cause(s.ctx)
	case !errors.As(err, &f):
		return err
	case !slices.Contains(no, f.Cause) && !(optional && (f.Status == 500 || f.Status == 501)):
		return err
	}
	s.note(what, f)
	return nil
}

// ask asks the model. A reply that cannot be read, or lacks the log-probabilities that this route gives, is asked for
// again, twice: what is found out here is kept for good.
func (s *survey) ask(q question) (r *response, err error) {
	for range 3 {
		var f *backends.Failure
		if r, f = (&talk{m: s.m}).ask(s.ctx, q); f != nil {
			said := *f // errAside is everybody's
			said.Message = s.m.wire.Secrets.Text(f.Message)
			if r, err = nil, &said; f.Cause == backends.BadResponse && s.ctx.Err() == nil {
				continue
			}
			return nil, err
		}
		err = nil
		steps, f := r.steps()
		if f == nil && len(steps) > 0 || r.text() == "" || !q.logprobs || !s.p.offer(q.Mode).Offered {
			break
		}
	}
	return r, err
}

// question is a call of the probe, in words that the model has answered.
func (s *survey) question(mode backends.Mode) question {
	return oneToken(mode, cmp.Or(s.said[mode], greetings()[0]))
}

// extra tries an optional ability in a mode. If the mode is needed, a temporary failure is an
// error, because the result determines how everything is asked from now on.
func (s *survey) extra(mode backends.Mode, what string, q question, read func([]step)) error {
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
	return s.refused(what, try(), true)
}

// mode is the one in which extras are tried: the needed one, where it works.
func (s *survey) mode(works func(*Offer) bool) backends.Mode {
	if s.onlyRaw() && works(&s.p.Raw) || !works(&s.p.Chat) {
		return backends.Raw
	}
	return backends.Chat
}

// tokens finds out whether the server splits texts, and reports tokens by their numbers.
func (s *survey) tokens() error {
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
	q.logprobs, q.TopLogprobs, q.add = true, 2, map[string]any{namedTokens: []int{a.id, b.id}, byNumbers: true}
	return s.extra(mode, namedTokens, q, func(steps []step) {
		if len(steps) == 1 {
			first := steps[0]
			first.top = first.top[:min(3, len(first.top))]
			at := sought{labels: forms}.find(first).at
			s.p.TokenIDs = at[0][0].seen && at[1][0].seen
		}
	})
}
