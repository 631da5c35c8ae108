package cli

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// bert is a small encoder's folder, found before a test changes to another.
var bert, _ = filepath.Abs(filepath.Join(root, "backends/encoder/testdata/bert"))

// embedStudy writes a study with questions whose answers are right by cosine,
// and makes its folder the working directory. encoder is a model's entry
// without its name, backends further tables.
func embedStudy(t *testing.T, encoder, backends string) {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.CopyFS("bert", os.DirFS(bert)); err != nil {
		t.Fatal(err)
	}
	text := `study = "servers"
report.page = false
seed = 7

[[models]]
name = "small"
backend = "local"
path = "builtin:tiny-student"

[[models]]
name = "large"
backend = "local"
path = "builtin:tiny-master"

[[models]]
name = "vectors"
` + encoder + `
[embedder]
model = "vectors"

[[datasets]]
name = "lookup"
source = "builtin:lookup"
limit = 40
correct = { rule = "cosine", tau = 0.7 }
metrics = ["cosine", "exact-match"]

[[cascades]]
models = ["small", "large"]

[sufficiency]
extra = ["embeddings"]
method = "plain"
permutations = 9
` + backends
	save(t, "study.toml", text)
}

var toEmbed = regexp.MustCompile(`vectors +texts to embed +(\d+) +(\d+) +(\d+)`)

// embedEndToEnd plans, runs, runs again.
func embedEndToEnd(t *testing.T) {
	t.Helper()
	infnet(t, ExitOK, "check", "study.toml")
	plan, _ := infnet(t, ExitOK, "plan", "study.toml")
	before := toEmbed.FindStringSubmatch(plan)
	if before == nil || before[2] != "0" || before[1] != before[3] {
		t.Fatalf("the plan:\n%s", plan)
	}
	runTwice(t, "The cosine is of vectors")
}

// runTwice runs, runs again, and looks for what the tables must say.
func runTwice(t *testing.T, also string) {
	t.Helper()
	out, _ := infnet(t, ExitOK, "run", "study.toml", "--tables")
	for _, want := range []string{"lookup: cosine ≥ 0.7", "by the embedder vectors", also} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in the tables:\n%s", want, out)
		}
	}
	first := tables(t)
	infnet(t, ExitOK, "run", "study.toml", "--offline")
	if tables(t) != first {
		t.Error("a second run writes other tables")
	}
	plan, _ := infnet(t, ExitOK, "plan", "study.toml")
	if after := toEmbed.FindStringSubmatch(plan); after == nil || after[3] != "0" || after[2] == "0" {
		t.Errorf("the plan after it:\n%s", plan)
	}
}

func TestEncoderEndToEnd(t *testing.T) {
	embedStudy(t, "backend = \"encoder\"\npath = \"bert\"\n", "")
	infnet(t, ExitOffline, "run", "study.toml", "--offline")
	embedEndToEnd(t)

	// Another content of the folder is another revision: its vectors are not
	// those on disk.
	save(t, "bert/sentence_bert_config.json", `{"max_seq_length": 20}`)
	_, stderr := infnet(t, ExitOffline, "run", "study.toml", "--offline")
	wantIn(t, "what is missing", stderr, "embeddings")
	save(t, "bert/modules.json", `[]x`)
	_, stderr = infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "what is wrong", stderr, "modules.json")
}

// A server's embedder: calls in batches, out of order, refused at first.
func TestServedEmbedderEndToEnd(t *testing.T) {
	var mu sync.Mutex
	texts, calls, broken := map[string]int{}, 0, false
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q struct {
			Model string
			Input []string
		}
		if r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+hushed ||
			json.NewDecoder(r.Body).Decode(&q) != nil || q.Model != "e" {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"error": {"message": "no such key: %s"}}`, r.Header.Get("Authorization"))
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if calls++; broken {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		if calls == 2 {
			w.Header().Set("Retry-After-Ms", "1")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		var data []string
		for i := len(q.Input) - 1; i >= 0; i-- {
			texts[q.Input[i]]++
			v := make([]int, 8)
			for _, c := range q.Input[i] {
				v[c%8]++
			}
			b, _ := json.Marshal(v)
			data = append(data, fmt.Sprintf(`{"index": %d, "embedding": %s}`, i, b))
		}
		fmt.Fprintf(w, `{"data": [%s]}`, strings.Join(data, ","))
	}))
	t.Cleanup(srv.Close)
	embedStudy(t, "backend = \"gpu\"\nid = \"e\"\nrevision = \"1\"\n",
		fmt.Sprintf("[backends.gpu]\nkind = \"openai\"\nurls = [\"%s/v1\"]\napi_key_env = \"TEST_KEY\"\nbatch = 5\n",
			srv.URL))
	t.Setenv("TEST_KEY", hushed)
	embedEndToEnd(t)
	for text, n := range texts {
		if n != 1 {
			t.Errorf("%q was embedded %d times", text, n)
		}
	}
	if least := len(texts)/5 + 1; calls < least || calls > 3*least {
		t.Errorf("%d calls for %d texts in batches of 5", calls, len(texts))
	}

	broken = true
	if err := os.RemoveAll("runs"); err != nil {
		t.Fatal(err)
	}
	replaceIn(t, "study.toml", "[collect]\nretries = 1\n\n[embedder]", "[embedder]")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	wantIn(t, "what is wrong", stderr, "embed with vectors", "500")
}
