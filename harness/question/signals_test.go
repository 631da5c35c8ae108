package question

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/confidence"
	"infnet/harness/spec"
	"infnet/metrics/extract"
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

func samplesOf(t *testing.T) (f references) {
	t.Helper()
	data, err := os.ReadFile("testdata/samples.json")
	if err == nil {
		err = json.Unmarshal(data, &f)
	}
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// The exact-match rates of uqlm, and the discrete semantic entropies of lm-polygraph, of the same samples
// (testdata/make_samples.py, which names the versions).
func TestSignalsOfSamples(t *testing.T) {
	f := samplesOf(t)
	s, err := sheet(t, "phrases", map[string]string{"en": "x"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Cases {
		answer, samples := texts(c.Answer)[0], texts(c.Samples...)
		share := asked(t, s, &spec.Signal{Kind: confidence.VoteShare}, answer, samples, nil)
		entropy := asked(t, s, &spec.Signal{Kind: confidence.SemanticEntropy}, answer, samples, nil)
		if math.Abs(share-c.Match) > 1e-12 || math.Abs(entropy+c.Entropy) > 1e-12 {
			t.Errorf("case %d: %v and %v, want %v and %v", i, share, entropy, c.Match, -c.Entropy)
		}
	}
	if len(f.Cases) < 8 {
		t.Errorf("%d cases", len(f.Cases))
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

// Of given embeddings, lm-polygraph's classes and entropies (testdata/make_samples.py, which names the version).
func TestSignalsByEmbeddings(t *testing.T) {
	f := samplesOf(t)
	s, err := sheet(t, "phrases", map[string]string{"en": "x"})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range f.Close {
		var said []string
		for k := range c.Vectors {
			said = append(said, strconv.Itoa(k))
		}
		list := texts(said...)
		vector := func(text string) ([]float32, error) {
			k, err := strconv.Atoi(text)
			return c.Vectors[k], err
		}
		x := &spec.Signal{Kind: confidence.VoteShare, Cosine: c.Cosine}
		share := asked(t, s, x, list[0], list[1:], vector)
		x.Kind = confidence.SemanticEntropy
		entropy := asked(t, s, x, list[0], list[1:], vector)
		if math.Abs(share-c.Share) > 1e-12 || math.Abs(entropy+c.Entropy) > 1e-12 {
			t.Errorf("case %d: %v and %v, want %v and %v", i, share, entropy, c.Share, -c.Entropy)
		}
	}
	if len(f.Close) < 9 {
		t.Errorf("%d cases", len(f.Close))
	}
}

// Embeddings at 0°, 30°, 60° and 90°, by hand: at least cos 45° joins the first group that does, so that the order of
// samples counts; what states no answer is in no group and needs no embedding; an empty text is like itself.
func TestClose(t *testing.T) {
	s, err := sheet(t, "phrases", map[string]string{"en": "x"})
	if err != nil {
		t.Fatal(err)
	}
	d := *s.Dataset
	d.Answer, d.Stop = []extract.Way{"after:Answer:"}, nil
	if s, err = New(&d, s.Set); err != nil {
		t.Fatal(err)
	}
	missing := errors.New("no embedding")
	vectors := map[string][]float32{"0": {1, 0}, "30": {.866, .5}, "60": {.5, .866}, "90": {0, 1}, "": {0, 0}}
	vector := func(text string) ([]float32, error) {
		if v := vectors[text]; v != nil {
			return v, nil
		}
		return nil, missing
	}
	for said, want := range map[string][][]int{"0 30 60 90": {{0, 1}, {2, 3}}, "30 0 60 90": {{0, 1, 2}, {3}},
		"0 60 30": {{0, 2}, {1}}, "0 - 30": {{0, 2}}} {
		var list []string
		for _, at := range strings.Fields(said) {
			list = append(list, strings.Replace("Answer: "+at, "Answer: -", "well", 1))
		}
		if got, err := s.Close(texts(list...), math.Sqrt2/2, vector); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s: %v, %v, want %v", said, got, err, want)
		}
	}
	if _, err := s.Close(texts("Answer: 7"), .5, vector); !errors.Is(err, missing) {
		t.Errorf("a sample without an embedding: %v", err)
	}
	s.finder = nil
	if got, err := s.Close(texts("", "0", ""), .5, vector); err != nil || !cmp.Equal(got, [][]int{{0, 2}, {1}}) {
		t.Errorf("empty texts: %v, %v", got, err)
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
