package local

import (
	"math"
	"reflect"
	"testing"

	"infnet/backends"
)

// A sample is the same alone and in any batch. First tokens come as often as their probabilities at temperature 1 say,
// which are kept; and at next to no temperature the answer is the greedy one.
func TestSamples(t *testing.T) {
	m := load(t, "testdata/tiny", 2)
	const n = 2000
	r := backends.Request{Mode: backends.Raw, Prompt: "the film is", MaxTokens: 3, TopLogprobs: 1,
		Sampling: backends.Sampling{Temperature: 1}}
	var reqs []backends.Request
	for seed := range uint64(n) {
		r.Seed = seed + 1
		reqs = append(reqs, r)
	}
	came := map[float64]int{}
	for i, a := range ask(t, m, reqs...) {
		came[a.Tokens[0].Logprob]++
		if i >= 20 {
			continue
		}
		if alone := ask(t, m, reqs[i])[0]; alone.Text != a.Text || alone.Tokens[0].Logprob != a.Tokens[0].Logprob {
			t.Errorf("sample %d: %q alone, %q among others", i, alone.Text, a.Text)
		}
	}
	if len(came) < 2 {
		t.Errorf("%d samples begin in %d ways", n, len(came))
	}
	for lp, times := range came {
		// four standard deviations, and one for the rare ones
		if p := math.Exp(lp); math.Abs(float64(times)-n*p) > 1+4*math.Sqrt(n*p*(1-p)) {
			t.Errorf("a token of probability %v came %d times in %d", p, times, n)
		}
	}
	greedy, cold := r, r
	greedy.Sampling, greedy.Seed, cold.Sampling.Temperature = backends.Sampling{}, 0, 1e-9
	if a, b := ask(t, m, greedy)[0], ask(t, m, cold)[0]; a.Text != b.Text || a.Tokens[0].Logprob != b.Tokens[0].Logprob {
		t.Errorf("without temperature %q, with next to none %q", a.Text, b.Text)
	}
}

// A cache that grows from next to no room changes no bit, alone and among others, and doubles up to what may be needed.
func TestCachesGrow(t *testing.T) {
	for _, folder := range []string{"testdata/tiny", "testdata/mixed"} {
		wide, narrow := load(t, folder, 2), load(t, folder, 2)
		narrow.room = 1
		var reqs []backends.Request
		for seed := range uint64(6) {
			reqs = append(reqs, backends.Request{Mode: backends.Raw, Prompt: "the film is", MaxTokens: 20 + 9*int(seed),
				Seed: seed + 1, Sampling: backends.Sampling{Temperature: 3}})
		}
		longest := 0
		want := ask(t, wide, reqs...)
		for i, got := range append(ask(t, narrow, reqs...), ask(t, narrow, reqs[5])...) {
			longest = max(longest, len(got.Tokens))
			if i = min(i, 5); got.Text != want[i].Text || !reflect.DeepEqual(got.Tokens, want[i].Tokens) {
				t.Errorf("%s, answer %d: %q, want %q", folder, i, got.Text, want[i].Text)
			}
		}
		if longest < 40 {
			t.Errorf("%s: the longest answer has %d tokens, too few for a cache to grow often", folder, longest)
		}
	}
	j := job{request: &backends.Request{MaxTokens: 131072}, tokens: make([]int32, 5), room: 6}
	net := load(t, "testdata/tiny", 1).net
	j.cache = net.NewCache(6)
	for n, want := range map[int]int{5: 6, 6: 12} {
		j.room = 6
		if j.grow(net, n); j.room != want {
			t.Errorf("room for %d, want %d of at most 131077", j.room, want)
		}
	}
}

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
