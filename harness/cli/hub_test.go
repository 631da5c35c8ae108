package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/harness/dataset/hub"
	"infnet/harness/fault"
	"infnet/harness/result"
)

// A study of which both the rows and the weights come from the hub: checked
// and planned without it, run with it, and run again without it, to the byte.
func TestStudyFromTheHub(t *testing.T) {
	h := serveHub(t)
	quiet := func(what string) {
		t.Helper()
		if calls := h.takeCalls(); len(calls) > 0 {
			t.Errorf("%s asks the hub: %q", what, calls)
		}
		if _, err := os.Stat("cache"); err == nil {
			t.Errorf("%s writes the cache", what)
		}
	}
	out, _ := infnet(t, ExitOK, "check", "study.toml")
	wantIn(t, "check says", out,
		"ok: 2 models, 1 datasets, 1 cascades; on the hub, and not looked at: model small, dataset phrases")
	quiet("check")
	out, _ = infnet(t, ExitOK, "plan", "study.toml", "--show", "1")
	wantIn(t, "the plan", out, "A run downloads first", "model small", "hf:acme/tiny", "dataset phrases",
		"hf:acme/phrases/sst2:train", "not in the total")
	if strings.Contains(out, "Nothing to ask") {
		t.Errorf("the plan of what is not known says there is nothing to do:\n%s", out)
	}
	quiet("plan")
	for _, args := range [][]string{{"run", "study.toml", "--offline"}, {"collect", "study.toml", "--offline"}} {
		if _, errOut := infnet(t, ExitOffline, args...); !strings.Contains(errOut, "not in the cache") ||
			!strings.Contains(errOut, "--offline is set: run once without it") {
			t.Errorf("%q says %q", args, errOut)
		}
		quiet(args[0] + " --offline")
	}
	if _, errOut := infnet(t, ExitOffline, "analyze", "study.toml"); !strings.Contains(errOut,
		"only infnet run and infnet collect download") {
		t.Errorf("analyze says %q", errOut)
	}
	quiet("analyze")

	_, errOut := infnet(t, ExitOK, "run", "study.toml")
	calls := h.takeCalls()
	if slices.ContainsFunc(calls, func(c string) bool { return strings.HasSuffix(c, "0001.parquet") }) {
		t.Errorf("50 rows in order are in the first file of 60, and the second is fetched: %q", calls)
	}
	for _, want := range []string{"hf:acme/phrases/sst2:train@" + rowsCommit, "hf:acme/tiny@" + weightsCommit,
		"0000.parquet (1 of 2)", "model.safetensors"} {
		if !strings.Contains(errOut, want) {
			t.Errorf("the screen does not show %s:\n%s", want, errOut)
		}
	}
	r := must(result.Read("runs/hub/results.json"))
	d := r.Cascades[0].Datasets[0]
	if d.Source != "hf:acme/phrases/sst2:train" || d.Revision != rowsCommit || d.Counts.Records != 50 {
		t.Errorf("source %q, revision %q, %d records", d.Source, d.Revision, d.Counts.Records)
	}
	if m := r.Models[0]; m.ID != "acme/tiny" || m.Revision != weightsCommit {
		t.Errorf("model %+v", m)
	}
	tables := must(os.ReadFile("runs/hub/tables/data.md"))
	if want := "hf:acme/phrases/sst2:train, revision " + rowsCommit; !strings.Contains(string(tables), want) {
		t.Errorf("the tables do not say %q:\n%s", want, tables)
	}

	first := must(checksums("runs/hub"))
	for _, args := range [][]string{{"run", "study.toml", "--offline", "--out", "again"},
		{"analyze", "study.toml", "--out", "again"}} {
		infnet(t, ExitOK, args...)
		second := must(checksums("again"))
		if diff := cmp.Diff(first, second); diff != "" {
			t.Errorf("%q (-online +offline):\n%s", args, diff)
		}
		os.RemoveAll("again")
	}
	wantIn(t, "the plan of what is all there", outOf(infnet(t, ExitOK, "plan", "study.toml")), "Nothing to ask")
	if calls := h.takeCalls(); len(calls) > 0 {
		t.Errorf("from the cache, and the hub is asked: %q", calls)
	}
}

