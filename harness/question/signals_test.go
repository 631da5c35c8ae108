package question

import (
	"math"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec"
)

// references are what other packages make of samples.
type references struct {
	Cases []struct {
		Answer  string
		Samples []string
		Match   float64 `json:"exact_match"`
		Entropy float64 `json:"semantic_entropy"`
	}
	Close []struct {
		Cosine  float64
		Vectors [][]float32
		Share   float64 `json:"vote_share"`
		Entropy float64 `json:"semantic_entropy"`
	}
}

// asked is the value of a signal that there is.
func asked(t *testing.T, s *Sheet, x *spec.Signal, a backends.Answer, replies []backends.Answer,
	vector func(string) ([]float32, error)) float64 {
	t.Helper()
	value, why, err := s.Asked(x, a, replies, vector)
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	return value
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
		x := &spec.Signal{Kind: confidence.StatedConfidence}
		if got := asked(t, s, x, backends.Answer{}, texts(reply), nil); got != want {
			t.Errorf("%q states %v, want %v", reply, got, want)
		}
	}
	letters := []backends.Answer{{Labels: []backends.LabelScore{{Logprob: math.Log(.6), Seen: true},
		{Logprob: math.Log(.2), Seen: true}}}}
	ptrue := &spec.Signal{Kind: confidence.PTrue}
	if got := asked(t, s, ptrue, backends.Answer{}, letters, nil); math.Abs(got-.75) > 1e-12 {
		t.Errorf("P(true) of .6 against .2 is %v", got)
	}
	if _, why, _ := s.Asked(ptrue, backends.Answer{}, []backends.Answer{{NoLogprobs: true,
		Labels: []backends.LabelScore{{Seen: true}, {}}}}, nil); why == "" {
		t.Error("P(true) of a reply without log-probabilities")
	}
	neither := []backends.Answer{{Failure: &backends.Failure{Cause: backends.NoLabel}}}
	if got := asked(t, s, ptrue, backends.Answer{}, neither, nil); got != none {
		t.Errorf("P(true) of neither letter is %v", got)
	}
	// Of two of four that say the same, a third that says nothing and a fourth: shares 1/2, 1/4 and 1/4.
	failed := append(texts("x", "x", "y"), neither...)
	for kind, want := range map[confidence.Signal]float64{confidence.VoteShare: .5,
		confidence.SemanticEntropy: .5*math.Log(.5) + .5*math.Log(.25)} {
		if got := asked(t, s, &spec.Signal{Kind: kind}, texts("x")[0], failed, nil); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s with a failed sample is %v, want %v", kind, got, want)
		}
	}
	verdicts := texts(" A", " B", "well", " A")
	if got := asked(t, s, &spec.Signal{Kind: confidence.SelfVerification}, backends.Answer{}, verdicts, nil); got != .5 {
		t.Errorf("two of four verdicts are %v", got)
	}
}
