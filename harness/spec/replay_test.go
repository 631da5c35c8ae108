package spec_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/harness/dataset"
	"infnet/harness/spec"
)

const replayed = `study = "replayed"
cost = { model = "fixed" }
[[models]]
name           = "student"
answers        = "${HERE}/a.jsonl"
columns        = { id = "key", text = "out.text", confidence = "beta" }
fixed_cost     = 1
[[models]]
name           = "master"
backend        = "replay"
answers        = "samples.jsonl"
fixed_cost     = 10
[[datasets]]
name      = "questions"
source    = "file:q.jsonl"
task      = "qa"
reference = "answer"
prompt    = "{question}"
[[cascades]]
models = ["student", "master"]
`

func TestReplayedModels(t *testing.T) {
	load := func(text, here string) *spec.Study {
		t.Helper()
		o := options()
		o.Getenv = func(name string) (string, bool) { return here, name == "HERE" }
		s, err := spec.LoadFS(fstest.MapFS{
			"s.toml": {Data: []byte(text)}, "x/a.jsonl": {}, "y/a.jsonl": {}, "samples.jsonl": {},
			"q.jsonl": {Data: []byte("{}")},
		}, "s.toml", o)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := load(replayed, "x")
	want := []*spec.Recording{
		{Text: "${HERE}/a.jsonl", File: "x/a.jsonl",
			Columns: dataset.AnswerColumns{ID: "key", Text: "out.text", Confidence: "beta"}},
		{Text: "samples.jsonl", File: "samples.jsonl"},
	}
	for i, m := range s.Models {
		if diff := cmp.Diff(want[i], m.Recording, written); diff != "" || m.Config.Model.Kind != backends.Replay {
			t.Errorf("%s, backend %s (-want +got)\n%s", m.Name, m.Config.Model.Kind, diff)
		}
	}
	// Where the file lies is not what the study says; what its columns mean is.
	if load(replayed, "y").Hash != s.Hash {
		t.Error("the hash depends on where the answers lie")
	}
	if load(strings.Replace(replayed, `"beta"`, `"sure"`, 1), "x").Hash == s.Hash {
		t.Error("the hash does not see the columns")
	}
}
