// Package backendtest is the test suite that every backend passes, and a model that fails on
// command. It owns the contract of backends.Model as executable tests. It refuses to judge what a
// model answers.
//
// Its opinion: an answer that depends on its batch would give a resumed study other numbers, so
// equal means bit for bit.
package backendtest

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"infnet/backends"
)

// Options say what to ask the backend.
type Options struct {
	// at least 4, all different, all answerable: classifications and generations as far as the backend has them
	Requests  []backends.Request
	Bad       []backends.Request // requests that must come back as lasting failures; may be empty
	Lossy     bool               // the texts of the tokens need not concatenate to the answer's text
	Uncounted bool               // the backend's servers count no tokens: Usage must be all zero, not invented
	Unscored  bool               // the backend gives no log-probabilities: answers say so and have no tokens
	Takes     []backends.Part    // fields of version 2 of the key that the backend passes on, the served name apart
	// how long Answer may take to return after its context is done; 0 = 10 s, generous for slow test machines
	Hint time.Duration
}

// Run tests a backend. open is called once per subtest and must return equal
// models.
func Run(t *testing.T, open func(t *testing.T) backends.Model, o Options) {
	t.Helper()
	if len(o.Requests) < 4 {
		t.Fatalf("backendtest: %d requests, want at least 4", len(o.Requests))
	}
	s := &suite{open: open, o: o}
	t.Run("shape", s.shape)
	t.Run("bad requests", s.bad)
	t.Run("batch size", func(t *testing.T) {
		if b, ok := backends.Ability[backends.Batcher](open(t)); ok && b.BatchSize() < 1 {
			t.Errorf("BatchSize() = %d, want at least 1", b.BatchSize())
		}
	})
	contract[backends.Request, backends.Answer]{
		open:   func(t *testing.T) asker[backends.Request, backends.Answer] { return open(t).Answer },
		items:  o.Requests,
		differ: Differ,
		spoil: func(r *backends.Request) {
			r.Prompt = "spoilt"
			for j := range r.Labels {
				r.Labels[j] = "spoilt"
			}
		},
		clone: clone,
		hint:  o.Hint,
	}.run(t)
}

type suite struct {
	open func(t *testing.T) backends.Model
	o    Options
}

// shape: every answer echoes its key, passes backends.Check, counts tokens,
// and its text is what its scores and tokens say.
func (s *suite) shape(t *testing.T) {
	for i, a := range all(t, s.open(t).Answer, s.o.Requests) {
		r := s.o.Requests[i]
		if f := backends.Check(r, a); f != nil {
			t.Errorf("request %d: %v", i, f)
			continue
		}
		if s.o.Uncounted && a.Usage != (backends.Usage{}) {
			t.Errorf("request %d: usage %+v, but this backend counts no tokens", i, a.Usage)
		}
		prompt, _ := a.Usage.Prompt.Known()
		completion, _ := a.Usage.Completion.Known()
		if !s.o.Uncounted && (prompt == 0 || completion == 0) {
			t.Errorf("request %d: usage %+v, want prompt and completion above 0", i, a.Usage)
		}
		if a.Usage.Cached < 0 || a.Usage.Cached > prompt || a.Truncated < 0 || a.Latency < 0 {
			t.Errorf("request %d: usage %+v, truncated %d, latency %v", i, a.Usage, a.Truncated, a.Latency)
		}
		if len(r.Labels) > 0 {
			classification(t, i, r, a)
		} else {
			s.generation(t, i, r, a)
		}
	}
}

func classification(t *testing.T, i int, r backends.Request, a backends.Answer) {
	best := math.Inf(-1)
	said := math.Inf(-1)
	for j, l := range a.Labels {
		if l.Seen {
			best = max(best, l.Logprob)
		}
		if r.Labels[j] == a.Text {
			said = max(said, l.Logprob)
		}
	}
	if !slices.Contains(r.Labels, a.Text) || said != best {
		t.Errorf("request %d: text %q is not the most probable of %q with scores %v", i, a.Text, r.Labels, a.Labels)
	}
	if len(a.Tokens) != 0 {
		t.Errorf("request %d: a classification with %d generated tokens", i, len(a.Tokens))
	}
}

func (s *suite) generation(t *testing.T, i int, r backends.Request, a backends.Answer) {
	if s.o.Unscored {
		s.unscored(t, i, r, a)
		return
	}
	if len(a.Tokens) == 0 || len(a.Tokens) > r.MaxTokens {
		t.Errorf("request %d: %d tokens, want 1 to %d", i, len(a.Tokens), r.MaxTokens)
	}
	if !s.o.Uncounted && a.Usage.Completion != backends.Counted(len(a.Tokens)) {
		t.Errorf("request %d: %d tokens, usage says %v", i, len(a.Tokens), a.Usage.Completion)
	}
	var text strings.Builder
	for j, tok := range a.Tokens {
		if tok.End && j != len(a.Tokens)-1 {
			t.Errorf("request %d: tokens after the end token", i)
		}
		if !tok.End {
			text.WriteString(tok.Text)
		}
	}
	// A stop string is cut off the text but may be in the tokens.
	if whole := text.String(); !s.o.Lossy && whole != a.Text && (len(r.Stop) == 0 || !strings.HasPrefix(whole, a.Text)) {
		t.Errorf("request %d: the tokens say %q, the text %q", i, whole, a.Text)
	}
	stopped(t, i, r, a)
}

