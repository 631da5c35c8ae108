package hosted_test

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"infnet/backends"
	"infnet/backends/hosted"
)

// secret is every provider's key. No message may hold it.
const secret = "sk-verysecretkey-0123456789"

// asked is a request as a provider reads it.
type asked struct {
	model     string
	system    string
	turns     []turn // from the first example to the prompt
	maxTokens int
	stop      []string
}

type turn struct{ role, text string }

// form is how one provider writes requests and replies. Its documentation is cited in the package's file of the
// provider.
type form struct {
	provider backends.Provider
	served   string // the name asked
	path     string // of the call
	header   string // where the key is
	prefix   string // before the key

	read  func(t *testing.T, body []byte, r *http.Request) asked // and check that the request is as documented
	write func(a reply) any
	words map[backends.Finish]string // the provider's words for the reasons
}

// reply is what a fake says.
type reply struct {
	model              string
	text               string
	finish             backends.Finish
	prompt, completion int
}

// fake is a provider's server that answers in its documented form.
type fake struct {
	form
	t      *testing.T
	server *httptest.Server

	mu   sync.Mutex
	last asked
}

func serve(t *testing.T, f form) *fake {
	t.Helper()
	s := &fake{form: f, t: t}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// config opens a model of the fake.
func (f *fake) config(change ...func(*backends.HostedConfig)) backends.Config {
	c := backends.HostedConfig{Provider: f.provider,
		Access: backends.Access{URLs: []string{f.server.URL}, Served: f.served, APIKey: secret}}
	for _, do := range change {
		do(&c)
	}
	return backends.Config{Settings: &c,
		Model: backends.ModelID{ID: "master", Revision: c.Revision("1"), Kind: backends.Hosted}}
}

func open(t *testing.T, c backends.Config) *hosted.Model {
	t.Helper()
	m, err := hosted.Open(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != f.path || r.URL.RawQuery != "" {
		f.t.Errorf("%s %s: want POST %s", r.Method, r.URL, f.path)
	}
	if got := r.Header.Get(f.header); got != f.prefix+secret {
		f.t.Errorf("%s: %q", f.header, got)
	}
	if got := r.Header.Get("Content-Type"); got != "application/json" {
		f.t.Errorf("content type %q", got)
	}
	body := readAll(f.t, r)
	a := f.read(f.t, body, r)
	if a.model != "" && a.model != f.served {
		f.t.Errorf("model %q was asked, want %q", a.model, f.served)
	}
	for i, u := range a.turns {
		if want := []string{"user", "assistant"}[i%2]; u.role != want {
			f.t.Errorf("turn %d is of the %s, want the %s", i, u.role, want)
		}
	}
	f.mu.Lock()
	f.last = a
	f.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(f.write(f.say(a)))
}

// say answers: a label where the prompt asks for one, else words drawn from the prompt, up to the limit.
func (f *fake) say(a asked) reply {
	prompt := a.turns[len(a.turns)-1].text
	draw := fnv.New32a()
	_, _ = draw.Write([]byte(a.system + prompt))
	n := int(draw.Sum32())
	out := reply{model: f.served, finish: backends.FinishEnd, prompt: 3 + len(strings.Fields(a.system+" "+prompt))}
	for _, u := range a.turns[:len(a.turns)-1] {
		out.prompt += len(strings.Fields(u.text))
	}
	var words []string
	switch {
	case strings.Contains(prompt, "negative or positive"):
		words = []string{[]string{"Negative.", "positive"}[n%2]}
	default:
		for range 3 + n%5 {
			n = n*1664525 + 1013904223
			words = append(words, []string{"Ada", "wrote", "the", "é", "\"first\"", "END", "program\n"}[(uint32(n)>>8)%7])
		}
	}
	if len(words) > a.maxTokens {
		words, out.finish = words[:a.maxTokens], backends.FinishLength
	}
	out.text, out.completion = strings.Join(words, " "), len(words)
	for _, s := range a.stop {
		if i := strings.Index(out.text, s); i >= 0 {
			out.text, out.finish = out.text[:i], backends.FinishEnd
		}
	}
	return out
}

func readAll(t *testing.T, r *http.Request) []byte {
	t.Helper()
	var b json.RawMessage
	if err := json.NewDecoder(r.Body).Decode(&b); err != nil {
		t.Errorf("the request is no JSON: %v", err)
	}
	return b
}

// decode reads a request strictly: a field that the form does not have is an error.
func decode(t *testing.T, body []byte, v any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err != nil {
		t.Errorf("request %s: %v", body, err)
	}
}

// greedy checks the temperature of a request.
func greedy(t *testing.T, temperature *float64, body []byte) {
	t.Helper()
	if temperature == nil || *temperature != 0 {
		t.Errorf("the request does not ask for temperature 0: %s", body)
	}
}

// requests are a model's: classifications and generations, with and without what a chat may begin with.
func requests(id backends.ModelID, served string) []backends.Request {
	base := backends.Request{Model: id, Mode: backends.Chat, Served: served}
	var out []backends.Request
	for _, text := range []string{"A fine film.", "Two hours lost.", "Good; \"very\" good ☺"} {
		r := base
		r.Prompt = "Review: " + text + "\nAnswer with one word, negative or positive:"
		r.Labels = []string{" negative", " positive"}
		out = append(out, r)
		r = base
		r.Prompt, r.MaxTokens = "Who wrote it? "+text, 16
		out = append(out, r)
	}
	r := out[1]
	r.System, r.Stop = "Answer from the text alone.", []string{"END"}
	out = append(out, r)
	r = out[3]
	r.Examples = []backends.Example{{Prompt: "Who?", Answer: "Ada."}, {Prompt: "When?", Answer: "1843."}}
	r.MaxTokens = 2
	return append(out, r)
}
