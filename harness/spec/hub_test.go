package spec_test

import (
	"strings"
	"testing"

	"infnet/harness/spec"
)

// References are read, and neither looked up nor looked for on the disk.
func TestHubReferences(t *testing.T) {
	t.Setenv("HF_ENDPOINT", "http://127.0.0.1:1") // nobody is there
	text := strings.NewReplacer(`"../files/student"`, `"hf:google/gemma-3-270m-it"`, `"../files/master"`,
		`"hf:google/gemma-3-1b-it@v1"`+"\nid = \"mine\"", `"builtin:reviews"`, `"hf:nyu-mll/glue/sst2:train@main"
task = "classification"
labels = ["negative", "positive"]
prompt = "Review: {sentence}\nSentiment:"`).Replace(small(t, ""))
	s := loaded(t, text)
	if got, want := s.Datasets[0].Source, (spec.Source{Scheme: spec.Hub, Name: "hf:nyu-mll/glue/sst2:train@main",
		Text: "hf:nyu-mll/glue/sst2:train@main"}); got != want {
		t.Errorf("source %+v, want %+v", got, want)
	}
	for i, want := range []struct{ id, hub, path string }{
		{"google/gemma-3-270m-it", "hf:google/gemma-3-270m-it", ""},
		{"mine", "hf:google/gemma-3-1b-it@v1", ""},
	} {
		m := s.Models[i]
		if m.Config.Model.ID != want.id || m.Hub != want.hub || m.Config.Folder() != want.path ||
			m.Config.Model.Revision != "" {
			t.Errorf("%s: id %q, revision %q, reference %q, path %q; want %+v", m.Name, m.Config.Model.ID,
				m.Config.Model.Revision, m.Hub, m.Config.Folder(), want)
		}
	}
	for _, change := range []string{"sst2:train", "gemma-3-1b-it@v1"} {
		if other := loaded(t, strings.Replace(text, change, change+"x", 1)); other.Hash == s.Hash {
			t.Errorf("the study's hash does not depend on the reference %s", change)
		}
	}
}
