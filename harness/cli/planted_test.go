package cli

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/harness/compare"
)

// plantedStudy writes a study of the real pair on n reviews, with everything it reads in one folder, and goes there.
func plantedStudy(t *testing.T, n int) {
	t.Helper()
	models := must(filepath.Abs(filepath.Join(root, "experiments/models")))
	if _, err := os.Stat(filepath.Join(models, "tiny-student/model.safetensors")); err != nil {
		t.Skip("the weights of the built-in pair are not here")
	}
	t.Chdir(t.TempDir())
	if err := os.CopyFS("m", os.DirFS(models)); err != nil {
		t.Fatal(err)
	}
	rows, _ := infnet(t, ExitOK, "data", "builtin:reviews", "-n", fmt.Sprint(n))
	save(t, "reviews.jsonl", rows)
	save(t, "study.toml", `study = "planted"
report.page = false
seed = 1
[[models]]
name = "student"
backend = "local"
path = "m/tiny-student"
[[models]]
name = "master"
backend = "local"
path = "m/tiny-master"
[[datasets]]
name = "reviews"
source = "file:reviews.jsonl"
fields = { text = "fields.text" }
task = "classification"
id = "id"
label = "label"
labels = [{ class = "negative", word = "negative" }, { class = "positive", word = "positive" }]
prompt = "Review: {text}\nSentiment:"
[[cascades]]
models = ["student", "master"]
[policy]
target = "master"
`)
}

// edit changes a file.
func edit(t *testing.T, name string, change func(text []byte) []byte) {
	t.Helper()
	text := must(os.ReadFile(name))
	changed := change(text)
	if bytes.Equal(changed, text) {
		t.Fatalf("%s: nothing was planted", name)
	}
	save(t, name, string(changed))
}

// replaced replaces a text once.
func replaced(old, now string) func([]byte) []byte {
	return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(now), 1) }
}

// otherWeights turns the sign of some thousand weights of a safetensors file.
func otherWeights(b []byte) []byte {
	b = bytes.Clone(b)
	at := int(8+binary.LittleEndian.Uint64(b)) + 200_001
	for i := at; i < at+40_000; i += 4 {
		b[i] ^= 0x80
	}
	return b
}

// compared compares a run with the accepted one.
func compared(t *testing.T, code int, old, now string) (*compare.Comparison, string) {
	t.Helper()
	out, errs := infnet(t, code, "compare", old, now, "--json", "found.json")
	b := must(os.ReadFile("found.json"))
	var c compare.Comparison
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Split(out, "\n\n")[0]; strings.Count(lines, "\n") > 10 {
		t.Errorf("what comes first has more than ten lines:\n%s", lines)
	}
	return &c, out + errs
}

// kinds lists the kinds of causes, each once, in their order.
func kinds(c *compare.Comparison) (out []string) {
	for _, x := range c.Causes {
		if !slices.Contains(out, x.Kind) {
			out = append(out, x.Kind)
		}
	}
	return out
}

// Changes planted into a study of the real pair, each by itself, and what is said of them.
func TestPlantedChanges(t *testing.T) {
	plantedStudy(t, 160)
	infnet(t, ExitOK, "run", "study.toml", "--out", "before", "--quiet")
	infnet(t, ExitOK, "accept", "before", "--date", "2026-01-31", "--because", "the first")
	study := must(os.ReadFile("study.toml"))
	for _, c := range []struct {
		name   string
		change func(t *testing.T) // on a fresh copy of the study
		args   []string
		code   int
		causes string
		says   []string
	}{
		{name: "the student's weights",
			change: func(t *testing.T) { edit(t, "m/tiny-student/model.safetensors", otherWeights) },
			causes: "model answers", code: -1, says: []string{"model: student: ", "at the accepted thresholds"}},
		{name: "a row's text", change: func(t *testing.T) {
			edit(t, "reviews.jsonl", replaced(`"text":"`, `"text":"Well. `))
		}, causes: "data answers", says: []string{"data: reviews: "}, code: -1},
		{name: "a target on the command line", args: []string{"--target", "0.75"}, causes: "spec", code: ExitWorse,
			says: []string{`policy.target: "master" → "0.75"`}},
		{name: "the seed", change: func(t *testing.T) { edit(t, "study.toml", replaced("seed = 1", "seed = 2")) },
			causes: "spec split", code: ExitUnrelated,
			says: []string{`seed: "1" → "2"`, "most of their test records are others"}},
		{name: "a lost record", args: []string{"--store", "lost"}, causes: "answers"},
		{name: "an infeasible budget", change: func(t *testing.T) {
			edit(t, "study.toml", replaced(`target = "master"`, "target = 0.999"))
		}, causes: "spec", code: -1, says: []string{`policy.target: "master" → "0.999"`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, weights := string(must(os.ReadFile("reviews.jsonl"))),
				string(must(os.ReadFile("m/tiny-student/model.safetensors")))
			defer func() {
				save(t, "reviews.jsonl", rows)
				save(t, "m/tiny-student/model.safetensors", weights)
				save(t, "study.toml", string(study))
			}()
			command := "run"
			if c.name == "a lost record" {
				loseAnswer(t)
				command = "analyze"
			}
			if c.change != nil {
				c.change(t)
			}
			infnet(t, ExitOK, append([]string{command, "study.toml", "--out", "after", "--quiet"}, c.args...)...)
			if c.code < 0 { // what follows depends on the weights; what is said of the causes does not
				c.code = verdictCode(t, "after")
			}
			found, said := compared(t, c.code, "accepted.json", "after")
			if got := strings.Join(kinds(found), " "); got != c.causes {
				t.Errorf("causes %s, want %s", got, c.causes)
			}
			for _, want := range c.says {
				if !strings.Contains(said, want) {
					t.Errorf("not a word of %q", want)
				}
			}
			if t.Failed() {
				t.Log(said)
			}
		})
	}
}

// verdictCode is the exit code of a comparison with the accepted run.
func verdictCode(t *testing.T, run string) int {
	t.Helper()
	var out bytes.Buffer
	return Run(t.Context(), []string{"compare", "accepted.json", run}, strings.NewReader(""), &out, &out)
}

// loseAnswer makes the store "lost", which lacks one answer of the student.
func loseAnswer(t *testing.T) {
	t.Helper()
	if err := os.CopyFS("lost", os.DirFS("runs/answers")); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("lost/student*.jsonl")
	if err != nil || len(names) == 0 {
		t.Fatal("no answers of the student", err)
	}
	for _, name := range names {
		edit(t, name, func(b []byte) []byte {
			lines := bytes.SplitAfter(b, []byte("\n"))
			return slices.Concat(slices.Concat(lines[:40]...), slices.Concat(lines[41:]...))
		})
	}
}
