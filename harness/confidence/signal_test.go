package confidence_test

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/confidence"
)

// The values of uqlm, and numpy's quantiles, on the same answers (testdata/make_signals.py, which names the versions).
func TestSignalsOfUQLM(t *testing.T) {
	data, err := os.ReadFile("testdata/signals.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Q     float64
		Cases []struct {
			Tokens     [][]float64
			Min        float64 `json:"min_probability"`
			Sequence   float64 `json:"sequence_probability"`
			Normalised float64 `json:"normalised_probability"`
			Negentropy float64 `json:"mean_token_negentropy"`
			Margin     float64 `json:"probability_margin"`
			Quantile   float64
			Entropy    float64 `json:"entropy_of_first"`
		}
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Cases {
		var a, labels backends.Answer
		for k, logs := range c.Tokens {
			token := backends.Token{Text: "t", Logprob: logs[0]}
			for _, lp := range logs {
				token.Top = append(token.Top, backends.Alternative{Text: "t", Logprob: lp})
				if k == 0 {
					labels.Labels = append(labels.Labels, backends.LabelScore{Logprob: lp, Seen: true})
				}
			}
			a.Tokens = append(a.Tokens, token)
		}
		a.Tokens = append(a.Tokens, backends.Token{End: true, Logprob: -9}) // counts nowhere
		for _, x := range []struct {
			signal confidence.Signal
			of     backends.Answer
			want   float64
		}{
			{confidence.TokenMin, a, math.Log(c.Min)},
			{confidence.MaxProbability, a, math.Log(c.Sequence)},
			{confidence.TokenMean, a, math.Log(c.Normalised)},
			{confidence.Entropy, a, (c.Negentropy - 1) * math.Log(5)}, // 1 − H/ln 5, of five alternatives
			{confidence.Margin, a, c.Margin},
			{confidence.TokenQuantile, a, c.Quantile},
			{confidence.Length, a, -float64(len(c.Tokens))},
			{confidence.Entropy, labels, -c.Entropy},
		} {
			got, why := x.signal.Read(x.of, f.Q)
			if why != "" || math.Abs(got-x.want) > 1e-12*max(1, math.Abs(x.want)) {
				t.Errorf("answer %d, %s: %v %s; want %v", i, x.signal, got, why, x.want)
			}
		}
	}
	if len(f.Cases) < 8 {
		t.Errorf("%d answers", len(f.Cases))
	}
}

// What an answer has, by hand; and why it does not have the rest.
func TestSignalsByHand(t *testing.T) {
	ln := math.Log
	seen := func(p ...float64) (list []backends.LabelScore) {
		for _, x := range p {
			list = append(list, backends.LabelScore{Logprob: ln(x), Seen: true})
		}
		return list
	}
	labels := backends.Answer{Labels: seen(.1, .5, .2), By: backends.LabelsTopLogprobs} // of a mass of .8
	named := backends.Answer{Labels: []backends.LabelScore{{Seen: true}, {}}, Confidence: new(.7)}
	whole := backends.Answer{Text: "x y", Tokens: []backends.Token{{Logprob: -3}}, Whole: true,
		Usage: backends.Usage{Completion: backends.Counted(4)}}
	text := backends.Answer{Text: "x", Tokens: []backends.Token{{Text: "x", Logprob: -1}}}
	for _, c := range []struct {
		signal confidence.Signal
		of     backends.Answer
		want   float64
		why    string
	}{
		{signal: confidence.MaxProbability, of: labels, want: .5 / .8},
		{signal: confidence.Margin, of: labels, want: .3 / .8},
		{signal: confidence.Entropy, of: labels, want: .125*ln(.125) + .625*ln(.625) + .25*ln(.25)},
		{signal: confidence.LabelMass, of: labels, want: .8},
		{signal: confidence.LabelMass, of: named, why: "probability on the labels is not known"},
		{signal: confidence.TokenMin, of: labels, why: "one token"},
		{signal: confidence.Length, of: labels, why: "one token"},
		{signal: confidence.Recorded, of: labels, why: "no confidence was recorded"},
		{signal: confidence.Recorded, of: named, want: .7},
		{signal: confidence.MaxProbability, of: named, why: "no log-probabilities of the labels"},
		{signal: confidence.MaxProbability, of: whole, want: -3},
		{signal: confidence.TokenMean, of: whole, want: -.75},
		{signal: confidence.Length, of: whole, want: -4},
		{signal: confidence.TokenMin, of: whole, why: "whole answer"},
		{signal: confidence.Margin, of: text, why: "alternatives"},
		{signal: confidence.LabelMass, of: text, why: "has no labels"},
		{signal: confidence.TokenMean, of: backends.Answer{NoLogprobs: true, Text: "x"}, why: "no log-probabilities"},
		{signal: confidence.TokenMean, of: backends.Answer{}, want: math.Inf(-1)},
		{signal: confidence.Margin, of: backends.Answer{}, want: math.Inf(-1)},
		{signal: confidence.Length, of: backends.Answer{Text: "x", NoLogprobs: true}, why: "number of their tokens"},
	} {
		got, why := c.signal.Read(c.of, .1)
		if (why == "") != (c.why == "") || !strings.Contains(why, c.why) {
			t.Errorf("%s of %+v: %q; want %q", c.signal, c.of, why, c.why)
		} else if why == "" && got != c.want && !(math.Abs(got-c.want) < 1e-12) {
			t.Errorf("%s of %+v: %v; want %v", c.signal, c.of, got, c.want)
		}
	}
}
