package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// hushed is the API key of the tests: it must be in no file and on no screen.
const hushed = "k-5f2c9e-hushed"

// loopback is a server of two models, "small" and "large", that speaks the
// OpenAI protocol on the loopback interface. What it says follows from the
// model and the prompt alone: "small" errs more, and where it is less sure.
type loopback struct {
	silent bool                                              // gives no log-probabilities
	spoil  func(n int, prompt string) (status int, b string) // what to answer to the n-th call with a prompt, 0 = as it should

	mu       sync.Mutex
	asked    map[string]int // calls by prompt
	inFlight int
	most     int // calls in flight at once
}

func serve(t *testing.T, s *loopback) string {
	t.Helper()
	s.asked = map[string]int{}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

// calls counts the calls whose prompt is one of a dataset.
func (s *loopback) calls() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for prompt, k := range s.asked {
		if ofStudy.MatchString(prompt) {
			n += k
		}
	}
	return n
}

// ofStudy finds what there is to say in a prompt.
var ofStudy = regexp.MustCompile(`(?:is|Repeat:) ([a-z ]+)[.\n]`)

func (s *loopback) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	reply := func(status int, v any) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_ = json.NewEncoder(w).Encode(v)
	}
	if got := r.Header.Get("Authorization"); got != "Bearer "+hushed { // as some servers do, it repeats the key
		reply(401, map[string]any{"error": map[string]any{"message": "no such key: " + got}})
		return
	}
	var q struct {
		Model       string          `json:"model"`
		Prompt      string          `json:"prompt"`
		Messages    []message       `json:"messages"`
		MaxTokens   int             `json:"max_tokens"`
		Logprobs    json.RawMessage `json:"logprobs"`
		TopLogprobs int             `json:"top_logprobs"`
		Echo        bool            `json:"echo"`
	}
	if r.URL.Path == "/v1/models" {
		reply(200, map[string]any{"data": []any{map[string]any{"id": "small"}, map[string]any{"id": "large"}}})
		return
	}
	chat := r.URL.Path == "/v1/chat/completions"
	if !chat && r.URL.Path != "/v1/completions" {
		reply(404, map[string]any{"error": map[string]any{"message": "no such route"}})
		return
	}
	if err := json.NewDecoder(r.Body).Decode(&q); err != nil || q.Echo || chat && len(q.Messages) == 0 {
		reply(400, map[string]any{"error": map[string]any{"message": "echo is not served"}})
		return
	}
	prompt, top := q.Prompt, 5
	if chat {
		prompt = q.Messages[0].text()
		top = q.TopLogprobs
	}
	s.mu.Lock()
	s.asked[prompt]++
	n := s.asked[prompt]
	s.inFlight++
	s.most = max(s.most, s.inFlight)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		s.inFlight--
		s.mu.Unlock()
	}()
	if s.spoil != nil {
		if status, body := s.spoil(n, prompt); status != 0 {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
			return
		}
	}
	tokens := say(q.Model, prompt, q.MaxTokens, chat)
	text := ""
	for _, t := range tokens {
		text += t.text
	}
	choice := map[string]any{"index": 0, "finish_reason": "stop", "text": text}
	if chat {
		choice = map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]any{"role": "assistant", "content": text}}
	}
	if len(q.Logprobs) > 0 && string(q.Logprobs) != "null" && !s.silent {
		choice["logprobs"] = written(tokens, top, chat)
	}
	reply(200, map[string]any{"model": q.Model, "choices": []any{choice},
		"usage": map[string]any{"prompt_tokens": 1 + len(strings.Fields(prompt)), "completion_tokens": len(tokens)}})
}

// message is one turn; its content is a string or a list of parts.
type message struct {
	Content json.RawMessage `json:"content"`
}

func (m message) text() string {
	var s string
	if json.Unmarshal(m.Content, &s) == nil {
		return s
	}
	var parts []struct {
		Text string `json:"text"`
	}
	_ = json.Unmarshal(m.Content, &parts)
	for _, p := range parts {
		s += p.Text
	}
	return s
}

