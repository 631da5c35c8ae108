package backendtest_test

import (
	"math"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
)

func TestSuiteOnGoodModel(t *testing.T) {
	var reqs []backends.Request
	for _, p := range []string{"a", "b", "c", "d", "e"} {
		reqs = append(reqs, backends.Request{Prompt: p, MaxTokens: 1})
	}
	reqs[2].Labels = []string{" x", " y"}
	backendtest.Run(t, func(*testing.T) backends.Model {
		return &backendtest.Faulty{Batch: 2, Script: map[string][]backendtest.Fault{"long": {backendtest.Long}}}
	}, backendtest.Options{Requests: reqs, Bad: []backends.Request{{Prompt: "long", MaxTokens: 1}}})
}

func TestDiffer(t *testing.T) {
	answer := func() backends.Answer {
		return backends.Answer{
			Text: "x", Usage: backends.Usage{Prompt: backends.Counted(3), Completion: backends.Counted(1),
				Cached: 2}, Latency: 5,
			Labels: []backends.LabelScore{{Logprob: -1, Seen: true}},
			Tokens: []backends.Token{{Text: "x", Logprob: -2, Top: []backends.Alternative{{Text: "y", Logprob: -3}}}},
		}
	}
	for _, test := range []struct {
		name  string
		spoil func(*backends.Answer)
		want  string // "" = equal
	}{
		{"nothing", func(*backends.Answer) {}, ""},
		{"latency", func(a *backends.Answer) { a.Latency++ }, ""},
		{"cached tokens", func(a *backends.Answer) { a.Usage.Cached = 0 }, ""},
		{"key", func(a *backends.Answer) { a.Key[31] ^= 1 }, "keys"},
		{"failure", func(a *backends.Answer) { a.Failure = &backends.Failure{} }, "failed"},
		{"text", func(a *backends.Answer) { a.Text = "z" }, "texts"},
		{"prompt tokens", func(a *backends.Answer) { a.Usage.Prompt = backends.Counted(4) }, "token counts"},
		{"truncation", func(a *backends.Answer) { a.Truncated++ }, "token counts"},
		{"a bit of a label", func(a *backends.Answer) { a.Labels[0].Logprob = math.Nextafter(-1, 0) }, "label scores"},
		{"a label's being seen", func(a *backends.Answer) { a.Labels[0].Seen = false }, "label scores"},
		{"a bit of a token", func(a *backends.Answer) { a.Tokens[0].Logprob = math.Nextafter(-2, 0) }, "tokens"},
		{"the end", func(a *backends.Answer) { a.Tokens[0].End = true }, "tokens"},
		{"an alternative", func(a *backends.Answer) { a.Tokens[0].Top[0].Text = "w" }, "tokens"},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := answer()
			test.spoil(&b)
			got := backendtest.Differ(answer(), b)
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("Differ = %q, want %q", got, test.want)
			}
		})
	}
}