// unscored: an answer without log-probabilities says so, and takes no more tokens than were asked for.
func (s *suite) unscored(t *testing.T, i int, r backends.Request, a backends.Answer) {
	if !a.NoLogprobs || len(a.Tokens) != 0 {
		t.Errorf("request %d: %d tokens of a backend without log-probabilities, no_logprobs %v", i, len(a.Tokens),
			a.NoLogprobs)
	}
	if n, _ := a.Usage.Completion.Known(); n > r.MaxTokens {
		t.Errorf("request %d: %d tokens, want at most %d", i, n, r.MaxTokens)
	}
	stopped(t, i, r, a)
}

func stopped(t *testing.T, i int, r backends.Request, a backends.Answer) {
	for _, stop := range r.Stop {
		if stop != "" && strings.Contains(a.Text, stop) {
			t.Errorf("request %d: the text %q contains the stop %q", i, a.Text, stop)
		}
	}
}

// Differ says how two answers to one request differ in anything that must not depend on the batch:
// everything but latency and the number of cached prompt tokens. It returns "" if they are equal
// bit for bit.
func Differ(a, b backends.Answer) string {
	bits := math.Float64bits
	switch {
	case a.Key != b.Key:
		return "the keys differ"
	case (a.Failure == nil) != (b.Failure == nil):
		return "one failed, one did not"
	case a.Text != b.Text:
		return "the texts differ: " + a.Text + " / " + b.Text
	case a.Usage.Prompt != b.Usage.Prompt || a.Usage.Completion != b.Usage.Completion || a.Truncated != b.Truncated:
		return "the token counts differ"
	}
	if !slices.EqualFunc(a.Labels, b.Labels, func(x, y backends.LabelScore) bool {
		return x.Seen == y.Seen && bits(x.Logprob) == bits(y.Logprob)
	}) {
		return "the label scores differ in a bit"
	}
	if x, y := a.LabelMass, b.LabelMass; (x == nil) != (y == nil) ||
		x != nil && (bits(x.Low) != bits(y.Low) || bits(x.High) != bits(y.High)) {
		return "the masses on the labels differ in a bit"
	}
	if !slices.EqualFunc(a.Tokens, b.Tokens, func(x, y backends.Token) bool {
		return x.Text == y.Text && x.End == y.End && bits(x.Logprob) == bits(y.Logprob) &&
			slices.EqualFunc(x.Top, y.Top, func(p, q backends.Alternative) bool {
				return p.Text == q.Text && bits(p.Logprob) == bits(q.Logprob)
			})
	}) {
		return "the tokens differ in a bit"
	}
	return ""
}

func clone(reqs []backends.Request) []backends.Request {
	out := slices.Clone(reqs)
	for i := range out {
		out[i].Labels = slices.Clone(out[i].Labels)
		out[i].Stop = slices.Clone(out[i].Stop)
	}
	return out
}

// beyond returns the request once with each field of version 2 of the key that the backend does not take, in mode raw
// with each that it takes in chats alone, and with a name that no server has.
func beyond(r backends.Request, takes []backends.Part) []backends.Request {
	var out []backends.Request
	for _, f := range []struct {
		part backends.Part
		set  func(*backends.Request)
	}{
		{backends.ServedPart, func(r *backends.Request) { r.Served = "a name that no server has" }},
		{backends.SystemPart, func(r *backends.Request) { r.System = "Be brief." }},
		{backends.ExamplesPart, func(r *backends.Request) {
			r.Examples = []backends.Example{{Prompt: "2 + 2 =", Answer: " 4"}}
		}},
		{backends.TemplatePart, func(r *backends.Request) { r.Template = "{{ messages }}" }},
		{backends.SettingsPart, func(r *backends.Request) {
			r.Settings = []backends.Setting{{Name: "dtype", Value: "float16"}}
		}},
		{backends.SamplingPart, func(r *backends.Request) { r.Sampling.Temperature = 0.7 }},
		{backends.QuestionPart, func(r *backends.Request) { r.Question = "Which?" }},
	} {
		with := r
		if slices.Contains(takes, f.part) {
			if f.part == backends.SamplingPart || f.part == backends.QuestionPart {
				continue
			}
			with.Mode = backends.Raw
		}
		f.set(&with)
		out = append(out, with)
	}
	return out
}

// bad: a bad request is a lasting failure of its own and leaves its
// neighbours alone.
func (s *suite) bad(t *testing.T) {
	m := s.open(t)
	good := s.o.Requests[0]
	want := all(t, m.Answer, []backends.Request{good})[0]
	for i, r := range append(slices.Clone(s.o.Bad), beyond(good, s.o.Takes)...) {
		as := all(t, m.Answer, []backends.Request{good, r, good})
		f := as[1].Failure
		switch {
		case f == nil:
			t.Errorf("bad request %d was answered with %q", i, as[1].Text)
		case f.Temporary() || f.Message == "":
			t.Errorf("bad request %d: %+v, want a lasting cause and a message", i, f)
		}
		if as[1].Key != r.Key() {
			t.Errorf("bad request %d: the failure carries another key", i)
		}
		for _, j := range []int{0, 2} {
			if why := Differ(want, as[j]); why != "" {
				t.Errorf("the neighbour of bad request %d: %s", i, why)
			}
		}
	}
}
