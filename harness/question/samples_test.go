package question

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/backends/simulated"
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

// A sample that names no class has no vote, and counts below; where none names one there is no answer. By hand.
func TestVotesForClasses(t *testing.T) {
	s, err := sheet(t, "colours", map[string]string{"item": "1"})
	if err != nil {
		t.Fatal(err)
	}
	samples := texts("who knows", " blue", " red", "red or blue", " blue")
	for k, at := range map[int]int{1: slices.Index(s.labels, " blue"), 2: slices.Index(s.labels, " red"),
		4: slices.Index(s.labels, " blue")} {
		samples[k].Labels = backends.Named(s.labels, at)
	}
	if diff := cmp.Diff([][]int{{1, 4}, {2}}, s.Votes(samples)); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if got := s.merge(samples); got.Text != " blue" || *got.Confidence != 0.4 || s.Lacking(got) != "" ||
		got.Usage.Completion != backends.Counted(10) {
		t.Errorf("%+v, want blue with 2/5, for 10 tokens", got)
	}
	if got := s.merge([]backends.Answer{samples[0], samples[3]}); s.Lacking(got) != backends.NoLabel {
		t.Errorf("where no sample names a class: %+v", got)
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

// Where the truth is known: every sample of two classes is right with probability 0.7, independently. Of five, j are
// right with the binomial probability, and the majority of a share of j/5 is right with
//
//	0.7^j 0.3^(5−j) / (0.7^j 0.3^(5−j) + 0.3^j 0.7^(5−j)): 0.7 for 3/5, 0.343/0.370 for 4/5, 0.16807/0.17050 for 5/5
//
// and altogether with Σ_{j ≥ 3} C(5, j) 0.7^j 0.3^(5−j) = 0.83692.
func TestVotesWhereTheTruthIsKnown(t *testing.T) {
	const n = 6000
	s, err := sheet(t, "colours", map[string]string{"item": "1"})
	if err != nil {
		t.Fatal(err)
	}
	id := backends.ModelID{ID: "m", Revision: "1", Kind: backends.Simulated}
	m, err := simulated.Open(backends.Config{Model: id,
		Settings: &backends.SimulatedConfig{Alpha: 2, Beta: 1, Intercept: 0.3, Seed: 5}})
	if err != nil {
		t.Fatal(err)
	}
	model := *fiveSamples
	model.Samples = &spec.Samples{N: 5, Sampling: backends.Sampling{Temperature: 1}}
	requests := s.Requests(0, id, &model)
	var count, right [6]float64
	for i := range n {
		for k := range requests {
			requests[k].Prompt = fmt.Sprintf("%d: %s", i, s.labels[i%2])
		}
		samples, err := m.Answer(t.Context(), requests)
		if err != nil || slices.ContainsFunc(samples, func(a backends.Answer) bool { return a.Failure != nil }) {
			t.Fatal(err, samples)
		}
		a := s.merge(samples)
		j := int(math.Round(5 * *a.Confidence))
		if count[j]++; s.Named(a) == i%2 {
			right[j]++
		}
	}
	near := func(what string, got, of, want float64) {
		if d := math.Abs(got/of - want); !(d <= 4*math.Sqrt(want*(1-want)/of)) { // four standard deviations
			t.Errorf("%s: %v of %v, want a share of %v", what, got, of, want)
		}
	}
	near("right", right[3]+right[4]+right[5], n, 0.83692)
	near("a share of 3/5", count[3], n, 10*(0.03087+0.01323)) // C(5,3) (0.7³ 0.3² + 0.3³ 0.7²)
	for j, want := range map[int]float64{3: 0.7, 4: 0.343 / 0.370, 5: 0.16807 / 0.17050} {
		near(fmt.Sprintf("right at %d/5", j), right[j], count[j], want)
	}
}