// said is a token with its log-probability and what else could have been said.
type said struct {
	text string
	lp   float64
	rest []string
}

var colours = []string{"red", "green", "blue", "grey"}

// say makes up an answer: the thing the prompt names, or another.
func say(model, prompt string, most int, chat bool) []said {
	h := fnv.New64a()
	fmt.Fprint(h, model, "|", prompt)
	x := float64((h.Sum64()*0x9e3779b97f4a7c15)>>11) / (1 << 53)
	sure := map[string]float64{"small": 0.4 + 0.55*x, "large": 0.9 + 0.09*x}[model]
	thing := "well"
	if found := ofStudy.FindStringSubmatch(prompt); found != nil {
		thing = found[1]
	}
	if y := math.Mod(x*7919, 1); y > sure { // wrong about as often as it is unsure
		thing = colours[int(y*4001)%4]
	}
	var out []said
	for i, word := range strings.Fields(thing) {
		if i == most {
			break
		}
		if !chat || i > 0 {
			word = " " + word
		}
		t := said{text: word, lp: math.Log(sure)}
		for _, c := range colours {
			if " "+c != t.text && c != t.text {
				t.rest = append(t.rest, blank(word)+c)
			}
		}
		out = append(out, t)
	}
	return out
}

// blank is the space a word begins with, if it does.
func blank(word string) string { return word[:len(word)-len(strings.TrimLeft(word, " "))] }

// written is the log-probabilities as the protocol's two routes write them.
func written(tokens []said, top int, chat bool) any {
	var names []string
	var lps []float64
	var tops []map[string]float64
	var content []map[string]any
	for _, t := range tokens {
		other := math.Log((1 - math.Exp(t.lp)) / float64(len(t.rest)+1))
		list := []map[string]any{{"token": t.text, "logprob": t.lp}}
		of := map[string]float64{t.text: t.lp}
		for _, r := range t.rest[:min(len(t.rest), max(top-1, 0))] {
			list = append(list, map[string]any{"token": r, "logprob": other})
			of[r] = other
		}
		names, lps, tops = append(names, t.text), append(lps, t.lp), append(tops, of)
		content = append(content, map[string]any{"token": t.text, "logprob": t.lp, "top_logprobs": list[:min(len(list), top)]})
	}
	if chat {
		return map[string]any{"content": content}
	}
	return map[string]any{"tokens": names, "token_logprobs": lps, "top_logprobs": tops}
}

