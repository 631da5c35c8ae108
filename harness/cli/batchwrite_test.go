package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Where the study leaves it to the server how classifications are asked, the batch decides: live runs ask in the same
// way.
func TestBatchDeclaresItsLabels(t *testing.T) {
	const n = 20
	mailStudy(t, n)
	for range 2 {
		replaceIn(t, "study.toml", "labels = \"auto\"", "labels = \"top-logprobs\"")
	}
	infnet(t, ExitOK, "batch", "write", "study.toml")
	s := &loopback{}
	outputs := (&provider{server: s}).answer(t, "runs/servers/batch")
	infnet(t, ExitOK, append([]string{"batch", "read"}, outputs...)...)
	if found, _ := filepath.Glob("runs/answers/*.servers-*.jsonl"); len(found) != 2 {
		t.Errorf("findings in %v, want one file a model", found)
	}
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
		"total               80       80")
}
