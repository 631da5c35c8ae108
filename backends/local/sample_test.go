package local

import (
	"math"
	"testing"

	"infnet/backends"
)

// Sampled labels come as often as the model's probabilities of them say.
func TestSampledLabels(t *testing.T) {
	m := load(t, "testdata/tiny", 2)
	const n = 4000
	var reqs []backends.Request
	for seed := range uint64(n) {
		reqs = append(reqs, backends.Request{Mode: backends.Raw, Prompt: "the film is", Labels: colours[:3], Seed: seed + 1,
			Sampling: backends.Sampling{Temperature: 1}})
	}
	said := map[string]int{}
	answers := ask(t, m, reqs...)
	for _, a := range answers {
		said[a.Text]++
	}
	for i, l := range answers[0].Labels {
		p := math.Exp(l.Logprob)
		if got := float64(said[colours[i]]) / n; math.Abs(got-p) > 4*math.Sqrt(p*(1-p)/n) {
			t.Errorf("label %q: a share of %v, want %v", colours[i], got, p)
		}
	}
}
