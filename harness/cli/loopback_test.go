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
	"testing"
	"time"
)

// hushed is the API key of the tests: it must be in no file and on no screen.
const hushed = "k-5f2c9e-hushed"

// loopback is a server of two models, "small" and "large", that speaks the
// OpenAI protocol on the loopback interface. What it says follows from the
// model and the prompt alone: "small" errs more, and where it is less sure.
type loopback struct {
	usage  string  // JSON in place of the tokens that it counts
	silent bool    // gives no log-probabilities
	key    string  // that it wants; "" = hushed
	other  string  // other weights under the same names; "" = the first ones
	jitter float64 // of its certainty, another in every reply
	as     string  // the model's name in its replies; "" = as it was asked for
	system string  // its fingerprint
	// what to answer to the n-th call with a prompt, 0 = as it should
	spoil func(n int, prompt string) (status int, b string)

	mu       sync.Mutex
	asked    map[string]int // calls by prompt
	replies  int
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
	// as some servers do, it repeats the key
	if got := r.Header.Get("Authorization"); got != "Bearer "+cmp.Or(s.key, hushed) {
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
		Temperature float64         `json:"temperature"`
		Seed        int             `json:"seed"`
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
	drawn := "" // of a sample
	if q.Temperature > 0 {
		drawn = fmt.Sprintf("|%v %d", q.Temperature, q.Seed)
	}
	tokens := say(q.Model, prompt+s.other+drawn, q.MaxTokens, chat)
	text := ""
	if s.jitter > 0 {
		s.mu.Lock()
		s.replies++
		by := math.Sin(float64(s.replies)) * s.jitter
		s.mu.Unlock()
		for i := range tokens {
			tokens[i].lp = math.Log(math.Exp(tokens[i].lp) + by*(1-math.Exp(tokens[i].lp)))
		}
	}
	for _, t := range tokens {
		text += t.text
	}
	choice := map[string]any{"index": 0, "finish_reason": "stop", "text": text}
	if chat {
		choice = map[string]any{"index": 0, "finish_reason": "stop",
			"message": map[string]any{"role": "assistant", "content": text}}
	}
	if len(q.Logprobs) > 0 && string(q.Logprobs) != "null" && !s.silent {
		choice["logprobs"] = written(tokens, top, chat)
	}
	var usage any = map[string]any{"prompt_tokens": 1 + len(strings.Fields(prompt)), "completion_tokens": len(tokens)}
	if s.usage != "" {
		usage = json.RawMessage(s.usage)
	}
	reply(200, map[string]any{"model": cmp.Or(s.as, q.Model), "choices": []any{choice}, "usage": usage,
		"system_fingerprint": s.system})
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
		if len(t.rest) < len(colours) { // every list is as long: a shorter one would be asked for again
			t.rest = append(t.rest, blank(word)+"else")
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
		content = append(content, map[string]any{"token": t.text, "logprob": t.lp,
			"top_logprobs": list[:min(len(list), top)]})
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
	const at = "urls = [%s]\napi_key_env = \"TEST_KEY\"\n"
	writeServerStudy(t, dir, n, fmt.Sprintf(at+"concurrency = 4\n%s", studentURL, settings),
		fmt.Sprintf(at+"%s", masterURL, master))
}

// writeServerStudy writes a study of two models behind servers, of whose backends this is the rest of the tables.
func writeServerStudy(t *testing.T, dir string, n int, one, two string) {
	t.Helper()
	var phrases strings.Builder
	phrases.WriteString("phrase\n")
	for i := range n {
		fmt.Fprintf(&phrases, "the %s one is number %s\n", colours[i%4], strings.Repeat("i", i+1))
	}
	study := fmt.Sprintf(`study = "servers"
report.page = false
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
%s

[backends.two]
kind = "openai"
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
`, one, two)
	for name, text := range map[string]string{"study.toml": study, "phrases.csv": phrases.String()} {
		save(t, filepath.Join(dir, name), text)
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
	began := time.Now()
	got := Run(context.Background(), args, strings.NewReader(""), &out, &errOut)
	t.Logf("%.1fs infnet %s", time.Since(began).Seconds(), strings.Join(args, " "))
	if got != want {
		t.Fatalf("infnet %s: exit code %d, want %d\n%s%s", strings.Join(args, " "), got, want, out.String(), errOut.String())
	}
	key := cmp.Or(os.Getenv("TEST_KEY"), hushed)
	if strings.Contains(out.String()+errOut.String(), key) {
		t.Errorf("infnet %s shows the key:\n%s%s", strings.Join(args, " "), out.String(), errOut.String())
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".out.jsonl") { // what a provider wrote
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
	files, err := filepath.Glob("runs/servers/tables/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tables: %v", err)
	}
	var all strings.Builder
	for _, file := range files {
		text := must(os.ReadFile(file))
		all.Write(text)
	}
	return all.String()
}

// replaceIn replaces a line of a file.
func replaceIn(t *testing.T, name, line, old string) {
	t.Helper()
	save(t, name, strings.Replace(string(must(os.ReadFile(name))), old, line, 1))
}
