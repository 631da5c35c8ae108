//go:build unix

package cli

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// installedVLLM is the real vLLM, found before TestMain puts the scripts' own on the PATH; "" = there is none.
var installedVLLM, _ = exec.LookPath("vllm")

// A study from its first call to its last table that starts a real engine for both models, killed while the student
// answers and gone on with, beside the same study in this process: the same answers, right and wrong alike, and the
// same tables. vLLM takes minutes to start on a CPU.
func TestVLLMStudy(t *testing.T) {
	if installedVLLM == "" {
		t.Skip("vllm is not on the PATH: pip install vllm")
	}
	t.Setenv("PATH", filepath.Dir(installedVLLM)+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv("VLLM_CPU_KVCACHE_SPACE", "1")
	dir := liveStudies(t, "args = [\"--dtype\", \"float32\", \"--enforce-eager\"]", "")
	finishRun(t, dir, "run", "here.toml", "--quiet", "--store", "local-answers")
	cmd, stderr := start(t, dir, "run", "served.toml", "--quiet")
	waitWithin(t, 20*time.Minute, "the student to answer",
		func() bool { return size(dir, "runs/answers/tiny-student.reviews-*") > 6000 })
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if code := exitCode(t, cmd); code != -1 {
		t.Fatalf("exit code %d before it was killed: %s", code, stderr)
	}
	finishRun(t, dir, "run", "served.toml", "--quiet")
	servedAgrees(t, dir)
}

// The same without a server: vllm run-batch answers the files, with the flags of the servers that the study starts.
func TestVLLMBatch(t *testing.T) {
	if installedVLLM == "" {
		t.Skip("vllm is not on the PATH: pip install vllm")
	}
	t.Setenv("VLLM_CPU_KVCACHE_SPACE", "1")
	template := filepath.Join(t.TempDir(), "bare.jinja") // a chat is its prompt, as in this process
	save(t, template, "{{ bos_token }}{{ messages[0]['content'] }}")
	dir := liveStudies(t, fmt.Sprintf("args = [\"--dtype\", \"float32\", \"--enforce-eager\", "+
		"\"--chat-template\", %q]", template), "mode = \"chat\"\n")
	finishRun(t, dir, "run", "here.toml", "--quiet", "--store", "local-answers")
	t.Chdir(dir)
	infnet(t, ExitOK, "batch", "write", "served.toml")
	var outputs []string
	for _, name := range []string{"tiny-student", "tiny-master"} {
		in := "runs/served/batch/" + name + "-001.jsonl"
		out := strings.Replace(in, ".jsonl", ".out.jsonl", 1)
		outputs = append(outputs, out)
		cmd := exec.Command(installedVLLM, "run-batch", "-i", in, "-o", out, "--model",
			must(filepath.Abs("../../experiments/models/"+name)), "--served-model-name", name, "--max-logprobs", "20",
			"--generation-config", "vllm", "--seed", "0", "--dtype", "float32", "--enforce-eager", "--chat-template", template)
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd.Args, err, said)
		}
	}
	out, _ := infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	if strings.Count(out, "100 answers new, 0 there already, 0 failed") != 4 {
		t.Errorf("read says:\n%s", out)
	}
	finishRun(t, dir, "run", "served.toml", "--quiet")
	servedAgrees(t, dir)
}

// liveStudies writes two studies of the quickstart's models into a folder: here.toml, in this process, and
// served.toml, on an engine that the study starts.
func liveStudies(t *testing.T, launch, model string) (dir string) {
	t.Helper()
	names := []string{"tiny-student", "tiny-master"}
	dir = t.TempDir()
	write := func(name, models string) {
		text := "study = \"" + name + "\"\nseed = 42\n" + models
		for _, d := range []string{"reviews", "phrasebook"} { // whose prompts stay within the models' window
			text += fmt.Sprintf("[[datasets]]\nname = %q\nsource = \"builtin:%s\"\nlimit = 100\n", d, d)
		}
		text += "[[cascades]]\nmodels = [\"tiny-student\", \"tiny-master\"]\n[cost]\nmodel = \"tokens\"\n"
		save(t, filepath.Join(dir, name+".toml"), text)
	}
	var here, served string
	for _, name := range names {
		folder := must(filepath.Abs("../../experiments/models/" + name))
		here += fmt.Sprintf("[[models]]\nname = %q\nbackend = \"local\"\npath = %q\n", name, folder)
		served += fmt.Sprintf("[[models]]\nname = %q\nid = %q\nbackend = \"served\"\nrevision = \"1\"\npath = %q\n%s",
			name, name, folder, model)
	}
	write("here", here)
	write("served", served+fmt.Sprintf("[backends.served]\nkind = \"openai\"\nconcurrency = 4\ntimeout = \"5m\"\n"+
		"[backends.served.launch]\nengine = \"vllm\"\ngpus = 0\n%s\n", launch))
	return dir
}

