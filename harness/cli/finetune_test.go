package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An encoder of the hub: away for a plan, downloaded by a run, priced after it.
func TestEncoderFromTheHub(t *testing.T) {
	files := map[string][]byte{}
	for _, name := range []string{"config.json", "vocab.txt", "model.safetensors"} {
		b, err := os.ReadFile(filepath.Join(root, "harness/finetune/testdata/bert", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = b
	}
	h := serveHub(t)
	h.repos["models/acme/bert"] = fakeRepo{revision: "main", commit: weightsCommit, files: files}
	writeHubStudy(t, strings.ReplaceAll(hubStudy, "limit = 50", "limit = 12")+`
[[models]]
name    = "bert"
backend = "local"
path    = "hf:acme/bert"

[[baselines]]
kind    = "hybridllm"
learner = "encoder"
encoder = "bert"
`)
	out, _ := infnet(t, ExitOK, "plan", "study.toml")
	if !strings.Contains(out, "hf:acme/bert") || strings.Contains(out, "FINE-TUNING") {
		t.Errorf("the plan says\n%s", out)
	}
	if _, errOut := infnet(t, ExitOffline, "analyze", "study.toml"); !strings.Contains(errOut,
		"only infnet run and infnet collect download") {
		t.Errorf("analyze says %s", errOut)
	}
	bert := h.repos["models/acme/bert"]
	delete(h.repos, "models/acme/bert")
	if _, errOut := infnet(t, ExitModel, "run", "study.toml"); !strings.Contains(errOut, `encoder "bert": hf:acme/bert`) {
		t.Errorf("a run without the encoder says %s", errOut)
	}
	h.repos["models/acme/bert"] = bert
	infnet(t, ExitOK, "run", "study.toml")
	h.takeCalls()
	out, _ = infnet(t, ExitOK, "plan", "study.toml")
	if !strings.Contains(out, "hybridllm, bert") {
		t.Errorf("after a run the plan says\n%s", out)
	}
	infnet(t, ExitOK, "analyze", "study.toml")
	if calls := h.takeCalls(); len(calls) > 0 {
		t.Errorf("asked again: %q", calls)
	}
}
