package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"infnet/harness/finetune"
	learn "infnet/harness/router"
)

// Fine-tuning for hours is begun only when asked for.
func TestLongTrainingWantsYes(t *testing.T) {
	l, err := finetune.Open(finetune.Options{Name: "tiny-bert", Folder: os.DirFS("../finetune/testdata/bert")})
	if err != nil {
		t.Fatal(err)
	}
	task := learn.Task{Samples: []learn.Sample{{ID: "a"}, {ID: "b"}}, Labels: []float64{0, 1}, Threads: 1}
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // training that begins ends at once
	for _, tt := range []struct {
		name   string
		sum    time.Duration
		yes    bool
		begins bool
	}{
		{name: "an hour", sum: time.Hour, begins: true},
		{name: "more", sum: 90 * time.Minute},
		{name: "more, asked for", sum: 90 * time.Minute, yes: true, begins: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := tuned{l, &tuners{sum: &tt.sum, yes: tt.yes}}.Fit(ctx, task)
			if begun := errors.Is(err, context.Canceled); begun != tt.begins {
				t.Fatalf("begun: %v, %v", begun, err)
			}
			if !tt.begins && (code(err) != ExitBudget || !strings.Contains(err.Error(), "1.5 hours") || !strings.Contains(err.Error(), "--yes")) {
				t.Errorf("exit code %d: %v", code(err), err)
			}
		})
	}
}

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
	if _, errOut := infnet(t, ExitOffline, "analyze", "study.toml"); !strings.Contains(errOut, "only infnet run and infnet collect download") {
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
