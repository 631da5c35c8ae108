package backends_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"testing"

	"infnet/backends"
)

func TestCheck(t *testing.T) {
	class := backends.Request{Prompt: "p", Labels: []string{" a", " b"}}
	sampled := class
	sampled.Sampling.Temperature = 1
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
		{"NaN alternative", text, backends.Answer{Text: "x",
			Tokens: []backends.Token{{Text: "x", Top: []backends.Alternative{{Logprob: math.NaN()}}}}}, backends.BadResponse},
		{"no log-probabilities", text, backends.Answer{Text: "x"}, backends.BadResponse},
		{"a model that gives none", text, backends.Answer{Text: "x", NoLogprobs: true}, ""},
		{"a class from a model that gives none", class,
			backends.Answer{Text: " a", NoLogprobs: true, Labels: []backends.LabelScore{{Seen: true}, {}}}, ""},
		{"a sample that names no label", sampled, backends.Answer{Text: "neither", NoLogprobs: true}, ""},
		{"an answer that names no label", class, backends.Answer{Text: "neither", NoLogprobs: true}, backends.BadResponse},
		{"a sample with a label too few", sampled, backends.Answer{Labels: scores(true, -1)}, backends.BadResponse},
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

// A student needs a confidence: without log-probabilities it is refused for
// good; with them, and of a sample, CheckStudent is Check.
func TestCheckStudent(t *testing.T) {
	r := backends.Request{Prompt: "p", MaxTokens: 3}
	sure, wild := 1.0, 1.5
	for _, test := range []struct {
		name string
		a    backends.Answer
		want backends.Cause
	}{
		{"confident", backends.Answer{Text: "x", Confidence: &sure}, ""},
		{"too confident", backends.Answer{Text: "x", Confidence: &wild}, backends.BadResponse},
		{"scored", backends.Answer{Text: "x", Tokens: []backends.Token{{Text: "x", Logprob: -1}}}, ""},
		{"unscored", backends.Answer{Text: "x", NoLogprobs: true}, backends.BadRequest},
		{"unusable", backends.Answer{Text: "x"}, backends.BadResponse},
	} {
		test.a.Key = r.Key()
		if f := backends.CheckStudent(r, test.a); (f == nil) != (test.want == "") || f != nil && f.Cause != test.want {
			t.Errorf("%s: %v, want cause %q", test.name, f, test.want)
		}
	}
	r.Sampling.Temperature = 1
	if f := backends.CheckStudent(r, backends.Answer{Key: r.Key(), Text: "x", NoLogprobs: true}); f != nil {
		t.Errorf("an unscored sample: %v", f)
	}
}

// A secret shows in no form of printing, logging or encoding, in structs and
// maps either.
func TestSecret(t *testing.T) {
	const s = backends.Secret("hunter2-hunter2")
	var out strings.Builder
	holder := struct {
		S backends.Secret
		M map[string]backends.Secret
	}{s, map[string]backends.Secret{"k": s}}
	b, err := json.Marshal(holder)
	if err != nil {
		t.Fatal(err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d", "%t"} {
		fmt.Fprintf(&out, verb+" "+verb+"\n", s, holder)
	}
	slog.New(slog.NewTextHandler(&out, nil)).Info("x", "s", s, "h", holder)
	slog.New(slog.NewJSONHandler(&out, nil)).Info("x", "s", s, "h", holder)
	out.Write(b)
	for _, leak := range []string{"hunter2", fmt.Sprintf("%x", "hunter2")} {
		if strings.Contains(out.String(), leak) {
			t.Errorf("%q in:\n%s", leak, out.String())
		}
	}
	if s.Reveal() != "hunter2-hunter2" {
		t.Error("Reveal does not give the text")
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
		{"none", bare{}, 0}, {"its own", sized{}, 7}, {"inside", wrapper{}, 7}, {"inside twice", outer{}, 7}, {"no model",
			nil, 0},
	} {
		b, ok := backends.Ability[backends.Batcher](test.model)
		if ok != (test.want > 0) || ok && b.BatchSize() != test.want {
			t.Errorf("%s: %v, %v, want %d", test.name, b, ok, test.want)
		}
	}
}
