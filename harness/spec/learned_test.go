package spec_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/baseline"
	"infnet/harness/router"
	"infnet/harness/spec"
)

// A program that learns is named with its words, and they are a part of the study.
func TestLearners(t *testing.T) {
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
[[datasets]]
name = "reviews"
source = "builtin:reviews"
[[cascades]]
models = ["student", "master"]
[[baselines]]
kind = "hybridllm"
delta = 0.02
compat = "released"
[[baselines]]
kind = "frugalgpt"
learner = "command"
command = ["python3", "../distilbert.py", "--epochs=3"]
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
	if r := s.Reach(); len(r.Programs) != 1 || !strings.HasPrefix(r.Programs[0], "python3 ../distilbert.py --epochs=3 (") {
		t.Errorf("programs %q", r.Programs)
	}
	var got []spec.Baseline
	for _, b := range s.Baselines {
		if b.Kind.Learns() {
			got = append(got, b)
		}
	}
	want := []spec.Baseline{
		{Kind: baseline.FrugalGPT, Learner: router.Command,
			Command: []string{"python3", "../distilbert.py", "--epochs=3"}},
		{Kind: baseline.FrugalGPT, Learner: router.GBDT},
		{Kind: baseline.HybridLLM, Learner: router.Light, Delta: 0.02, Released: true},
	}
	if diff := cmp.Diff(want, got); diff != "" || got[0].Program() != "distilbert" {
		t.Errorf("%q (-want +got):\n%s", got[0].Program(), diff)
	}
	if !s.Embeds() {
		t.Error("boosted trees look at embeddings")
	}
	if other := load(strings.Replace(text, "epochs=3", "epochs=4", 1)); other.Hash == s.Hash {
		t.Error("another command, and the hash is the same")
	}
}
