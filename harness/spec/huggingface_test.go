package spec_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

const endpoints = `study = "endpoints"

[[models]]
name = "student"
id = "acme/bart-mnli"
revision = "c0ffee"
backend = "zero"
fixed_cost = 1

[[models]]
name = "master"
backend = "zero"
revision = "1"
fixed_cost = 2

[[datasets]]
name = "reviews"
source = "builtin:reviews"

[[cascades]]
models = ["student", "master"]

[cost]
model = "fixed"

[backends.zero]
kind = "huggingface"
task = "zero-shot-classification"
urls_of = { student = ["https://a.example/small/"], master = ["https://a.example/large"] }
`

// Every key of an endpoint's table arrives, and its settings are in the
// revisions of its models.
func TestEndpoints(t *testing.T) {
	s := loadServed(t, endpoints)
	want := &backends.HuggingFaceConfig{

		Access: backends.Access{URLs: []string{"https://a.example/small"}, Timeout: 5 * time.Minute,
			Concurrency: 16},
		HuggingFaceOptions: backends.HuggingFaceOptions{Task: backends.ZeroShot},
	}
	if diff := cmp.Diff(want, s.Models[0].Config.Settings.(*backends.HuggingFaceConfig)); diff != "" {
		t.Errorf("defaults (-want +got):\n%s", diff)
	}
	plain := s.Models[0].Config.Model
	if id := (backends.ModelID{ID: "acme/bart-mnli", Revision: want.Revision("c0ffee"),
		Kind: backends.HuggingFace}); plain != id {
		t.Errorf("model %+v, want %+v", plain, id)
	}
	if got := s.Models[1].Config.Settings.(*backends.HuggingFaceConfig).URLs[0]; got != "https://a.example/large" ||
		len(s.Warnings) != 0 {
		t.Errorf("the master is at %s; warnings %v", got, s.Warnings)
	}

	s = loadServed(t, endpoints+"hypothesis = \"It is {}.\"\ntext = \"Review: \"\nend = \"\\nSentiment:\"\napi_key_env "+
		"= \"HF_KEY\"\ntimeout = \"9s\"\nconcurrency = 2\n")
	want = &backends.HuggingFaceConfig{
		Access: backends.Access{URLs: []string{"https://a.example/small"}, APIKeyEnv: "HF_KEY", Timeout: 9 * time.Second,
			Concurrency: 2}, HuggingFaceOptions: backends.HuggingFaceOptions{
			Task: backends.ZeroShot, Hypothesis: "It is {}.", Text: "Review: ", End: "\nSentiment:"},
	}
	if diff := cmp.Diff(want, s.Models[0].Config.Settings.(*backends.HuggingFaceConfig)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if s.Models[0].Config.Model.Revision == plain.Revision {
		t.Error("other settings, the same revision")
	}
}
