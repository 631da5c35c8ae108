package spec_test

import (
	"strings"
	"testing"

	"infnet/harness/baseline"
	"infnet/harness/router"
	"infnet/harness/spec"
)

// A model that is fine-tuned is none of those that are asked.
func TestEncodersAreNotAsked(t *testing.T) {
	text := `
study = "learned"
[[models]]
name = "student"
backend = "local"
path = "../files/student"
[[models]]
name = "master"
backend = "local"
path = "../files/master"
[[models]]
name = "distilbert"
backend = "local"
path = "../files/student"
[[datasets]]
name = "reviews"
source = "builtin:reviews"
[[cascades]]
models = ["student", "master"]
[[baselines]]
kind = "hybridllm"
delta = 0.02
delta_kind = "relative"
compat = "released"
[[baselines]]
kind = "frugalgpt"
learner = "encoder"
encoder = "distilbert"
[[baselines]]
kind = "frugalgpt"
learner = "gbdt"
`
	load := func(text string) *spec.Study {
		s, err := spec.LoadFS(files(text), "valid/s.toml", options())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := load(text)
	if len(s.Models) != 2 || len(s.Encoders) != 1 || s.Encoders[0].Name != "distilbert" || len(s.Warnings) != 0 {
		t.Errorf("models %v, encoders %v, warnings %v", s.Models, s.Encoders, s.Warnings)
	}
	if m, ok := s.Encoder("distilbert"); !ok || m.Path != "../files/student" {
		t.Errorf("the encoder is %v, %v", m, ok)
	}
	var got []spec.Baseline
	for _, b := range s.Baselines {
		if b.Kind.Learns() {
			got = append(got, b)
		}
	}
	want := []spec.Baseline{
		{Kind: baseline.FrugalGPT, Learner: router.Encoder, Encoder: "distilbert"},
		{Kind: baseline.FrugalGPT, Learner: router.GBDT},
		{Kind: baseline.HybridLLM, Learner: router.Light, Delta: 0.02, Relative: true, Released: true},
	}
	if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("%+v", got)
	}
	if !s.Embeds() {
		t.Error("boosted trees look at embeddings")
	}
	if other := load(strings.Replace(text, "name = \"distilbert\"\nbackend = \"local\"",
		"name = \"distilbert\"\nid = \"else\"\nbackend = \"local\"", 1)); other.Hash == s.Hash {
		t.Error("another encoder, and the hash is the same")
	}
}
