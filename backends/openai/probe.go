package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/backends"
)

// Probe asks the server what it offers: a dozen or so short calls, once; later
// calls return what was found. An error is for what may pass (no connection, a
// server that is loading) or needs a person (a wrong key, a model that is not
// served); nothing is remembered then, and errors.As finds a *backends.Failure.
func (m *Model) Probe(ctx context.Context) (Probe, error) {
	for {
		m.mu.Lock()
		if m.probe != nil {
			p := *m.probe
			m.mu.Unlock()
			return p, nil
		}
		f := m.flight
		if f == nil {
			f = &flight{done: make(chan struct{})}
			m.flight = f
			m.mu.Unlock()
			m.fly(ctx, f)
			return f.probe, f.err
		}
		m.mu.Unlock()
		select {
		case <-f.done:
		case <-ctx.Done():
			return Probe{}, context.Cause(ctx)
		}
		if f.err == nil || !f.left { // whoever waited shares the finding, the failure too
			return f.probe, f.err
		}
	}
}

// flight is a probe under way, for all who wait for it.
type flight struct {
	done  chan struct{} // closed when the rest is set
	probe Probe
	err   error
	left  bool // whoever flew it gave up; the failure is not the server's
}

func (m *Model) fly(ctx context.Context, f *flight) {
	s := &prober{m: m, ctx: ctx, said: map[backends.Mode]string{}}
	for _, step := range []func() error{s.identify, s.chat, s.raw, s.loaded, s.tokens, s.constraints} {
		if f.err = step(); f.err != nil {
			break
		}
	}
	s.choose()
	f.left = ctx.Err() != nil
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flight = nil
	if f.err == nil {
		f.probe = s.p
		m.probe = &s.p
	}
	close(f.done)
}

// prober is a probe under way.
type prober struct {
	m   *Model
	ctx context.Context
	p   Probe

	said map[backends.Mode]string // a question that the model answers with a token or more
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
// serve, or answers nonsense, lacks it.
func (s *prober) lacks(what string, err error) error {
	var f *backends.Failure
	if errors.As(err, &f) && (f.Status == 500 || f.Status == 501) {
		f = &backends.Failure{Cause: backends.BadRequest, Status: f.Status, Message: f.Message}
		err = f
	}
	return s.sorted(what, err, backends.BadRequest, backends.TooLong, backends.BadResponse, backends.Unauthorized)
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

// offers asks one route for ever fewer alternatives until it agrees.
func (s *prober) offers(mode backends.Mode) (Offer, *exchange, error) {
	q := question{mode: mode, maxTokens: 1, logprobs: true}
	no := s.refused
	if mode == backends.Raw && s.p.Chat.Answers { // hosts that serve chats alone forbid the other route
		no = func(what string, err error) error {
			return s.sorted(what, err, backends.BadRequest, backends.TooLong, backends.Unauthorized)
		}
	}
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
			if steps, f := x.reply.Choices[0].Logprobs.steps(); f == nil && len(steps) > 0 && steps[0].known() {
				o.Offered, o.Top = true, min(top, len(steps[0].top))
			}
			return o, x, nil
		}
		if err := no(fmt.Sprintf("%s with %d log-probabilities", mode, top), err); err != nil {
			return Offer{}, nil, err
		}
	}
	q.logprobs = false
	x, err := s.greet(&q)
	return Offer{Answers: err == nil}, x, no(string(mode), err)
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
		if text, _ := x.reply.said(); text != "" || f != nil || len(steps) > 0 {
			s.said[q.mode] = q.prompt
			return x, nil
		}
	}
	s.p.Notes = append(s.p.Notes, fmt.Sprintf("%s: the model ended its answer before the first token to all of %q: whether there are log-probabilities cannot be seen", q.mode, greetings()))
	return x, nil
}

func (s *prober) chat() error {
	o, x, err := s.offers(backends.Chat)
	if err != nil {
		return err
	}
	s.p.Chat = o
	if o.Offered {
		q := s.question(backends.Chat)
		q.logprobs, q.top = true, o.Top
		again, err := s.ask(q)
		if err := s.lacks("the same question twice", err); err != nil {
			return err
		}
		s.p.Repeatable = again != nil && same(x, again)
	}
	return nil
}