// serverStudy writes a study of the two models in a new folder, and goes there.
func serverStudy(t *testing.T, n int, studentURL, masterURL, settings, master string) {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TEST_KEY", hushed)
	var phrases strings.Builder
	phrases.WriteString("phrase\n")
	for i := range n {
		fmt.Fprintf(&phrases, "the %s one is number %s\n", colours[i%4], strings.Repeat("i", i+1))
	}
	study := fmt.Sprintf(`study = "servers"
seed = 3

[[models]]
name = "student"
id = "small"
revision = "1"
backend = "one"
shape = "gemma3-1b"

[[models]]
name = "master"
id = "acme/large"
served = "large"
revision = "2"
backend = "two"
mode = "chat"
shape = "gemma3-4b"

[backends.one]
kind = "openai"
urls = [%s]
api_key_env = "TEST_KEY"
concurrency = 4
%s

[backends.two]
kind = "openai"
urls = [%s]
api_key_env = "TEST_KEY"
%s

[[datasets]]
name = "colours"
source = "file:colours.csv"
task = "classification"
id = "item"
label = "colour"
labels = ["red", "green", "blue", "grey"]
prompt = "Item {item} is {colour}.\nColour:"

[[datasets]]
name = "phrases"
source = "file:phrases.csv"
task = "generation"
reference = "phrase"
max_tokens = 12
prompt = "Repeat: {phrase}\nAgain:"

[[cascades]]
models = ["student", "master"]

[collect]
retries = 2
`, studentURL, settings, masterURL, master)
	for name, text := range map[string]string{"study.toml": study, "phrases.csv": phrases.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := writeColours(filepath.Join(dir, "colours.csv"), n); err != nil {
		t.Fatal(err)
	}
}

// infnet runs a command in the current folder, wants its exit code, and makes
// sure that the key is nowhere: not on the screen, in no file of the folder.
func infnet(t *testing.T, want int, args ...string) (stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	got := Run(context.Background(), args, strings.NewReader(""), &out, &errOut)
	if got != want {
		t.Fatalf("infnet %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, out.String(), errOut.String())
	}
	key := cmp.Or(os.Getenv("TEST_KEY"), hushed)
	if strings.Contains(out.String()+errOut.String(), key) {
		t.Errorf("infnet %s shows the key:\n%s%s", strings.Join(args, " "), out.String(), errOut.String())
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte(key)) || strings.Contains(path, key) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String()
}

func quoted(urls ...string) string { return `"` + strings.Join(urls, `", "`) + `"` }

func tables(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("runs/servers/tables/tables.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A study of two models behind servers, from first call to last table.
func TestServersEndToEnd(t *testing.T) {
	const n = 40
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	infnet(t, ExitOK, "check", "study.toml")
	if s.calls() != 0 {
		t.Fatal("check asks a server")
	}
	plan, _ := infnet(t, ExitOK, "plan", "study.toml")
	if s.calls() != 0 || !strings.Contains(plan, "TFLOPS") {
		t.Fatalf("the plan asks a server, or knows no TFLOPs from the stated shapes:\n%s", plan)
	}
	out, _ := infnet(t, ExitOK, "run", "study.toml")
	if got := s.calls(); got != 4*n {
		t.Errorf("%d calls for two models and two datasets of %d records", got, n)
	}
	if s.most > 16 {
		t.Errorf("%d calls in flight, the larger limit is 16", s.most)
	}
	first := tables(t)
	for _, want := range []string{"colours", "phrases", "Cost Saved"} {
		if !strings.Contains(first, want) || !strings.Contains(out, want) {
			t.Errorf("no %q in the tables", want)
		}
	}
	infnet(t, ExitOK, "run", "study.toml", "--offline")
	if got := s.calls(); got != 4*n || tables(t) != first {
		t.Errorf("a second run asks (%d calls in all), or writes other tables", got)
	}
}

// A server that is too busy at first is asked again, and nothing is lost; a
// URL where nobody answers is left alone while another works.
func TestServersThatRecover(t *testing.T) {
	const n = 40
	s := &loopback{spoil: func(k int, prompt string) (int, string) {
		if k == 1 && strings.Contains(prompt, "Item 7 ") {
			return 429, `{"error": {"message": "slow down"}}`
		}
		if k <= 2 && strings.Contains(prompt, "Item 9 ") {
			return 503, "overloaded"
		}
		return 0, ""
	}}
	live := serve(t, s)
	gone := httptest.NewServer(s)
	gone.Close()
	serverStudy(t, n, quoted(gone.URL+"/v1", live), quoted(live), "", "")
	_, stderr := infnet(t, ExitOK, "run", "study.toml", "--log", "json")
	if !strings.Contains(stderr, "asking again") {
		t.Errorf("no word of the further tries:\n%s", stderr)
	}
	if strings.Contains(tables(t), "incomplete") {
		t.Errorf("tables:\n%s", tables(t))
	}
}

// What a server never answers is recorded with its cause, and more of it than
// the study allows is an exit code of its own, with the tables written.
func TestServersThatFail(t *testing.T) {
	garbage := func(_ int, prompt string) (int, string) {
		if strings.Contains(prompt, "Item 1") { // 1, 10 to 19
			return 200, `{"choices": [{"index": 0, "te`
		}
		return 0, ""
	}
	s := &loopback{spoil: garbage}
	url := quoted(serve(t, s))
	serverStudy(t, 40, url, url, "", "")
	replaceIn(t, "study.toml", "retries = 0", "retries = 2")
	out, _ := infnet(t, ExitIncomplete, "run", "study.toml")
	for _, want := range []string{"bad-response ×11", "student", "master"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	if !strings.Contains(tables(t), "colours") {
		t.Error("the tables were not written")
	}
	before := s.calls()
	infnet(t, ExitIncomplete, "run", "study.toml")
	if s.calls() != before {
		t.Error("what failed is asked again without --retry-failed")
	}
	s.spoil = nil
	infnet(t, ExitOK, "run", "study.toml", "--retry-failed")
	if got := s.calls() - before; got != 22 {
		t.Errorf("%d calls to mend 22 failures", got)
	}
}

// A server that is not there ends the run: with the records' failures where
// they are few, and early where they are many.
func TestServersThatAreNotThere(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	url := quoted(gone.URL + "/v1")
	serverStudy(t, 120, url, url, "", "")
	replaceIn(t, "study.toml", "retries = 0", "retries = 2")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	if !strings.Contains(stderr, "student") || !strings.Contains(stderr, "connection") {
		t.Errorf("the error names neither model nor cause:\n%s", stderr)
	}
	_, stderr = infnet(t, ExitIncomplete, "run", "study.toml", "--limit", "20", "--store", "other")
	if !strings.Contains(stderr, "connection") {
		t.Errorf("the error does not name the cause:\n%s", stderr)
	}
}

// A wrong key, and none.
func TestServersAndKeys(t *testing.T) {
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, 120, url, url, "", "")
	t.Setenv("TEST_KEY", "k-another")
	_, stderr := infnet(t, ExitModel, "run", "study.toml")
	if !strings.Contains(stderr, "unauthorized") || !strings.Contains(stderr, "[secret]") {
		t.Errorf("the error should say unauthorized, in the server's words, without the key:\n%s", stderr)
	}
	os.Unsetenv("TEST_KEY")
	infnet(t, ExitOK, "check", "study.toml")
	_, stderr = infnet(t, ExitModel, "run", "study.toml", "--store", "other")
	if !strings.Contains(stderr, "TEST_KEY") || !strings.Contains(stderr, "not set") {
		t.Errorf("the error should name the variable that is not set:\n%s", stderr)
	}
}

// A model without log-probabilities can be the master, and no student.
func TestServersWithoutLogprobs(t *testing.T) {
	silent := quoted(serve(t, &loopback{silent: true}))
	talking := quoted(serve(t, &loopback{}))
	t.Run("as the master", func(t *testing.T) {
		serverStudy(t, 40, talking, silent, "", "no_logprobs = true")
		infnet(t, ExitOK, "run", "study.toml")
		if !strings.Contains(tables(t), "colours") {
			t.Errorf("tables:\n%s", tables(t))
		}
	})
	t.Run("as the master, found by asking", func(t *testing.T) {
		serverStudy(t, 40, talking, silent, "", "")
		infnet(t, ExitOK, "run", "study.toml")
		// Its answers are on disk now, and no student's.
		replaceIn(t, "study.toml", `models = ["master", "student"]`, `models = ["student", "master"]`)
		_, stderr := infnet(t, ExitModel, "run", "study.toml")
		if !strings.Contains(stderr, "model master") || !strings.Contains(stderr, "last model of a cascade") {
			t.Errorf("the error says neither why nor what to do:\n%s", stderr)
		}
	})
	t.Run("as the student", func(t *testing.T) {
		serverStudy(t, 40, silent, talking, "no_logprobs = true", "")
		_, stderr := infnet(t, ExitSpec, "run", "study.toml")
		if !strings.Contains(stderr, "no_logprobs") || !strings.Contains(stderr, "put it last") {
			t.Errorf("the error says neither why nor what to do:\n%s", stderr)
		}
	})
	t.Run("as the student, found by asking", func(t *testing.T) {
		s := &loopback{silent: true}
		serverStudy(t, 40, quoted(serve(t, s)), talking, "", "")
		_, stderr := infnet(t, ExitModel, "run", "study.toml")
		if !strings.Contains(stderr, "student") || !strings.Contains(stderr, "log-probabilities") || !strings.Contains(stderr, "last model of a cascade") {
			t.Errorf("the error says neither why nor what to do:\n%s", stderr)
		}
		if got := s.calls(); got > 8 {
			t.Errorf("%d calls to a model whose answers cannot be used", got)
		}
	})
}

// A zero-shot classifier behind a Hugging Face endpoint as the student of a
// chat model.
func TestEndpointEndToEnd(t *testing.T) {
	const n = 40
	var asked atomic.Int64
	endpoint := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var q struct {
			Inputs     string `json:"inputs"`
			Parameters struct {
				Labels []string `json:"candidate_labels"`
			} `json:"parameters"`
		}
		err := json.NewDecoder(r.Body).Decode(&q)
		if err != nil || strings.Contains(q.Inputs, "Colour") || r.Header.Get("Authorization") != "Bearer "+hushed {
			w.WriteHeader(400)
			return
		}
		best := say("small", q.Inputs+"\n", 1, true)[0]
		var list []map[string]any // the hub's present form, most probable first
		for _, l := range append([]string{best.text}, best.rest...) {
			score := math.Exp(best.lp)
			if l != best.text {
				score = (1 - score) / float64(len(best.rest))
			}
			list = append(list, map[string]any{"label": l, "score": score})
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(list)
	}))
	t.Cleanup(endpoint.Close)
	s := &loopback{}
	url := quoted(serve(t, s))
	serverStudy(t, n, url, url, "", "")
	replaceIn(t, "study.toml", "backend = \"zero\"", "backend = \"one\"")
	replaceIn(t, "study.toml", "", "shape = \"gemma3-1b\"")
	replaceIn(t, "study.toml", "models = [\"student\", \"master\"]\ndatasets = [\"colours\"]", `models = ["student", "master"]`)
	replaceIn(t, "study.toml", "[cost]\nmodel = \"latency\"\n\n[backends.zero]\nkind = \"huggingface\"\ntask = \"zero-shot-classification\"\nend = \"\\nColour:\"\n"+
		"api_key_env = \"TEST_KEY\"\nurls = ["+quoted(endpoint.URL)+"]\n\n[collect]", "[collect]")
	infnet(t, ExitOK, "run", "study.toml")
	if asked.Load() != n || !strings.Contains(tables(t), "colours") {
		t.Errorf("%d calls of the endpoint for %d records; tables:\n%s", asked.Load(), n, tables(t))
	}
}

// The published signature is refused for small local models before any call,
// though only their folders say how small they are.
func TestSignatureOfSmallLocalModels(t *testing.T) {
	t.Chdir(t.TempDir())
	text := "study = \"tiny\"\n[[models]]\nname = \"s\"\nbackend = \"local\"\npath = \"builtin:tiny-student\"\n[[models]]\nname = \"m\"\nbackend = \"local\"\npath = \"builtin:tiny-master\"\n" +
		"[[datasets]]\nname = \"reviews\"\nsource = \"builtin:reviews\"\nlimit = 20\n[[cascades]]\nmodels = [\"s\", \"m\"]\n[cost]\nsummary = \"signature\"\n"
	if err := os.WriteFile("study.toml", []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"check", "run"} {
		_, stderr := infnet(t, ExitSpec, command, "study.toml")
		if !strings.Contains(stderr, "signature") || !strings.Contains(stderr, "billion") || !strings.Contains(stderr, "model s ") || !strings.Contains(stderr, "model m ") {
			t.Errorf("%s: the error should name summary and models:\n%s", command, stderr)
		}
	}
}

// replaceIn replaces a line of a file.
func replaceIn(t *testing.T, name, line, old string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, bytes.Replace(text, []byte(old), []byte(line), 1), 0o666); err != nil {
		t.Fatal(err)
	}
}
