package openai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"infnet/backends"
)

// Probe asks the server what it offers: a dozen or so short calls, once; later
// calls return what was found. need names the modes that the caller cannot do
// without; with none, one that answers is enough. What nobody needs and does
// not work (the other mode, the list of models, the server's own routes) is a
// note. An error is for what may pass (no connection, a server that is loading)
// or needs a person (a wrong key, a model that is not served); what failed is
// asked again then, and errors.As finds a *backends.Failure.
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
		if err == nil || !f.left && f.tried(need) { // whoever waited shares the finding, the failure too
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
	need   []backends.Mode         // of whoever flew it
	left   bool                    // whoever flew it gave up; the failure is not the server's
}

// lacks is why the probe does not do for these modes; nil = it does.
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
	return len(f.need) == 0 || len(need) > 0 && !slices.ContainsFunc(need, func(m backends.Mode) bool { return !slices.Contains(f.need, m) })
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
	s := &prober{m: m, ctx: ctx, need: f.need, failed: f.failed, said: map[backends.Mode]string{}}
	for _, step := range []func() error{s.identify, s.routes, s.loaded, s.echo, s.tokens, s.constraints} {
		if f.err = step(); f.err != nil {
			break
		}
	}
	s.choose()
	f.err = s.m.scrubProbe(&s.p, f.err)
	for mode, err := range f.failed {
		f.failed[mode] = s.m.scrubProbe(&s.p, err)
	}
	f.probe, f.left = s.p, ctx.Err() != nil
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flight = nil
	if f.err == nil && f.lacks(nil) == nil {
		m.probed = f
	}
	close(f.done)
}

// prober is a probe under way.
type prober struct {
	m      *Model
	ctx    context.Context
	p      Probe
	need   []backends.Mode
	failed map[backends.Mode]error

	said map[backends.Mode]string // a question that the model answers with a token or more
}

// needs reports whether the caller cannot do without a mode.
func (s *prober) needs(mode backends.Mode) bool {
	return len(s.need) == 0 || slices.Contains(s.need, mode)
}

// Calls that nobody needs wait no longer than this: of routes that compute
// nothing, and for an answer in the other mode.
const asideTimeout, spareTimeout = 10 * time.Second, 20 * time.Second

// errAside ends a call that nobody needs.
var errAside = &backends.Failure{Cause: backends.Timeout, Message: "no answer in time; nothing depends on it"}

// aside makes calls that nobody needs, within a time of their own: whatever goes
// wrong is a note, and only the end of the caller's context an error.
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

// The probe's own words: two that no model says of itself, so that an answer
// made of them was forced.
const oddA, oddB = "qvx", "zjw"

// greetings are harmless questions. A model may end its answer to one before
// the first token, where some servers report no log-probabilities although they
// have them: then the next is asked.
func greetings() []string {
	return []string{"Say one word.", "1, 2, 3,", "Once upon a time", "Question: What is the colour of the sky?\nAnswer:", "the"}
}

// refused sorts what went wrong: nil where the server said no (and the note
// says what), the error where that cannot be known now.
func (s *prober) refused(what string, err error) error {
	return s.sorted(what, err, backends.BadRequest, backends.TooLong)
}

