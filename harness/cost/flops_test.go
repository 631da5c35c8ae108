package cost_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infnet/backends"
	"infnet/harness/cost"
)

func gemma(d, n, heads, headDim, kv, f, vocabulary, window int) backends.Shape {
	return backends.Shape{Hidden: d, Layers: n, Heads: heads, HeadDim: headDim, KVHeads: kv, FeedForward: f,
		Vocabulary: vocabulary, Window: window, GlobalEvery: 6, Gated: true}
}

var (
	gemma1B  = gemma(1152, 26, 4, 256, 1, 6912, 262144, 512)
	gemma4B  = gemma(2560, 34, 8, 256, 4, 10240, 262208, 1024)
	gemma12B = gemma(3840, 48, 16, 256, 8, 15360, 262208, 1024)
	gemma27B = gemma(5376, 62, 32, 128, 16, 21504, 262208, 1024)
	qwen4B   = backends.Shape{Hidden: 2560, Layers: 36, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9728,
		Vocabulary: 151936, Gated: true}
	ministral = backends.Shape{Hidden: 3072, Layers: 26, Heads: 32, HeadDim: 128, KVHeads: 8, FeedForward: 9216,
		Vocabulary: 131072, Gated: true}
	distil = backends.Shape{Hidden: 768, Layers: 6, Heads: 12, HeadDim: 64, KVHeads: 12, FeedForward: 3072,
		Bidirectional: true}
)

// byHand adds up one token, layer and key at a time.
func byHand(s backends.Shape, prompt, completion int) float64 {
	d, query, key := s.Hidden, s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	mlp := 2
	if s.Gated {
		mlp = 3
	}
	total, tokens := 0, prompt+max(0, completion-1)
	if s.Bidirectional {
		tokens = prompt
	}
	for layer := 1; layer <= s.Layers; layer++ {
		global := s.Window == 0 || s.GlobalEvery <= 1 || layer%s.GlobalEvery == 0
		for p := range tokens {
			keys := p + 1
			if s.Bidirectional {
				keys = tokens
			} else if !global {
				keys = min(keys, s.Window)
			}
			total += 2*d*query + 2*d*key + 2*d*key + 2*query*d + mlp*2*d*s.FeedForward + 2*2*query*keys
		}
	}
	return float64(total + completion*2*d*s.Vocabulary)
}

func TestFLOPsAgainstALoopOverTokensAndLayers(t *testing.T) {
	small := rapid.IntRange(1, 9)
	rapid.Check(t, func(t *rapid.T) {
		s := backends.Shape{
			Hidden: small.Draw(t, "d"), Layers: rapid.IntRange(1, 20).Draw(t, "n"), Heads: small.Draw(t,
				"H"), HeadDim: small.Draw(t, "h"),
			KVHeads: small.Draw(t, "G"), FeedForward: small.Draw(t, "f"), Vocabulary: small.Draw(t, "V"),
			Window: rapid.IntRange(0, 20).Draw(t, "window"), GlobalEvery: rapid.IntRange(0, 7).Draw(t, "every"),
			Gated: rapid.Bool().Draw(t, "gated"), Bidirectional: rapid.Bool().Draw(t, "bidirectional"),
		}
		prompt, completion := rapid.IntRange(1, 50).Draw(t, "in"), rapid.IntRange(0, 10).Draw(t, "out")
		got, err := cost.FLOPs(s, prompt, completion)
		if err != nil || got != byHand(s, prompt, completion) {
			t.Fatalf("%v, %v; want %v", got, err, byHand(s, prompt, completion))
		}
	})
}

func TestFLOPsRefuse(t *testing.T) {
	noHead := gemma1B
	noHead.Vocabulary = 0
	negative := gemma1B
	negative.Window = -1
	for _, c := range []struct {
		name               string
		shape              backends.Shape
		prompt, completion int
		says               string
	}{
		{name: "unknown shape", prompt: 10, completion: 1, says: "hidden is 0"},
		{name: "decoder without a head", shape: noHead, prompt: 10, completion: 1, says: "vocabulary is 0"},
		{name: "negative window", shape: negative, prompt: 10, completion: 1, says: "window (-1)"},
		{name: "no tokens", shape: gemma1B, says: "not both zero"},
		{name: "negative tokens", shape: gemma1B, prompt: -1, completion: 5, says: "non-negative"},
	} {
		if _, err := cost.FLOPs(c.shape, c.prompt, c.completion); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want an error that says %q", c.name, err, c.says)
		}
	}
}
