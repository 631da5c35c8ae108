package doctor

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"infnet/backends"
)

// model is a model that answers as it is told to, call by call.
type model struct {
	calls   int
	answers []backends.Answer
	err     error
	found   []backends.Finding
	dead    bool
}

func (m *model) Answer(_ context.Context, reqs []backends.Request) ([]backends.Answer, error) {
	if m.err != nil {
		return nil, m.err
	}
	a := m.answers[min(m.calls, len(m.answers)-1)]
	a.Key = reqs[0].Key()
	m.calls++
	return []backends.Answer{a}, nil
}

func (m *model) Examine(context.Context, backends.Examination) ([]backends.Finding, bool) {
	return m.found, !m.dead
}

func (m *model) CountTokens(prompt string) (int, error) { return len(prompt), nil }

func scored(positive float64) backends.Answer {
	return backends.Answer{Text: "a",
		Labels: []backends.LabelScore{{Logprob: positive, Seen: true}, {Logprob: -3, Seen: true}}}
}

// on is an answer with these bounds of its mass.
func on(low, high float64) backends.Answer {
	a := scored(-1)
	a.LabelMass = &backends.Mass{Low: low, High: high}
	return a
}

func TestExamine(t *testing.T) {
	half := scored(-1)
	half.Labels[1].Seen = false
	mute := backends.Answer{Text: "a", NoLogprobs: true, Labels: []backends.LabelScore{{Seen: true}, {Logprob: 0}}}
	hidden := backends.Answer{Text: "a", Labels: []backends.LabelScore{{Seen: true}, {Logprob: math.Log(1e-5)}}}
	ordinary := Trial{Dataset: "d", Question: backends.Request{Prompt: "p", Labels: []string{"a", "b"}}}
	for _, c := range []struct {
		name        string
		model       *model
		student     bool
		context     int
		longest     string
		want        []string // "verdict question: part of what was found"
		temperature float64
	}{
		{name: "fine", model: &model{answers: []backends.Answer{scored(-1)}},
			want: []string{"0 asked d: \"a\" in", "1 label mass d: does not tell", "0 repeated d: to the bit"}},
		{name: "its backend speaks first",
			model: &model{answers: []backends.Answer{scored(-1)}, found: []backends.Finding{{Question: "server", Found: "x"}}},
			want:  []string{"0 server: x", "0 asked d", "1 label mass d: does not tell", "0 repeated d"}},
		{name: "dead", model: &model{dead: true,
			found: []backends.Finding{{Verdict: backends.Broken, Question: "reachable"}}}, want: []string{"3 reachable"}},
		{name: "not the same twice", model: &model{answers: []backends.Answer{scored(-1), scored(-1.5)}},
			want: []string{"0 asked d", "1 label mass d: does not tell", "2 repeated d: differ by up to 0.5"}},
		{name: "says another thing the second time",
			model: &model{answers: []backends.Answer{scored(-1), {Text: "b", Labels: scored(-1).Labels}}},
			want:  []string{"0 asked d", "1 label mass d: does not tell", `2 repeated d: at temperature 0 answered "a", then "b"`}},
		{name: "reports other labels the second time", model: &model{answers: []backends.Answer{scored(-1), half}},
			want: []string{"0 asked d", "1 label mass d: does not tell",
				`2 repeated d: at temperature 0 answered "a", then "a"`}},
		{name: "fails the second time",
			model: &model{answers: []backends.Answer{scored(-1),
				{Failure: &backends.Failure{Cause: backends.ServerError, Status: 500}}}},
			want: []string{"0 asked d", "1 label mass d: does not tell", "2 repeated d: answered once, then server-error"}},
		{name: "a label is missing", model: &model{answers: []backends.Answer{half}},
			want: []string{"0 asked d", "2 labels seen d: 1 of 2 labels", "1 label mass d", "0 repeated d"}},
		{name: "no log-probabilities, student", model: &model{answers: []backends.Answer{mute}}, student: true,
			want: []string{"3 asked d: no log-probabilities"}},
		{name: "no log-probabilities, master", model: &model{answers: []backends.Answer{mute}},
			want: []string{"0 asked d", "0 repeated d"}},
		{name: "a sample that names no label", temperature: 1,
			model: &model{answers: []backends.Answer{{Text: "c", NoLogprobs: true}}},
			want:  []string{"0 asked d", "2 labels d: this sample names none of the labels", "0 repeated d"}},
		{name: "hides its log-probabilities", model: &model{answers: []backends.Answer{hidden}},
			want: []string{"0 asked d", "2 log-probabilities d: the server hides them", "2 labels seen d", "1 label mass d",
				"0 repeated d"}},
		{name: "all on the labels", model: &model{answers: []backends.Answer{on(0.9, 0.9)}},
			want: []string{"0 asked d", "0 label mass d: 0.9 of", "0 repeated d"}},
		{name: "at the floor", model: &model{answers: []backends.Answer{on(0.5, 0.5)}},
			want: []string{"0 asked d", "0 label mass d: 0.5 of", "0 repeated d"}},
		{name: "little on the labels", model: &model{answers: []backends.Answer{on(0.01, 0.02)}},
			want: []string{"0 asked d", "2 label mass d: from 0.01 to 0.02 of the probability", "0 repeated d"}},
		{name: "perhaps little", model: &model{answers: []backends.Answer{on(0.2, 0.7)}},
			want: []string{"0 asked d", "2 label mass d: the rest is not reported", "0 repeated d"}},
		{name: "not a number", model: &model{answers: []backends.Answer{{Text: "a",
			Labels: []backends.LabelScore{{Logprob: math.NaN(), Seen: true}, {Logprob: -3, Seen: true}}}}},
			want: []string{"3 asked d: "}},
		{name: "cannot be asked", model: &model{err: errors.New("out of memory")},
			want: []string{"3 asked d: internal: out of memory"}},
		{name: "prompts fit", model: &model{answers: []backends.Answer{scored(-1)}}, context: 10, longest: "1234567890",
			want: []string{"0 asked d", "1 label mass d: does not tell", "0 repeated d", "0 fits d: 10 of 10 tokens"}},
		{name: "prompts do not fit", model: &model{answers: []backends.Answer{scored(-1)}}, context: 9, longest: "1234567890",
			want: []string{"0 asked d", "1 label mass d: does not tell", "0 repeated d", "2 fits d: 10 tokens"}},
	} {
		trial := ordinary
		trial.Longest = c.longest
		trial.Question.Sampling.Temperature = c.temperature
		got := Examine(context.Background(), Patient{Model: c.model, Floor: 0.5,
			Exam: backends.Examination{Student: c.student}, Context: c.context, Trials: []Trial{trial}})
		if len(got) != len(c.want) {
			t.Errorf("%s: %d findings, want %d: %+v", c.name, len(got), len(c.want), got)
			continue
		}
		for i, want := range c.want {
			head, part, _ := strings.Cut(want, ": ")
			if line := string(rune('0'+int(got[i].Verdict))) + " " + got[i].Question; line != head ||
				!strings.Contains(got[i].Found, part) {
				t.Errorf("%s: finding %d is %s: %s, want %s", c.name, i, line, got[i].Found, want)
			}
			if got[i].Verdict >= backends.Doubt && got[i].Fix == "" && got[i].Question != "reachable" {
				t.Errorf("%s: %s has no fix", c.name, got[i].Question)
			}
		}
	}
}
