package backends_test

import (
	"context"
	"math"
	"testing"

	"infnet/backends"
)

func TestCheck(t *testing.T) {
	class := backends.Request{Prompt: "p", Labels: []string{" a", " b"}}
	text := backends.Request{Prompt: "p", MaxTokens: 3}
	other := &backends.Failure{Cause: backends.Timeout}
	scores := func(seen bool, lps ...float64) []backends.LabelScore {
		var out []backends.LabelScore
		for _, lp := range lps {
			out = append(out, backends.LabelScore{Logprob: lp, Seen: seen})
		}
		return out
	}
	tokens := func(lps ...float64) []backends.Token {
		var out []backends.Token
		for _, lp := range lps {
			out = append(out, backends.Token{Text: "x", Logprob: lp})
		}
		return out
	}
	for _, test := range []struct {
		name string
		req  backends.Request
		a    backends.Answer
		want backends.Cause // "" = the answer can be used
	}{
		{"good classification", class, backends.Answer{Labels: scores(true, -1, -2)}, ""},
		{"impossible label", class, backends.Answer{Labels: scores(true, 0, math.Inf(-1))}, ""},
		{"scores share a constant, so they may be positive", class, backends.Answer{Labels: scores(true, 12, 3)}, ""},
		{"good generation", text, backends.Answer{Text: "xx", Tokens: tokens(-1, math.Inf(-1))}, ""},
		{"empty generation", text, backends.Answer{}, ""},
		{"certainty rounded up", text, backends.Answer{Text: "x", Tokens: tokens(1e-6)}, ""},
		{"its own failure", text, backends.Answer{Failure: other}, backends.Timeout},
		{"NaN label", class, backends.Answer{Labels: scores(true, math.NaN(), -2)}, backends.BadResponse},
		{"infinite label", class, backends.Answer{Labels: scores(true, math.Inf(1), -2)}, backends.BadResponse},
		{"no possible label", class, backends.Answer{Labels: scores(true, math.Inf(-1), math.Inf(-1))}, backends.BadResponse},
		{"no seen label", class, backends.Answer{Labels: scores(false, -1, -2)}, backends.BadResponse},
		{"a label too few", class, backends.Answer{Labels: scores(true, -1)}, backends.BadResponse},
		{"NaN token", text, backends.Answer{Text: "x", Tokens: tokens(math.NaN())}, backends.BadResponse},
		{"positive token", text, backends.Answer{Text: "x", Tokens: tokens(0.5)}, backends.BadResponse},
		{"NaN alternative", text, backends.Answer{Text: "x", Tokens: []backends.Token{{Text: "x", Top: []backends.Alternative{{Logprob: math.NaN()}}}}}, backends.BadResponse},
		{"no log-probabilities", text, backends.Answer{Text: "x"}, backends.BadResponse},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.a.Key = test.req.Key()
			f := backends.Check(test.req, test.a)
			if (f == nil) != (test.want == "") || f != nil && f.Cause != test.want {
				t.Errorf("Check = %v, want cause %q", f, test.want)
			}
		})
	}
	if f := backends.Check(text, backends.Answer{}); f == nil || f.Cause != backends.Internal {
		t.Errorf("Check of an answer without its key = %v, want an internal fault", f)
	}
}

type bare struct{}

func (bare) Answer(context.Context, []backends.Request) ([]backends.Answer, error) { return nil, nil }

type sized struct{ bare }

func (sized) BatchSize() int { return 7 }

type wrapper struct{ bare }

func (wrapper) Unwrap() backends.Model { return sized{} }

type outer struct{ bare }

func (outer) Unwrap() backends.Model { return wrapper{} }

func TestAbility(t *testing.T) {
	for _, test := range []struct {
		name  string
		model backends.Model
		want  int // 0 = has it not
	}{
		{"none", bare{}, 0}, {"its own", sized{}, 7}, {"inside", wrapper{}, 7}, {"inside twice", outer{}, 7}, {"no model", nil, 0},
	} {
		b, ok := backends.Ability[backends.Batcher](test.model)
		if ok != (test.want > 0) || ok && b.BatchSize() != test.want {
			t.Errorf("%s: %v, %v, want %d", test.name, b, ok, test.want)
		}
	}
}
