package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where the study leaves it to the server how classifications are asked, the batch decides, and says so in its
// manifest: later batches and live runs ask in the same way, and a batch that asked otherwise is refused.
func TestBatchDeclaresItsLabels(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	for range 2 {
		replaceIn(t, "study.toml", "labels = \"auto\"", "labels = \"top-logprobs\"")
	}
	infnet(t, ExitOK, "batch", "write", "study.toml", "--labels", "top-logprobs")
	infnet(t, ExitOK, "batch", "write", "study.toml", "--format", "openai", "--out", "again")
	s := &loopback{}
	outputs := (&provider{server: s}).answer(t, "runs/servers/batch")
	save(t, "lonely.jsonl", string(must(os.ReadFile(outputs[1]))))
	save(t, "changed.json", strings.ReplaceAll(string(must(os.ReadFile("again/batch.json"))), "top-logprobs",
		"text"))
	// Without the manifest nobody knows.
	wantIn(t, "no manifest",
		errOf(infnet(t, ExitData, "batch", "read", "lonely.jsonl", "--study", "study.toml", "--store", "elsewhere")),
		"is written in its manifest: name its folder with --batch")
	// As if all had been asked in another way: only texts are the same requests.
	out, stderr := infnet(t, ExitData, "batch", "read", "lonely.jsonl", "--batch", "changed.json")
	if !strings.Contains(out, "student on phrases: 20 answers new") || strings.Contains(out, "on colours") ||
		!strings.Contains(stderr, "20 requests are not of the study servers") {
		t.Errorf("another label mode:\n%s%s", out, stderr)
	}
	infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	if found, _ := filepath.Glob("runs/answers/*.servers-*.jsonl"); len(found) != 2 {
		t.Errorf("findings in %v, want one file a model", found)
	}
	wantIn(t, "another label mode than the answers on disk",
		errOf(infnet(t, ExitData, "batch", "read", "lonely.jsonl", "--batch", "changed.json")),
		`asked its classifications by "text"`)
	wantIn(t, "another label mode is declared",
		errOf(infnet(t, ExitModel, "batch", "write", "study.toml", "--labels", "text")),
		`were asked by "top-logprobs" before`)
	// A live run of the same study asks nothing again, but for who answers.
	url := serve(t, s)
	save(t, "live.toml", strings.ReplaceAll(string(must(os.ReadFile("study.toml"))), "http://127.0.0.1:9/v1", url))
	infnet(t, ExitOK, "run", "live.toml")
	if got := s.calls(); got != 0 {
		t.Errorf("%d records were asked again", got)
	}
	wantIn(t, "the tables do not say that batch files settled how labels are asked", tables(t), "served by batch files")
}

// A model under two names is asked once, and both names get its answers.
func TestBatchAsksAModelOnce(t *testing.T) {
	mailStudy(t, 20)
	model := func(name string) string {
		return fmt.Sprintf("[[models]]\nname = %q\nid = \"acme/m\"\nserved = \"m\"\nrevision = \"1\"\nbackend = \"p\"\n"+
			"mode = \"chat\"\n", name)
	}
	save(t, "names.toml", "study = \"names\"\nseed = 1\n[backends.p]\nkind = \"openai\"\n"+
		"urls = [\"http://127.0.0.1:9/v1\"]\nlabels = \"top-logprobs\"\n"+model("one")+model("two")+
		"[[datasets]]\nname = \"reviews\"\nsource = \"builtin:reviews\"\nlimit = 40\n"+
		"[[cascades]]\nmodels = [\"one\", \"two\"]\n[cost]\nmodel = \"tokens\"\n")
	infnet(t, ExitOK, "batch", "write", "names.toml")
	files, err := filepath.Glob("runs/names/batch/*.jsonl")
	if err != nil || len(files) != 1 || filepath.Base(files[0]) != "one-001.jsonl" {
		t.Fatalf("the requests are in %v, %v", files, err)
	}
	var out strings.Builder
	for line := range strings.Lines(string(must(os.ReadFile(files[0])))) {
		var r struct {
			ID string `json:"custom_id"`
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		top := `{"token":"positive","logprob":-0.5},{"token":"negative","logprob":-1}`
		fmt.Fprintf(&out, `{"custom_id":%q,"response":{"status_code":200,"body":{"model":"m","choices":[{"index":0,`+
			`"finish_reason":"stop","message":{"content":"positive"},"logprobs":{"content":[{"token":"positive",`+
			`"logprob":-0.5,"top_logprobs":[%s]}]}}]}},"error":null}`+"\n", r.ID, top)
	}
	save(t, "out.jsonl", out.String())
	said, _ := infnet(t, ExitOK, "batch", "read", "--batch", "runs/names/batch", "out.jsonl")
	wantIn(t, "it", said, "one on reviews: 40 answers new", "two on reviews: 0 answers new, 40 there already",
		"Nothing is missing")
}

// Models whose servers a study starts are asked by vllm run-batch with the same flags; other engines are refused.
func TestBatchOfLaunchedServers(t *testing.T) {
	mailStudy(t, 20)
	text := string(must(os.ReadFile("study.toml")))
	text = strings.ReplaceAll(text, `urls = ["http://127.0.0.1:9/v1"]`+"\napi_key_env = \"TEST_KEY\"", "")
	for _, name := range []string{"one", "two"} {
		text = strings.Replace(text, "[[datasets]]", "[backends."+name+".launch]\nengine = \"vllm\"\ngpus = 0\n"+
			"args = [\"--dtype\", \"float32\"]\n\n[[datasets]]", 1)
	}
	text = strings.Replace(text, "backend = \"one\"", "backend = \"one\"\nmode = \"chat\"", 1)
	save(t, "vllm.toml", text)
	save(t, "cpp.toml", strings.Replace(text, "engine = \"vllm\"\ngpus = 0\nargs = [\"--dtype\", \"float32\"]",
		"engine = \"llama-server\"", 1))
	out, _ := infnet(t, ExitOK, "batch", "write", "vllm.toml", "--format", "vllm")
	wantIn(t, "write", out, "vllm run-batch -i runs/servers/batch/student-001.jsonl",
		"--model small --revision 1 --tokenizer-revision 1 --served-model-name small", "--seed 0 --dtype float32")
	wantIn(t, "llama.cpp by vllm", errOf(infnet(t, ExitModel, "batch", "write", "cpp.toml", "--format", "vllm")),
		"vllm run-batch is another engine")
	infnet(t, ExitOK, append([]string{"batch", "read"},
		(&provider{server: &loopback{}, vllm: true}).answer(t, "runs/servers/batch")...)...)
}