// Answers are kept under the reference with its commit: a longer study of the
// same rows asks for the others alone.
func TestRowsOfTheHubShareTheirAnswers(t *testing.T) {
	h := serveHub(t)
	infnet(t, ExitOK, "collect", "study.toml", "--limit", "30", "--quiet")
	h.takeCalls()
	replaceIn(t, "study.toml", "limit = 100", "limit = 50")
	replaceIn(t, "study.toml", "hf:acme/phrases/sst2:train@"+rowsCommit, "hf:acme/phrases/sst2:train")
	infnet(t, ExitOffline, "run", "study.toml", "--offline") // the second file is not here
	wantIn(t, "the plan does not say that a file is missing", outOf(infnet(t, ExitOK, "plan", "study.toml")),
		"dataset phrases")
	out, _ := infnet(t, ExitOK, "collect", "study.toml", "--quiet")
	if !strings.Contains(out, "140 answers collected") { // of two models to the rows 31 to 100
		t.Errorf("collect says %q", out)
	}
	if calls := h.takeCalls(); !slices.ContainsFunc(calls,
		func(c string) bool { return strings.HasSuffix(c, "0001.parquet") }) ||
		slices.ContainsFunc(calls, func(c string) bool { return strings.HasSuffix(c, "0000.parquet") }) {
		t.Errorf("of the two files only the second is missing: %q", calls)
	}
}

// What can go wrong says what to do, has its exit code, and never the token.
func TestTroubleWithTheHub(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, h *fakeHub)
		code   int
		want   string
	}{
		{"gated weights", func(_ *testing.T, h *fakeHub) { h.token = "another" }, ExitModel,
			"model small: hf:acme/tiny is gated.*accept the conditions"},
		{"gated rows", func(t *testing.T, h *fakeHub) {
			h.token = "another"
			replaceIn(t, "study.toml", "backend = \"simulated\"\nsimulated = { alpha = 2, beta = 1, intercept = 0.2 }",
				"backend = \"local\"\npath    = \"hf:acme/tiny\"")
		}, ExitData, "dataset phrases: hf:acme/phrases/sst2:train is gated"},
		{"no such model", func(t *testing.T, _ *fakeHub) { replaceIn(t, "study.toml", "hf:acme/small", "hf:acme/tiny") },
			ExitModel, "the hub has no model acme/small that it would show"},
		{"no such dataset", func(t *testing.T, _ *fakeHub) {
			replaceIn(t, "study.toml", "hf:acme/nothing",
				"hf:acme/phrases")
		}, ExitData, "the hub has no dataset acme/nothing"},
		{"no such split", func(t *testing.T, _ *fakeHub) { replaceIn(t, "study.toml", "sst2:test", "sst2:train") }, ExitData,
			"there is no split \"test\": there is train"},
		{"no such revision", func(t *testing.T, _ *fakeHub) { replaceIn(t, "study.toml", "sst2:train@v9", "sst2:train") },
			ExitData, "there is no revision \"v9\""},
		{"no such column", func(t *testing.T, _ *fakeHub) { replaceIn(t, "study.toml", "\"sentense\"", "\"sentence\"") },
			ExitData, "no column \"sentense\".*did you mean \"sentence\"?"},
		{"wrong endpoint", func(t *testing.T, _ *fakeHub) { t.Setenv("HF_ENDPOINT", "hub.example") }, ExitModel,
			"set HF_ENDPOINT"},
		{"offline by the hub's variable", func(t *testing.T, _ *fakeHub) { t.Setenv("HF_HUB_OFFLINE", "1") }, ExitOffline,
			"HF_HUB_OFFLINE is set: run once without it"},
		{"a cache that cannot be written", func(t *testing.T, _ *fakeHub) {
			if os.Getuid() == 0 {
				t.Skip("root may write everywhere: run as another user to try it")
			}
			if err := os.Mkdir("cache", 0o555); err != nil {
				t.Fatal(err)
			}
		}, ExitStore, "cannot be written: set HF_HOME"},
		{"damaged weights", func(_ *testing.T, h *fakeHub) {
			h.repos["models/acme/tiny"].files["model.safetensors"] = []byte("no weights")
		}, ExitModel, "model folder hf:acme/tiny.*is the download complete"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := serveHub(t)
			tt.change(t, h)
			_, errOut := infnet(t, tt.code, "run", "study.toml", "--quiet")
			for part := range strings.SplitSeq(tt.want, ".*") {
				if !strings.Contains(errOut, part) {
					t.Errorf("%q is not in: %s", part, errOut)
				}
			}
			if _, err := os.Stat(filepath.Join("runs", "hub")); err == nil {
				t.Error("results of a study that could not be read")
			}
		})
	}
}

func TestExitCodeOfAnUnusableCache(t *testing.T) {
	if got := code(fault.Data.Wrap(fmt.Errorf("dataset a: %w", &hub.CacheError{}))); got != ExitStore {
		t.Errorf("exit code %d, want %d: the disk is full, the data are fine", got, ExitStore)
	}
}