// lacks is refused for extras: a server that fails on a field it does not
// serve, never answers it, or answers nonsense, lacks it.
func (s *prober) lacks(what string, err error) error {
	var f *backends.Failure
	if errors.As(err, &f) && (f.Status == 500 || f.Status == 501) {
		f = &backends.Failure{Cause: backends.BadRequest, Status: f.Status, Message: f.Message}
		err = f
	}
	return s.sorted(what, err, backends.BadRequest, backends.TooLong, backends.BadResponse, backends.Unauthorized, backends.Timeout)
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

// ask turns the nil of a concrete type into a nil error.
func (s *prober) ask(q question) (*exchange, error) {
	x, f := s.m.ask(s.ctx, q)
	if f != nil {
		return nil, f
	}
	return x, nil
}

// question is a call of the probe, in words that the model has answered.
func (s *prober) question(mode backends.Mode) question {
	text := s.said[mode]
	if text == "" {
		text = greetings()[0]
	}
	return question{mode: mode, prompt: text, maxTokens: 1}
}

// routes asks the routes of the two modes, the needed one first. What another
// mode than the needed lacks, or fails at, stops nothing.
func (s *prober) routes() error {
	modes := []backends.Mode{backends.Chat, backends.Raw}
	if !s.needs(backends.Chat) {
		slices.Reverse(modes)
	}
	for _, mode := range modes {
		var err error
		ask := func() error { err = s.route(mode); return err }
		switch {
		case !s.needs(mode):
			if err := s.aside(string(mode), s.m.spare, ask); err != nil {
				return err
			}
		case ask() != nil && (len(s.need) > 0 || s.ctx.Err() != nil):
			return err
		default:
			s.note(string(mode), err)
		}
		s.failed[mode] = err
	}
	p := &s.p
	if !p.Chat.Answers && !p.Raw.Answers && s.failed[backends.Chat] == nil && s.failed[backends.Raw] == nil {
		lists := ""
		if len(p.Models) > 0 && !slices.Contains(p.Models, s.m.cfg.Served) {
			lists = fmt.Sprintf("; it lists %s: is served = %q right?", strings.Join(p.Models[:min(len(p.Models), 5)], ", "), s.m.cfg.Served)
		}
		return badRequest("the server answers neither chats nor completions of model %q: %s%s", s.m.cfg.Served, strings.Join(causes(p.Notes), "; "), lists)
	}
	return nil
}

// causes are notes without what was asked, each once: a server refuses every
// form of a question in the same words.
func causes(notes []string) []string {
	var out []string
	for _, n := range notes {
		if _, cause, ok := strings.Cut(n, ": "); ok {
			n = cause
		}
		if !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

// route asks one mode's route what it gives, and whether it gives it twice.
func (s *prober) route(mode backends.Mode) error {
	o, x, err := s.offers(mode)
	if err != nil {
		return err
	}
	if mode == backends.Raw {
		s.p.Raw = o
	} else {
		s.p.Chat = o
	}
	if !o.Offered || mode == backends.Raw && s.p.Chat.Offered && !s.onlyRaw() {
		return nil
	}
	q := s.question(mode)
	q.logprobs, q.top = true, o.Top
	again, err := s.ask(q)
	if err := s.lacks("the same question twice", err); err != nil {
		return err
	}
	s.p.Repeatable = again != nil && same(x, again)
	return nil
}

// onlyRaw reports whether the caller needs raw completions and no chats.
func (s *prober) onlyRaw() bool { return !s.needs(backends.Chat) }

// offers asks one route for ever fewer alternatives until it agrees. A list
// shorter than was asked for is asked for again: a server may shorten one
// because of what it computes beside it (vLLM), and the longest tells what it
// has.
func (s *prober) offers(mode backends.Mode) (Offer, *exchange, error) {
	q := question{mode: mode, maxTokens: 1, logprobs: true}
	for _, top := range []int{s.m.cfg.TopLogprobs, 20, 5, 1, 0} {
		if top > s.m.cfg.TopLogprobs || top == 0 && mode == backends.Raw {
			continue
		}
		q.top = top
		x, err := s.greet(&q)
		if s.without("top_p", err) {
			x, err = s.greet(&q)
		}
		if err == nil {
			o := Offer{Answers: true}
			for tries := 0; err == nil; tries++ {
				steps, f := x.reply.Choices[0].Logprobs.steps()
				if f != nil || len(steps) == 0 || !steps[0].known() {
					break
				}
				n := reported(steps[0])
				if padded(steps[0]) {
					n = top // it agreed to that many, and shortened this one
				}
				o.Offered, o.Top = true, max(o.Top, min(top, n))
				if o.Top >= top || tries == 2 {
					break
				}
				x, err = s.ask(q)
			}
			return o, x, err
		}
		if err := s.refused(fmt.Sprintf("%s with %d log-probabilities", mode, top), err); err != nil {
			return Offer{}, nil, err
		}
	}
	q.logprobs = false
	x, err := s.greet(&q)
	return Offer{Answers: err == nil}, x, s.refused(string(mode), err)
}

// without leaves a field out from now on where the server's refusal names it.
// top_p = 1 only takes a server's own default away, which a greedy answer does
// not look at; TGI takes nothing but numbers below 1.
func (s *prober) without(field string, err error) bool {
	var f *backends.Failure
	if !errors.As(err, &f) || f.Cause != backends.BadRequest || !strings.Contains(f.Message, field) {
		return false
	}
	s.m.mu.Lock()
	defer s.m.mu.Unlock()
	if slices.Contains(s.m.refused, field) {
		return false
	}
	s.m.refused = append(s.m.refused, field)
	s.p.Notes = append(s.p.Notes, field+" is left out: "+f.Error())
	return true
}

// greet asks one question after the other until the answer has a token.
func (s *prober) greet(q *question) (x *exchange, err error) {
	for _, q.prompt = range greetings() {
		if x, err = s.ask(*q); err != nil {
			return nil, err
		}
		steps, f := x.reply.Choices[0].Logprobs.steps()
		if text, _ := x.reply.text(); text != "" || f != nil || len(steps) > 0 {
			s.said[q.mode] = q.prompt
			return x, nil
		}
	}
	s.p.Notes = append(s.p.Notes, fmt.Sprintf("%s: the model ended its answer before the first token to all of %q: whether there are log-probabilities cannot be seen", q.mode, greetings()))
	return x, nil
}

// same reports whether two replies have the same text and first token.
func same(a, b *exchange) bool {
	textA, okA := a.reply.text()
	textB, okB := b.reply.text()
	stepsA, ga := a.reply.Choices[0].Logprobs.steps()
	stepsB, gb := b.reply.Choices[0].Logprobs.steps()
	return okA && okB && ga == nil && gb == nil && textA == textB && len(stepsA) > 0 && len(stepsB) > 0 &&
		stepsA[0].text == stepsB[0].text && math.Float64bits(stepsA[0].lp) == math.Float64bits(stepsB[0].lp)
}

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

// extra tries something beyond plain answers in a mode. A failure that may pass
// is an error where the mode is needed: what is found decides how everything is
// asked from now on.
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

// tokens finds out how the server tells and treats tokens.
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
	// Named tokens come beside the one that was chosen; a bias must put them
	// before all others.
	if s.p.TokenIDs, err = s.both(mode, "logprob_token_ids", []labelToken{a, b}, 3, 2, map[string]any{"logprob_token_ids": []int{a.id, b.id}, "return_tokens_as_token_ids": true}); err != nil {
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
func (s *prober) both(mode backends.Mode, what string, odd []labelToken, few, top int, add map[string]any) (found bool, err error) {
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
		got := score(forms, first, 0, backends.MatchWord)
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
	if s.p.Structured, err = held(s.m.cfg.StructuredField, s.m.structured([]string{oddA, oddB})); err != nil {
		return err
	}
	s.p.Grammar, err = held("grammar", map[string]any{"grammar": grammar([]string{oddA, oddB})})
	return err
}

// choose takes, in each mode, the way that leaves least unknown.
func (s *prober) choose() {
	s.p.ChatLabels = s.p.ways(backends.Chat)[0]
	s.p.RawLabels = s.p.ways(backends.Raw)[0]
}