// servedAgrees compares the study on an engine with the one in this process.
func servedAgrees(t *testing.T, dir string) {
	t.Helper()
	first := servedTables(t, dir, "served")
	finishRun(t, dir, "run", "served.toml", "--quiet", "--offline")
	if again := servedTables(t, dir, "served"); !bytes.Equal(first, again) {
		t.Error("the tables change when they are made again from what is on disk")
	}
	recordsAgree(t, dir)
	for _, kind := range []string{"classification", "generation"} {
		file := "tables/" + kind + ".csv"
		rowsAgree(t, filepath.Join(dir, "runs/here", file), filepath.Join(dir, "runs/served", file))
	}
}

func servedTables(t *testing.T, dir, study string) []byte {
	t.Helper()
	b := must(os.ReadFile(filepath.Join(dir, "runs", study, "tables/models.md")))
	return b
}

// servedRecord is what is compared of a line of records.jsonl.
type servedRecord struct {
	Dataset, ID string
	Models      []struct {
		Text    string
		Correct *bool
		Beta    *float64
		Tokens  int `json:"prompt_tokens"`
	}
}

func recordsAgree(t *testing.T, dir string) {
	t.Helper()
	read := func(study string) map[string]servedRecord {
		b := must(os.ReadFile(filepath.Join(dir, "runs", study, "records.jsonl")))
		out := map[string]servedRecord{}
		lines := bufio.NewScanner(bytes.NewReader(b))
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r servedRecord
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				t.Fatal(err)
			}
			out[r.Dataset+" "+r.ID] = r
		}
		return out
	}
	here, served := read("here"), read("served")
	if len(here) != 200 || len(served) != 200 {
		t.Fatalf("%d records here, %d served, want 200", len(here), len(served))
	}
	far := 0.0
	for key, h := range here {
		s := served[key]
		for i, m := range h.Models {
			o := s.Models[i]
			if m.Text != o.Text || *m.Correct != *o.Correct || m.Tokens != o.Tokens {
				t.Errorf("%s, model %d: here %q (%d tokens), served %q (%d tokens)", key, i, m.Text, m.Tokens, o.Text, o.Tokens)
			}
			far = max(far, math.Abs(*m.Beta-*o.Beta))
		}
	}
	t.Logf("400 answers: the largest difference of a confidence is %.2g", far)
	if far > 1e-2 {
		t.Errorf("a confidence differs by %v", far)
	}
}

// rowsAgree compares two tables. What depends on answers alone is equal; a
// fitted threshold may fall between records whose confidences are as close as
// the servers' numbers, so its row may defer a record more or less.
func rowsAgree(t *testing.T, here, served string) {
	t.Helper()
	read := func(path string) [][]string {
		f := must(os.Open(path))
		defer f.Close()
		rows := must(csv.NewReader(f).ReadAll())
		return rows
	}
	a, b := read(here), read(served)
	if len(a) != len(b) {
		t.Fatalf("%d and %d rows", len(a), len(b))
	}
	cells, differ := 0, 0
	for i := range a {
		for j, name := range a[0] {
			if i == 0 || name == "study" || name == "notes" || a[i][j] == b[i][j] {
				cells++
				continue
			}
			differ++
			x, errX := strconv.ParseFloat(a[i][j], 64)
			y, errY := strconv.ParseFloat(b[i][j], 64)
			fitted := a[i][4] == "single" || a[i][4] == "multi"
			if errX != nil || errY != nil || !fitted || name == "deferred" && math.Abs(x-y) > 2.0/20 {
				t.Errorf("%s, %s: %s is %s here, %s served", filepath.Base(here), a[i][3], name, a[i][j], b[i][j])
			}
		}
	}
	t.Logf("%s: %d cells are equal, %d of fitted rows differ", filepath.Base(here), cells, differ)
}
