package question

import (
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/spec"
	"infnet/harness/task"
	"infnet/metrics/extract"
)

var fiveSamples = &spec.Model{Mode: backends.Raw, Samples: &spec.Samples{N: 5,
	Sampling: backends.Sampling{Temperature: 0.7}}}

// A model that is asked once makes the request of before; more samples add requests and change none.
func TestRequests(t *testing.T) {
	s, err := sheet(t, "colours", map[string]string{"item": "1"})
	if err != nil {
		t.Fatal(err)
	}
	s.LabelMode = func(string) backends.LabelMode { return backends.LabelsTopLogprobs }
	id := backends.ModelID{ID: "m", Kind: backends.OpenAI}
	once := s.Requests(0, id, &spec.Model{Mode: backends.Raw})
	if diff := cmp.Diff([]backends.Request{s.Request(0, id, &spec.Model{Mode: backends.Raw})}, once); diff != "" {
		t.Errorf("asked once (-want +got):\n%s", diff)
	}
	three := *fiveSamples
	three.Samples = &spec.Samples{N: 3, Sampling: fiveSamples.Samples.Sampling}
	five := s.Requests(0, id, fiveSamples)
	if diff := cmp.Diff(five[:3], s.Requests(0, id, &three)); diff != "" || len(five) != 5 {
		t.Errorf("%d requests; the first three of five, and three (-want +got):\n%s", len(five), diff)
	}
	keys := map[backends.Key]bool{once[0].Key(): true}
	for k, r := range five {
		if keys[r.Key()] = true; r.Seed != uint64(k+1) || r.Sampling.Temperature != 0.7 || r.LabelMode != "" {
			t.Errorf("sample %d: %+v", k+1, r)
		}
	}
	if len(keys) != 6 {
		t.Errorf("%d keys of six requests", len(keys))
	}
}

func texts(list ...string) (out []backends.Answer) {
	for i, text := range list {
		out = append(out, backends.Answer{Key: backends.Key{byte(i)}, Text: text, NoLogprobs: true,
			Finish: backends.FinishEnd, Latency: time.Second,
			Usage: backends.Usage{Prompt: backends.Counted(10), Completion: backends.Counted(i)}})
	}
	return out
}

// Groups and majorities by hand.
func TestVotes(t *testing.T) {
	for _, test := range []struct {
		name    string
		answer  extract.Way // "" = the whole reply
		correct spec.Correct
		said    []string
		groups  [][]int
		text    string // of the majority
		beta    float64
	}{
		{"words", "", spec.Correct{Rule: task.ExactMatch}, []string{"Rome", "the rome.", "Paris"}, [][]int{{0, 1}, {2}},
			"Rome", 2. / 3},
		{"words, as the rule alone compares them", "", spec.Correct{Rule: task.ExactMatch}, []string{"$5", "5", "6"},
			[][]int{{0, 1}, {2}}, "$5", 2. / 3},
		{"what a rule of values cannot read, as it is written", "", spec.Correct{Rule: task.Math},
			[]string{"[1,2]", "(1,2)", "[1,2]"}, [][]int{{0, 2}, {1}}, "[1,2]", 2. / 3},
		{"a rule that is not symmetric: words", "", spec.Correct{Rule: task.TokenF1, Tau: 0.5},
			[]string{"Rome", "Rome, in Italy", "Rome"}, [][]int{{0, 2}, {1}}, "Rome", 2. / 3},
		{"numbers, and what is none by its words", "", spec.Correct{Rule: task.Number},
			[]string{"many", "1,000", "1000.0", "Many", "7", "1e3"}, [][]int{{0, 3}, {1, 2, 5}, {4}}, "1,000", 0.5},
		{"formulas, after words", "", spec.Correct{Rule: task.ExactMatch, Then: []task.Rule{task.Math}},
			[]string{`\frac{1}{2}`, "0.5", "1/3"}, [][]int{{0, 1}, {2}}, `\frac{1}{2}`, 2. / 3},
		{"a tie goes to the answer that was said first", "", spec.Correct{Rule: task.ExactMatch},
			[]string{"a b", "c", "d", "d", "c"}, [][]int{{0}, {1, 4}, {2, 3}}, "c", 0.4},
		{"no answer has no vote, and counts below", "after:Answer:", spec.Correct{Rule: task.ExactMatch},
			[]string{"well", "Answer: 7", "hm", "so, Answer: 7"}, [][]int{{1, 3}}, "Answer: 7", 0.5},
		{"nobody states an answer", "after:Answer:", spec.Correct{Rule: task.ExactMatch}, []string{"well", "hm"}, nil,
			"well", 0},
	} {
		s, err := sheet(t, "phrases", map[string]string{"en": "x"})
		if err != nil {
			t.Fatal(err)
		}
		d := *s.Dataset
		d.Correct, d.Stop = test.correct, nil
		if test.answer != "" {
			d.Answer = []extract.Way{test.answer}
		}
		if s, err = New(&d, s.Set); err != nil {
			t.Fatal(err)
		}
		samples := texts(test.said...)
		if diff := cmp.Diff(test.groups, s.Votes(samples)); diff != "" {
			t.Errorf("%s: groups (-want +got):\n%s", test.name, diff)
		}
		got, n := s.merge(samples), len(samples)
		if got.Text != test.text || math.Abs(*got.Confidence-test.beta) > 1e-15 || got.NoLogprobs {
			t.Errorf("%s: %q with %v, want %q with %v", test.name, got.Text, *got.Confidence, test.text, test.beta)
		}
		prompt, _ := got.Usage.Prompt.Known()
		if completion, _ := got.Usage.Completion.Known(); prompt != 10*n || completion != n*(n-1)/2 ||
			got.Latency != time.Duration(n)*time.Second {
			t.Errorf("%s: usage %+v in %v of %d samples", test.name, got.Usage, got.Latency, n)
		}
	}
}

// One sample that is missing leaves no answer; its key is told.
func TestGivenNeedsEverySample(t *testing.T) {
	s, err := sheet(t, "colours", map[string]string{"item": "1"})
	if err != nil {
		t.Fatal(err)
	}
	requests := s.Requests(0, backends.ModelID{}, fiveSamples)
	stored := map[backends.Key]backends.Answer{}
	for _, r := range requests {
		stored[r.Key()] = backends.Answer{Text: " blue", Labels: backends.Named(r.Labels, 1), NoLogprobs: true}
	}
	get := func(k backends.Key) (backends.Answer, bool, error) { a, ok := stored[k]; return a, ok, nil }
	whole, err := s.Given(0, backends.ModelID{}, fiveSamples, get)
	if err != nil || whole.Lacks != nil || whole.Text != " blue" || *whole.Confidence != 1 || len(whole.Samples) != 5 {
		t.Errorf("%+v, %v", whole, err)
	}
	delete(stored, requests[3].Key())
	part, err := s.Given(0, backends.ModelID{}, fiveSamples, get)
	if err != nil || part.Lacks == nil || *part.Lacks != requests[3].Key() || part.Text != "" || part.Samples != nil ||
		part.Key != whole.Key {
		t.Errorf("%+v, %v", part, err)
	}
}
