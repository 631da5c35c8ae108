package spec_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/spec"
)

// What a study may do is listed: programs, files outside its folder, and which variables go to which hosts; a
// study that stays in its folder and in this process does nothing of the kind.
func TestReach(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"study/in.csv": "text,label\na,x\n", "out.csv": "text,label\na,x\n",
		"study/study.toml": `
study = "s"
datasets = [
  { name = "in", source = "file:in.csv", task = "classification", labels = ["x", "y"], prompt = "{text}:" },
  { name = "out", source = "file:../out.csv", task = "classification", labels = ["x", "y"], prompt = "{text}:" },
]
models = [
  { name = "a", backend = "here", id = "acme/a", revision = "1" },
  { name = "b", backend = "own", id = "acme/b", revision = "1" },
  { name = "c", backend = "there", id = "acme/c", revision = "1" },
]
cascades = [ { models = ["a", "b", "c"] } ]
cost = { model = "tokens" }
[backends.here]
kind = "openai"
urls = ["http://127.0.0.1:8000/v1", "http://gpu1:8000/v1"]
[backends.own]
kind = "openai"
launch = { command = ["serve", "{model}", "--port", "{port}"], gpus = 0 }
[backends.there]
kind = "openai"
urls = ["https://api.example.org/v1"]
api_key_env = "THEIR_KEY"
headers_env = { "X-Team" = "THEIR_TEAM" }
[slurm]
setup = ["module load cuda"]
`} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := spec.Load(filepath.Join(dir, "study", "study.toml"), options())
	if err != nil {
		t.Fatal(err)
	}
	want := spec.Reach{
		Programs: []string{"module load cuda (slurm.setup, on every node that infnet slurm submit uses)",
			"serve {model} --port {port} (serves b)"},
		Files: []string{filepath.Join(dir, "out.csv")},
		Sends: []spec.Sent{{Host: "http://127.0.0.1:8000"}, {Host: "http://gpu1:8000"},
			{Host: "https://api.example.org", Variables: []string{"THEIR_KEY", "THEIR_TEAM"}}},
	}
	if diff := cmp.Diff(want, s.Reach()); diff != "" {
		t.Errorf("reach (-want +got):\n%s", diff)
	}
}
