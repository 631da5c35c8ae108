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
	for {
		m.mu.Lock()
		f := m.probed
		if f != nil && f.lacks(need) == nil {
			m.mu.Unlock()
			return f.probe, nil
		}
		if f = m.flight; f == nil {
			f = &flight{done: make(chan struct{}), need: need}
			m.flight = f
			m.mu.Unlock()
			m.fly(ctx, f)
			return f.finding(need)
		}
		m.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return Probe{}, context.Cause(ctx)
		}
		p, err := f.finding(need)
		if err == nil || !f.left && f.tried(need) { // all who waited share the result, also a failure
			return p, err
		}
	}
}

// flight is a probe, under way or over, for all who wait for it.
type flight struct {
	done   chan struct{} // closed when the rest is set
	probe  Probe
	failed map[backends.Mode]error // modes of which is not known what they offer
	err    error                   // the caller's context ended
	need   []backends.Mode         // of the caller that started it
	left   bool                    // that caller gave up; the failure is not the server's
}

// lacks says why the probe does not cover these modes; nil = it does.
func (f *flight) lacks(need []backends.Mode) error {
	for _, mode := range need {
		if err := f.failed[mode]; err != nil {
			return err
		}
	}
	if f.probe.Chat.Answers || f.probe.Raw.Answers {
		return nil
	}
	return cmp.Or(f.failed[backends.Chat], f.failed[backends.Raw])
}

// tried reports whether the probe took these modes seriously.
func (f *flight) tried(need []backends.Mode) bool {
	return len(f.need) == 0 || len(need) > 0 &&
		!slices.ContainsFunc(need, func(m backends.Mode) bool { return !slices.Contains(f.need, m) })
}

func (f *flight) finding(need []backends.Mode) (Probe, error) {
	if f.err != nil {
		return Probe{}, f.err
	}
	if err := f.lacks(need); err != nil {
		return Probe{}, err
	}
	return f.probe, nil
}

func (m *Model) fly(ctx context.Context, f *flight) {
	f.failed = map[backends.Mode]error{}
	ctx = (*responder)(nil).follow(ctx) // what is found out belongs to no request
	s := &prober{m: m, ctx: ctx, need: f.need, failed: f.failed, said: map[backends.Mode]string{},
		got: map[backends.Mode]scoring{}}
	for _, step := range []func() error{s.identify, s.routes, s.loaded, s.echo, s.tokens} {
		if f.err = step(); f.err != nil {
			break
		}
	}
	s.choose()
	s.p.got = s.got
	f.err = s.m.scrubProbe(&s.p, f.err)
	for mode, err := range f.failed {
		f.failed[mode] = s.m.scrubProbe(&s.p, err)
	}
	f.probe, f.left = s.p, ctx.Err() != nil
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flight = nil
	if f.err == nil && f.lacks(nil) == nil {
		m.probed, m.longest = f, f.probe.Context
	}
	close(f.done)
}

// scrubProbe takes the secrets out of what a probe found.
func (m *client) scrubProbe(p *Probe, err error) error {
	words := m.wire.Secrets.Text
	p.Server, p.Version = words(p.Server), words(p.Version)
	for _, list := range [][]string{p.Models, p.Notes} {
		for i := range list {
			list[i] = words(list[i])
		}
	}
	var f *backends.Failure
	if errors.As(err, &f) {
		copied := *f
		copied.Message = words(f.Message)
		return &copied
	}
	return err
}

// prober is a probe under way.
type prober struct {
	m      *Model
	ctx    context.Context
	p      Probe
	need   []backends.Mode
	failed map[backends.Mode]error

	said map[backends.Mode]string // a question that the model answers with a token or more
	got  map[backends.Mode]scoring
}

// needs reports whether the caller cannot do without a mode.
func (s *prober) needs(mode backends.Mode) bool {
	return len(s.need) == 0 || slices.Contains(s.need, mode)
}

// Time limits of optional calls: to routes that compute nothing, and in the other mode.
const asideTimeout, spareTimeout = 10 * time.Second, 20 * time.Second

// errAside ends an optional call.
var errAside = &backends.Failure{Cause: backends.Timeout, Message: "no answer in time; nothing depends on it"}

// aside makes optional calls with a time limit of their own. Any failure becomes a note; only the
// end of the caller's context is an error.
func (s *prober) aside(what string, limit time.Duration, calls func() error) error {
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

// note writes down what did not work; nil is nothing.
func (s *prober) note(what string, err error) {
	if err != nil {
		s.p.Notes = append(s.p.Notes, what+": "+err.Error())
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

// refused classifies an error: nil if the server refused (with a note that says what), the error
// itself if that cannot be known now.
func (s *prober) refused(what string, err error) error {
	return s.sorted(what, err, backends.BadRequest, backends.TooLong)
}

// lacks is refused for optional abilities: a server that fails, hangs or returns nonsense when asked for one lacks it.
func (s *prober) lacks(what string, err error) error {
	var f *backends.Failure
	if errors.As(err, &f) && (f.Status == 500 || f.Status == 501) {
		f = &backends.Failure{Cause: backends.BadRequest, Status: f.Status, Message: f.Message}
		err = f
	}
	return s.sorted(what, err, backends.BadRequest, backends.TooLong, backends.BadResponse, backends.Unauthorized,
		backends.Timeout)
}

func (s *prober) sorted(what string, err error, no ...backends.Cause) error {
	if err == nil {
		return nil
	}
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	var f *backends.Failure
	if !errors.As(err, &f) {
		return err
	}
	if slices.Contains(no, f.Cause) {
		s.p.Notes = append(s.p.Notes, what+": "+f.Error())
		return nil
	}
	return err
}

// ask asks the model. A reply that cannot be read, or lacks the log-probabilities that this route gives, is asked for
// again, twice: what is found out here is kept for good.
func (s *prober) ask(q question) (x *exchange, err error) {
	for range 3 {
		var f *backends.Failure
		if x, f = s.m.ask(s.ctx, q); f != nil {
			if x, err = nil, f; f.Cause == backends.BadResponse && s.ctx.Err() == nil {
				continue
			}
			return nil, f
		}
		err = nil
		steps, f := x.reply.Choices[0].Logprobs.steps()
		text, _ := x.reply.text()
		if n := s.got[q.mode]; f == nil && text != "" && q.logprobs && q.add == nil {
			if n.of++; len(steps) == 0 {
				n.without++
			}
			s.got[q.mode] = n
		}
		if f == nil && len(steps) > 0 || text == "" || !q.logprobs || !s.p.offer(q.mode).Offered {
			break
		}
	}
	return x, err
}

// question is a call of the probe, in words that the model has answered.
func (s *prober) question(mode backends.Mode) question {
	text := s.said[mode]
	if text == "" {
		text = greetings()[0]
	}
	return question{mode: mode, prompt: text, maxTokens: 1}
}
