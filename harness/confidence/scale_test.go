package confidence

import (
	"math"
	"slices"
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
	fit := []backends.Answer{answer(-1, -3), answer(-0.5), answer(-4), answer(), answer(-inf)} // means −2, −0.5, −4
	mean := -6.5 / 3
	sd := math.Sqrt((math.Pow(-2-mean, 2) + math.Pow(-.5-mean, 2) + math.Pow(-4-mean, 2)) / 3)
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
		{name: "minmax", score: MinMax, answer: answer(-1, -3), want: 2 / 3.5, log: math.Log(2 / 3.5)},
		{name: "minmax below", score: MinMax, answer: answer(-9), want: 0, log: -inf},
		{name: "minmax above", score: MinMax, answer: answer(-.1), want: 1, log: 0},
		{name: "minmax impossible token", score: MinMax, answer: answer(-inf), want: 0, log: -inf},
		{name: "sigmoid at the mean", score: Sigmoid, answer: answer(mean), want: .5, log: math.Log(.5)},
		{name: "sigmoid one deviation up", score: Sigmoid, answer: answer(mean + sd),
			want: 1 / (1 + math.Exp(-1)), log: -math.Log(1 + math.Exp(-1))},
		{name: "sigmoid impossible token", score: Sigmoid, answer: answer(-inf), want: 0, log: -inf},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, err := Fit(tc.score, slices.Values(fit))
			if err != nil {
				t.Fatal(err)
			}
			if s.N != 5 || s.Empty != 1 {
				t.Errorf("fitted on %d answers, %d empty, want 5 and 1", s.N, s.Empty)
			}
			got, err := s.Read(tc.answer)
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

func TestDegenerateScales(t *testing.T) {
	same := []backends.Answer{answer(-1), answer(-1)}
	s, err := Fit(MinMax, slices.Values(same))
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ lp, want float64 }{{-1, 1}, {-1.1, 0}, {-.9, 1}} {
		if r, err := s.Read(answer(tc.lp)); err != nil || r.Beta != tc.want {
			t.Errorf("minmax without a range at %v: %v (%v), want %v", tc.lp, r.Beta, err, tc.want)
		}
	}
	s, err = Fit(Sigmoid, slices.Values(same))
	if err != nil {
		t.Fatal(err)
	}
	if r, err := s.Read(answer(-1)); err != nil || r.Beta != .5 {
		t.Errorf("sigmoid without a spread: %v (%v), want 0.5", r.Beta, err)
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
		if _, err := (Scale{Score: tc.score}).Read(tc.answer); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", tc.name, err, tc.want)
		}
	}
	for _, tc := range []struct {
		name    string
		score   Score
		answers []backends.Answer
		want    string
	}{
		{name: "nothing to fit", score: MinMax, answers: []backends.Answer{answer(), answer(-inf)},
			want: "none of 2 answers"},
		{name: "a failure among them", score: Exp, answers: []backends.Answer{answer(-1), failed}, want: "answer 1"},
		{name: "no such score", score: "guess", want: "guess"},
	} {
		_, err := Fit(tc.score, slices.Values(tc.answers))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want an error with %q", tc.name, err, tc.want)
		}
	}
}