// same reports whether two replies have the same text and first token.
func same(a, b *exchange) bool {
	textA, fa := a.reply.said()
	textB, fb := b.reply.said()
	stepsA, ga := a.reply.Choices[0].Logprobs.steps()
	stepsB, gb := b.reply.Choices[0].Logprobs.steps()
	return fa == nil && fb == nil && ga == nil && gb == nil && textA == textB && len(stepsA) > 0 && len(stepsB) > 0 &&
		stepsA[0].text == stepsB[0].text && math.Float64bits(stepsA[0].lp) == math.Float64bits(stepsB[0].lp)
}

func (s *prober) raw() error {
	o, _, err := s.offers(backends.Raw)
	if err != nil {
		return err
	}
	s.p.Raw = o
	if !o.Answers && !s.p.Chat.Answers {
		return badRequest("the server answers neither chats nor completions of model %q: %s", s.m.cfg.Served, strings.Join(s.p.Notes, "; "))
	}
	if !o.Offered {
		return nil
	}
	q := s.question(backends.Raw)
	before := q.prompt
	q.prompt, q.logprobs, q.top, q.add = before+" Yes", true, 1, map[string]any{"echo": true}
	x, err := s.ask(q)
	if err != nil {
		return s.lacks("echo", err)
	}
	if steps, f := x.reply.Choices[0].Logprobs.steps(); f == nil {
		_, _, f = echoed(steps, before, " Yes", false)
		s.p.Echo = f == nil
	}
	return nil
}

// tokens finds out how the server tells and treats tokens.
func (s *prober) tokens() error {
	list, err := s.m.tokenize(s.ctx, ":")
	if err := s.lacks("tokenize", err); err != nil {
		return err
	}
	s.p.Tokenize = len(list) > 0
	mode := backends.Chat
	if !s.p.Chat.Offered {
		mode = backends.Raw
	}
	if !s.p.Tokenize || s.p.offer(mode).Top < 2 {
		return nil
	}
	a, okA, err := s.m.firstToken(s.ctx, mode, oddA)
	if err != nil {
		return s.lacks("tokenize", err)
	}
	b, okB, err := s.m.firstToken(s.ctx, mode, oddB)
	if err != nil || !okA || !okB || a.id == b.id {
		return s.lacks("tokenize", err)
	}
	forms := []wanted{{forms: []form{{known: true, first: a}}}, {forms: []form{{known: true, first: b}}}}
	both := func(what string, top int, add map[string]any) (bool, error) {
		q := s.question(mode)
		q.logprobs, q.top, q.add = true, top, add
		x, err := s.ask(q)
		if err != nil {
			return false, s.lacks(what, err)
		}
		steps, f := x.reply.Choices[0].Logprobs.steps()
		if f != nil || len(steps) != 1 {
			return false, nil
		}
		if len(steps[0].top) > 2 {
			steps[0].top = steps[0].top[:2] // a bias must put them first
		}
		got := score(forms, steps[0], 0, backends.MatchWord)
		return got[0].Seen && got[1].Seen, nil
	}
	s.p.TokenIDs, err = both("logprob_token_ids", 2, map[string]any{"logprob_token_ids": []int{a.id, b.id}, "return_tokens_as_token_ids": true})
	if err != nil {
		return err
	}
	add := map[string]any{"logit_bias": map[string]int{strconv.Itoa(a.id): lift, strconv.Itoa(b.id): lift}}
	if s.p.Server == "vllm" {
		add["return_tokens_as_token_ids"] = true
	}
	s.p.LogitBias, err = both("logit_bias", s.p.offer(mode).Top, add)
	return err
}

// constraints tries to hold the answer to two odd words.
func (s *prober) constraints() error {
	mode := backends.Chat
	if !s.p.Chat.Answers {
		mode = backends.Raw
	}
	held := func(what string, add map[string]any) (bool, error) {
		q := s.question(mode)
		q.maxTokens, q.add = 8, add
		x, err := s.ask(q)
		if err != nil {
			return false, s.lacks(what, err)
		}
		text, f := x.reply.said()
		text = strings.TrimSpace(text)
		return f == nil && (text == oddA || text == oddB), nil
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
