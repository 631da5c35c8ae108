package confidence

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"infnet/backends"
)

var near = cmpopts.EquateApprox(0, 1e-12)

func seen(lps ...float64) []backends.LabelScore {
	out := make([]backends.LabelScore, len(lps))
	for i, lp := range lps {
		out[i] = backends.LabelScore{Logprob: lp, Seen: true}
	}
	return out
}

func unseen(bound float64) backends.LabelScore { return backends.LabelScore{Logprob: bound} }

func answer(lps ...float64) backends.Answer {
	a := backends.Answer{}
	for _, lp := range lps {
		a.Tokens = append(a.Tokens, backends.Token{Text: "x", Logprob: lp})
	}
	return a
}

func ended(a backends.Answer, lp float64) backends.Answer {
	a.Tokens = append(a.Tokens, backends.Token{Text: "</s>", Logprob: lp, End: true})
	return a
}

func TestGeneration(t *testing.T) {
	inf := math.Inf(1)
	for _, tc := range []struct {
		name   string
		score  Score
		answer backends.Answer
		want   float64
		log    float64
		empty  bool
	}{
		{name: "exp", score: Exp, answer: answer(-1, -3), want: math.Exp(-2), log: -2},
		{name: "exp without the end token", score: Exp, answer: ended(answer(-1, -3), -5), want: math.Exp(-2),
			log: -2},
		{name: "nothing but the end", score: Exp, answer: ended(answer(), -5), want: 0, log: -inf, empty: true},
		{name: "empty", score: Sum, answer: answer(), want: 0, log: -inf, empty: true},
		{name: "impossible token", score: Exp, answer: answer(-1, -inf), want: 0, log: -inf},
		{name: "a server that rounds", score: Exp, answer: answer(1e-4), want: 1, log: 0},
		{name: "sum", score: Sum, answer: answer(-1, -3), want: math.Exp(-4), log: -4},
		{name: "sum that underflows", score: Sum, answer: answer(-800, -200), want: 0, log: -1000},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tc.score.Read(tc.answer)
			if err != nil {
				t.Fatal(err)
			}
			want := Reading{Beta: tc.want, Low: tc.want, High: tc.want, Log: tc.log, Empty: tc.empty, Certain: true}
			if diff := cmp.Diff(want, got, near); diff != "" {
				t.Errorf("reading (-want +got):\n%s", diff)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	failed := backends.Answer{Failure: &backends.Failure{Cause: backends.Timeout, Message: "no answer"}}
	for _, tc := range []struct {
		name   string
		score  Score
		answer backends.Answer
		want   string
	}{
		{name: "failed classification", score: Softmax, answer: failed, want: "failure"},
		{name: "failed generation", score: Exp, answer: failed, want: "failure"},
		{name: "no labels", score: Softmax, answer: answer(-1), want: "no label scores"},
		{name: "NaN label", score: Softmax, answer: backends.Answer{Labels: seen(-1, nan)}, want: "label 1"},
		{name: "infinite label", score: Softmax, answer: backends.Answer{Labels: seen(inf)}, want: "label 0"},
		{name: "no label reported", score: Softmax, answer: backends.Answer{Labels: []backends.LabelScore{unseen(-1)}},
			want: ErrNoLabel.Error()},
		{name: "no label possible", score: Softmax, answer: backends.Answer{Labels: seen(-inf, -inf)},
			want: ErrNoLabel.Error()},
		{name: "NaN token", score: Exp, answer: answer(-1, nan), want: "token 1"},
		{name: "positive token", score: Exp, answer: answer(0.5), want: "token 0"},
		{name: "no such score", score: "guess", answer: answer(-1), want: "guess"},
	} {
		if _, err := tc.score.Read(tc.answer); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", tc.name, err, tc.want)
		}
	}
}
