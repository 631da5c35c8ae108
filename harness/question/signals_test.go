package question

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec"
)

// The exact-match rates of uqlm, and the discrete semantic entropies of lm-polygraph, of the same samples
// (testdata/make_samples.py, which names the versions).
func TestSignalsOfSamples(t *testing.T) {
	data, err := os.ReadFile("testdata/samples.json")
	if err != nil {
		t.Fatal(err)
	}
	var f struct {
		Cases []struct {
			Answer  string
			Samples []string
			Match   float64 `json:"exact_match"`
			Entropy float64 `json:"semantic_entropy"`
		}
	}
	if err := json.Unmarshal(data, &f); err != nil {
		t.Fatal(err)
	}
	s, err := sheet(t, "phrases", map[string]string{"en": "x"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Cases {
		answer, samples := texts(c.Answer)[0], texts(c.Samples...)
		share, _ := s.Asked(confidence.VoteShare, answer, samples)
		entropy, _ := s.Asked(confidence.SemanticEntropy, answer, samples)
		if math.Abs(share-c.Match) > 1e-12 || math.Abs(entropy+c.Entropy) > 1e-12 {
			t.Errorf("case %d: %v and %v, want %v and %v", i, share, entropy, c.Match, -c.Entropy)
		}
	}
	if len(f.Cases) < 8 {
		t.Errorf("%d cases", len(f.Cases))
	}
}

// What signals ask: further samples are those that a model with samples is asked for; the questions about an answer
// show it, and differ in their keys.
func TestAsking(t *testing.T) {
	s, err := sheet(t, "colours", map[string]string{"item": "1"})
	if err != nil {
		t.Fatal(err)
	}
	s.LabelMode = func(string) backends.LabelMode { return backends.LabelsTopLogprobs }
	id, m := backends.ModelID{ID: "m", Kind: backends.OpenAI}, &spec.Model{Mode: backends.Raw}
	ask := func(kind confidence.Signal, n int) []backends.Request {
		x := &spec.Signal{Kind: kind, Samples: n, Temperature: 0.7}
		return s.Asking(x, 0, id, m, backends.Answer{Text: " blue"})
	}
	for k, r := range ask(confidence.VoteShare, 5) {
		if r.Key() != s.Requests(0, id, fiveSamples)[k].Key() {
			t.Errorf("sample %d is another request than that of a model with samples", k+1)
		}
	}
	keys := map[backends.Key]bool{}
	for kind, n := range map[confidence.Signal]int{confidence.PTrue: 1, confidence.StatedConfidence: 1,
		confidence.SelfVerification: 3} {
		list := ask(kind, 3)
		if len(list) != n {
			t.Errorf("%s asks %d times", kind, len(list))
		}
		for _, r := range list {
			keys[r.Key()] = true
			if !strings.Contains(r.Prompt, s.rendered(0)) || !strings.Contains(r.Prompt, "answer: blue\n") ||
				(r.LabelMode != "") != (kind == confidence.PTrue) || (r.Seed > 0) != (kind == confidence.SelfVerification) {
				t.Errorf("%s: %+v", kind, r)
			}
		}
	}
	if len(keys) != 5 {
		t.Errorf("%d keys of five requests", len(keys))
	}
}

// What replies say, by hand.
func TestAsked(t *testing.T) {
	s, err := sheet(t, "phrases", map[string]string{"en": "x"})
	if err != nil {
		t.Fatal(err)
	}
	none := math.Inf(-1)
	for reply, want := range map[string]float64{"0.85": .85, "Probability: .5": .5, "90%": .9, "95": .95, "1": 1,
		"about 0,7": .7, "0.5 %": .005, "I am sure": none, "": none, "400": 1} {
		if got, why := s.Asked(confidence.StatedConfidence, backends.Answer{}, texts(reply)); got != want || why != "" {
			t.Errorf("%q states %v, want %v", reply, got, want)
		}
	}
	letters := []backends.Answer{{Labels: []backends.LabelScore{{Logprob: math.Log(.6), Seen: true},
		{Logprob: math.Log(.2), Seen: true}}}}
	if got, _ := s.Asked(confidence.PTrue, backends.Answer{}, letters); math.Abs(got-.75) > 1e-12 {
		t.Errorf("P(true) of .6 against .2 is %v", got)
	}
	if _, why := s.Asked(confidence.PTrue, backends.Answer{}, []backends.Answer{{NoLogprobs: true,
		Labels: []backends.LabelScore{{Seen: true}, {}}}}); why == "" {
		t.Error("P(true) of a reply without log-probabilities")
	}
	if got, _ := s.Asked(confidence.SelfVerification, backends.Answer{}, texts(" A", " B", "well", " A")); got != .5 {
		t.Errorf("two of four verdicts are %v", got)
	}
}
