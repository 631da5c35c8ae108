package hosted_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"infnet/backends"
	"infnet/backends/hosted"
)

// secret is every provider's key. No message may hold it.
const secret = "sk-verysecretkey-0123456789"

// asked is a request as a provider reads it.
type asked struct {
	system    string
	turns     []turn // from the first example to the prompt
	maxTokens int
	stop      []string
}

type turn struct{ role, text string }

// served is the name asked.
const served = "claude-sonnet-4-5"

// reply is what a fake says.
type reply struct {
	model              string
	text               string
	finish             backends.Finish
	prompt, completion int
}

// fake is a server that answers in Anthropic's documented form (platform.claude.com/docs/en/api).
type fake struct {
	t      *testing.T
	server *httptest.Server
	write  func(a reply) any

	mu   sync.Mutex
	last asked
}

func serve(t *testing.T) *fake {
	t.Helper()
	s := &fake{t: t, write: message}
	s.server = httptest.NewServer(s)
	t.Cleanup(s.server.Close)
	return s
}

// says answers every call with one body.
func says(t *testing.T, body string) backends.Config {
	t.Helper()
	s := serve(t)
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	})
	return s.config()
}

// replies numbers them: each has an id of its own.
var replies atomic.Int64

// message is a reply; its prompt has 2 tokens read from a cache and 1 written to it.
func message(a reply) any {
	return map[string]any{
		"id": fmt.Sprintf("msg_%024d", replies.Add(1)), "type": "message", "role": "assistant", "model": a.model,
		"content": []any{map[string]any{"type": "text", "text": a.text}},
		"stop_reason": map[backends.Finish]string{backends.FinishEnd: "end_turn",
			backends.FinishLength: "max_tokens"}[a.finish],
		"stop_sequence": nil,
		"usage": map[string]any{"input_tokens": a.prompt - 3, "cache_creation_input_tokens": 1,
			"cache_read_input_tokens": 2, "output_tokens": a.completion, "service_tier": "standard"},
	}
}

// config opens a model of the fake.
func (f *fake) config(change ...func(*backends.HostedConfig)) backends.Config {
	c := backends.HostedConfig{Provider: backends.Anthropic,
		Access: backends.Access{URLs: []string{f.server.URL}, Served: served, APIKey: secret}}
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

// ServeHTTP reads a request strictly: a field that the form does not have is an error.
func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != "/messages" || r.URL.RawQuery != "" {
		f.t.Errorf("%s %s: want POST /messages", r.Method, r.URL)
	}
	for name, want := range map[string]string{"X-Api-Key": secret, "Content-Type": "application/json",
		"anthropic-version": "2023-06-01"} {
		if got := r.Header.Get(name); got != want {
			f.t.Errorf("%s: %q", name, got)
		}
	}
	var q struct {
		Model    string `json:"model"`
		Messages []struct {
			Role    string `json:"role"`
			Content []struct {
				Type string `json:"type"`
				Text string `json:"text"`
			} `json:"content"`
		} `json:"messages"`
		System      string   `json:"system"`
		MaxTokens   int      `json:"max_tokens"`
		Stop        []string `json:"stop_sequences"`
		Temperature *float64 `json:"temperature"`
	}
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&q); err != nil || q.Temperature == nil || *q.Temperature != 0 || q.Model != served {
		f.t.Errorf("the request is %+v, %v: want temperature 0 and model %s", q, err, served)
	}
	a := asked{system: q.System, maxTokens: q.MaxTokens, stop: q.Stop}
	for i, m := range q.Messages {
		if len(m.Content) != 1 || m.Content[0].Type != "text" || m.Role != []string{"user", "assistant"}[i%2] {
			f.t.Errorf("turn %d is %+v: want one block of text", i, m)
			continue
		}
		a.turns = append(a.turns, turn{m.Role, m.Content[0].Text})
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
	out := reply{model: served, finish: backends.FinishEnd, prompt: 3 + len(strings.Fields(a.system+" "+prompt))}
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

// requests are a model's: classifications and generations, with and without what a chat may begin with.
func requests(id backends.ModelID) []backends.Request {
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
