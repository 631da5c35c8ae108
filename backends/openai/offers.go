package openai

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"infnet/backends"
)

// routes probes the routes of the two modes, the needed one first. A failure in a mode that is not needed is no error.
func (s *survey) routes() error {
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
	p := s.p
	if !p.Chat.Answers && !p.Raw.Answers && s.failed[backends.Chat] == nil && s.failed[backends.Raw] == nil {
		lists := ""
		if len(p.Models) > 0 && !slices.Contains(p.Models, s.m.cfg.Served) {
			lists = fmt.Sprintf("; it lists %s: is served = %q right?", strings.Join(p.Models[:min(len(p.Models), 5)], ", "),
				s.m.cfg.Served)
		}
		return badRequest("the server answers neither chats nor completions of model %q: %s%s", s.m.cfg.Served,
			strings.Join(causes(p.Notes), "; "), lists)
	}
	return nil
}

// causes are notes without what was asked, each once: a server refuses every form of a question in the same words.
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

// route asks one mode's route what it gives.
func (s *survey) route(mode backends.Mode) error {
	o, err := s.offers(mode)
	if err == nil {
		*s.p.offer(mode) = o
	}
	return err
}

func (s *survey) onlyRaw() bool { return !s.needs(backends.Chat) }

// offers asks one route for fewer and fewer alternatives until it agrees. A list that is shorter
// than requested is requested again: a server may shorten one because of other requests in the same
// batch (vLLM), so the longest one counts.
func (s *survey) offers(mode backends.Mode) (Offer, error) {
	q := oneToken(mode, "")
	q.logprobs = true
	for _, top := range []int{s.m.cfg.TopLogprobs, 20, 5, 1, 0} {
		if top > s.m.cfg.TopLogprobs || top == 0 && mode == backends.Raw {
			continue
		}
		q.TopLogprobs = top
		r, err := s.greet(&q)
		if s.without("top_p", err) {
			r, err = s.greet(&q)
		}
		if err == nil {
			return s.longest(q, r)
		}
		if err := s.refused(fmt.Sprintf("%s with %d log-probabilities", mode, top), err, false); err != nil {
			return Offer{}, err
		}
	}
	q.logprobs = false
	_, err := s.greet(&q)
	return Offer{Answers: err == nil}, s.refused(string(mode), err, false)
}

// longest asks up to three times for the alternatives of a question.
func (s *survey) longest(q question, r *response) (o Offer, err error) {
	o.Answers = true
	for tries := 0; err == nil; tries++ {
		if steps, f := r.steps(); f == nil && len(steps) > 0 && steps[0].known() {
			n := len(steps[0].top)
			if steps[0].padded() {
				n = q.TopLogprobs // it agreed to that many, and shortened this one
			}
			o.Offered, o.Top = true, max(o.Top, min(q.TopLogprobs, n))
		} // else one reply without them does not say that there are none
		if o.Offered && o.Top >= q.TopLogprobs || tries == 2 {
			break
		}
		r, err = s.ask(q)
	}
	return o, err
}

// without omits a field from now on if the server's refusal names it. top_p = 1 only overrides a
// server's own default, which does not affect greedy answers; TGI accepts only numbers below 1.
func (s *survey) without(field string, err error) bool {
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
	s.note(field+" is left out", f)
	return true
}

// greet asks one question after the other until the answer has a token.
func (s *survey) greet(q *question) (r *response, err error) {
	for _, q.Prompt = range greetings() {
		if r, err = s.ask(*q); err != nil {
			return nil, err
		}
		if steps, f := r.steps(); r.text() != "" || f != nil || len(steps) > 0 {
			s.said[q.Mode] = q.Prompt
			return r, nil
		}
	}
	s.p.Notes = append(s.p.Notes, fmt.Sprintf("%s: the model ended its answer before the first token to all of %q: "+
		"whether there are log-probabilities cannot be seen", q.Mode, greetings()))
	return r, nil
}

// Offer says which log-probabilities one route gives.
type Offer struct {
	Answers bool // the route answers at all
	Offered bool // generated tokens come with log-probabilities
	Top     int  // alternatives a token, as far as was asked for
}

// Probe is what a server supports, found by calling it. It says nothing about speed, and holds no secret.
type Probe struct {
	Server  string   // vllm, sglang, llama.cpp, ollama, tgi, openai, or "" where it does not say
	Version string   // as the server says; may be empty
	Models  []string // that it serves; empty where it does not say
	Context int      // longest input in tokens; 0 = not reported

	Chat Offer // /chat/completions
	Raw  Offer // /completions

	Tokenize bool // a route splits texts into tokens
	TokenIDs bool // log-probabilities of named tokens (vLLM's logprob_token_ids)

	Notes []string // what the server refused, in its words
}

func (p *Probe) offer(m backends.Mode) *Offer {
	if m == backends.Raw {
		return &p.Raw
	}
	return &p.Chat
}

// mode is how LabelsAuto classifies in a mode.
func (p *Probe) mode(m backends.Mode) backends.LabelMode { return p.ways(m)[0] }

// ways lists how classifications can be asked in a mode, the best first.
func (p *Probe) ways(m backends.Mode) []backends.LabelMode {
	o := p.offer(m)
	several := o.Offered && o.Top >= 2
	var out []backends.LabelMode
	if several && p.TokenIDs {
		out = append(out, backends.LabelsTokenIDs)
	}
	if several {
		out = append(out, backends.LabelsTopLogprobs)
	}
	return append(out, backends.LabelsText)
}

// Server says what the probe found; with everything configured, nothing is asked.
func (m *Model) Server(ctx context.Context, mode backends.Mode) (backends.Server, bool, error) {
	if (m.cfg.Labels != backends.LabelsAuto || m.cfg.NoLogprobs) && m.cfg.Launch == nil {
		return backends.Server{}, false, nil
	}
	p, err := m.Probe(ctx, mode)
	if err != nil {
		return backends.Server{}, true, err
	}
	labels := map[backends.Mode][]backends.LabelMode{}
	for _, mode := range []backends.Mode{backends.Raw, backends.Chat} {
		if p.offer(mode).Answers {
			labels[mode] = p.ways(mode)
		}
	}
	return backends.Server{Name: p.Server, Version: p.Version, Fingerprint: p.Fingerprint(), Labels: labels}, true, nil
}

// Fingerprint is a short hash of what determines how answers are obtained: the server, its version
// and the label modes. Use it to compare runs; it is not part of an answer's key.
func (p *Probe) Fingerprint() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %v %v %q %q", p.Server, p.Version, p.Chat, p.Raw, p.mode(backends.Chat),
		p.mode(backends.Raw)))
	return hex.EncodeToString(sum[:8])
}
