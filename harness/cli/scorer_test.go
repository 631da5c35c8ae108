package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/bart"
	"infnet/harness/result"
)

// A study with a scorer, from first call to last table: BARTScore is collected
// once, is in the records as the scorer gives it, and is the quality that
// HybridLLM routes by.
func TestScorerEndToEnd(t *testing.T) {
	folder := must(filepath.Abs("../../backends/bart/testdata/tiny"))
	t.Chdir(t.TempDir())
	rows := "text,said\n"
	for i := range 60 {
		rows += strings.Repeat("a", i+1) + "," + []string{"the bridge", "closed", "naïve café"}[i%3] + "\n"
	}
	spec := `study = "scored"
report.page = false
[[models]]
name = "tiny-student"
backend = "local"
path = "builtin:tiny-student"
[[models]]
name = "tiny-master"
backend = "local"
path = "builtin:tiny-master"
[[models]]
name = "bart"
backend = "bart"
path = "` + filepath.ToSlash(folder) + `"
[scorer]
model = "bart"
[[datasets]]
name = "texts"
source = "file:rows.csv"
task = "generation"
prompt = "Say: {text}"
reference = "said"
max_tokens = 3
metrics = ["rouge-l", "bartscore"]
[[baselines]]
kind = "hybridllm"
[[cascades]]
models = ["tiny-student", "tiny-master"]
`
	for name, text := range map[string]string{"rows.csv": rows, "study.toml": spec} {
		save(t, name, text)
	}
	// 60 answers of each of two models, one reference each.
	if out, _ := infnet(t, ExitOK, "plan",
		"study.toml"); !regexp.MustCompile(`bart +pairs to score +120 +0 +120`).MatchString(out) {
		t.Errorf("the plan does not count the pairs to score:\n%s", out)
	}
	out, _ := infnet(t, ExitOK, "run", "study.toml", "--tables")
	wantIn(t, "the tables name neither the metric nor the quality", out, "bartscore", "BARTScore")
	wantIn(t, "the scorer is not examined", outOf(infnet(t, ExitOK, "doctor", "study.toml")),
		"bart (scorer)\n  ✓ asked  answers")
	wantIn(t, "a study with a scorer is not made again", outOf(infnet(t, ExitOK, "verify", "study.toml")),
		"every byte is the same")
	scorer := must(bart.OpenFS(os.DirFS(folder), 1))
	f := must(os.Open("runs/scored/records.jsonl"))
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	checked := 0
	for lines.Scan() {
		var l result.Record
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		for _, h := range l.Models {
			want, err := scorer.Score(context.Background(), []backends.Pair{{Source: l.References[0], Target: h.Text}})
			if err != nil {
				t.Fatal(err)
			}
			if got := float64(h.Scores["bartscore"]); got != float64(float32(want[0])) {
				t.Fatalf("record %s, %s: %q scores %v in the records, %v by the scorer", l.ID, h.Model, h.Text, got, want[0])
			}
			checked++
		}
	}
	if checked != 120 {
		t.Errorf("%d scores checked, want two of each of 60 records", checked)
	}
	if _, err := os.Stat("runs/answers"); err != nil {
		t.Fatal(err)
	}
	stored, err := filepath.Glob("runs/answers/bart.*.jsonl")
	if err != nil || len(stored) != 1 {
		t.Errorf("scores are stored in %v (%v), want one file", stored, err)
	}
	again, _ := infnet(t, ExitOK, "run", "study.toml", "--tables", "--offline", "--quiet")
	if again != out {
		t.Error("a second run prints other tables")
	}
	if err := os.Remove(stored[0]); err != nil {
		t.Fatal(err)
	}
	_, log := infnet(t, ExitOffline, "run", "study.toml", "--offline", "--quiet")
	if !slices.ContainsFunc(strings.Split(log, "\n"),
		func(s string) bool { return strings.Contains(s, "bart") && strings.Contains(s, "scores") }) {
		t.Errorf("missing scores are reported as:\n%s", log)
	}
}
