package openai

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// tap is a server that keeps the last call to the model and the reply to it.
type tap struct {
	inner http.Handler
	mu    sync.Mutex
	path  string
	sent  []byte
	reply backends.BatchReply
}

func (p *tap) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	rec := httptest.NewRecorder()
	p.inner.ServeHTTP(rec, r)
	if strings.HasSuffix(r.URL.Path, "/completions") {
		p.mu.Lock()
		p.path, p.sent, p.reply = r.URL.Path, body, backends.BatchReply{Status: rec.Code, Body: rec.Body.Bytes()}
		p.mu.Unlock()
	}
	for k, v := range rec.Header() {
		w.Header()[k] = v
	}
	w.WriteHeader(rec.Code)
	_, _ = w.Write(rec.Body.Bytes())
}

// mail opens a model for batch files.
func mail(t *testing.T, labels backends.LabelMode, change ...func(*backends.OpenAIConfig)) *Batch {
	t.Helper()
	c := &backends.OpenAIConfig{Access: backends.Access{APIKeyEnv: "NO_SUCH_VARIABLE"}} // whose value is not needed
	for _, f := range change {
		f(c)
	}
	b, err := OpenBatch(backends.Config{Model: testID, Settings: c}, labels)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The call in a batch file is the one that goes over the wire, byte for byte, and its reply gives the same answer.
func TestBatchAsksAsLive(t *testing.T) {
	sentiment := []string{" positive", " negative"}
	for _, test := range []struct {
		name    string
		labels  backends.LabelMode
		change  func(*backends.OpenAIConfig)
		request backends.Request
	}{
		{"chat, labels", backends.LabelsTopLogprobs, nil,
			backends.Request{Mode: backends.Chat, Prompt: "a <b> & c", Labels: sentiment}},
		{"raw, labels", backends.LabelsTopLogprobs, nil, backends.Request{Mode: backends.Raw, Prompt: "Review: x\nSentiment:",
			Labels: three, Seed: 1 << 40}},
		{"chat, text", backends.LabelsText, func(c *backends.OpenAIConfig) { c.NoLogprobs = true },
			backends.Request{Mode: backends.Chat, Prompt: "Sentiment:", Labels: []string{" zjw", " negative"}}},
		{"chat, generation", backends.LabelsTopLogprobs, nil,
			backends.Request{Mode: backends.Chat, Prompt: "Count:", MaxTokens: 4,
				TopLogprobs: 2}},
		{"raw, generation with a stop", backends.LabelsTopLogprobs, nil,
			backends.Request{Mode: backends.Raw, Prompt: "Count:",
				MaxTokens: 8, Stop: []string{"\n", "."}}},
		{"settings", backends.LabelsTopLogprobs, func(c *backends.OpenAIConfig) {
			c.Served, c.TopLogprobs = "m:latest", 5
			c.Extra = map[string]any{"seed": nil, "reasoning_effort": "none", "z": map[string]any{"b": 1, "a": 2}}
		}, backends.Request{Mode: backends.Chat, Prompt: "Sentiment:", Labels: sentiment, Served: "m:latest"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.request.Model = testID
			change := func(c *backends.OpenAIConfig) {
				if c.Labels = test.labels; test.change != nil {
					test.change(c)
				}
			}
			wire := &tap{inner: &fake{Flavour: flavours["vllm"]}}
			live := ask(t, open(t, newServer(t, wire.ServeHTTP)+"/v1", change), test.request)
			b := mail(t, test.labels, change)
			call, f := b.Call(t.Context(), test.request)
			if f != nil {
				t.Fatal(f)
			}
			if call.URL != wire.path || string(call.Body) != string(wire.sent) {
				t.Errorf("by batch %s %s\nlive     %s %s", call.URL, call.Body, wire.path, wire.sent)
			}
			again, _ := b.Call(t.Context(), test.request)
			if string(again.Body) != string(call.Body) {
				t.Errorf("another body: %s", again.Body)
			}
			got := b.Answer(t.Context(), test.request, wire.reply)
			live.Latency = 0
			if d := cmp.Diff(live, got, cmp.Comparer(func(a, b backends.Count) bool { return a == b })); d != "" {
				t.Errorf("the answer differs from the live one (-live +batch):\n%s", d)
			}
			if got.Failure != nil {
				t.Errorf("no answer: %v", got.Failure)
			}
		})
	}
}

// What a reply says is judged as that of a live server is. There is no list of models to ask: the name itself and a
// snapshot of it count, and no other.
func TestBatchReplies(t *testing.T) {
	r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "Count:", MaxTokens: 4}
	for _, test := range []struct {
		status int
		body   string
		cause  backends.Cause
	}{
		{400, `{"error":{"message":"This model's maximum context length is 8 tokens"}}`, backends.TooLong},
		{404, `{"error":{"message":"The model does not exist"}}`, backends.BadRequest},
		{429, `{"error":{"code":"insufficient_quota","message":"pay"}}`, backends.Unauthorized},
		{500, ``, backends.ServerError}, {200, ``, backends.BadResponse},
		{200, `{"id":"x","choices":[{"ind`, backends.BadResponse}, {200, `{"error":{"message":"oops"}}`, backends.ServerError},
		{0, ``, backends.BadResponse}, // which output files have been seen with
	} {
		a := mail(t, backends.LabelsTopLogprobs).Answer(t.Context(), r, backends.BatchReply{Status: test.status,
			Body: []byte(test.body)})
		if a.Failure == nil || a.Failure.Cause != test.cause || strings.Contains(a.Failure.Message, "batch.invalid") {
			t.Errorf("%d %s: %v, want %s", test.status, test.body, a.Failure, test.cause)
		}
	}
	for _, test := range []struct {
		replied string
		cause   backends.Cause
	}{
		{"m", ""}, {"m-2024-08-06", ""}, {"", ""},
		{"m-mini", backends.OtherModel}, {"m-mini-2024-08-06", backends.OtherModel}, {"n", backends.OtherModel},
	} {
		body := `{"model":"` + test.replied + `","choices":[{"index":0,"finish_reason":"stop","message":{"content":"a"},` +
			`"logprobs":{"content":[{"token":"a","logprob":-0.5,"top_logprobs":[]}]}}]}`
		a := mail(t, backends.LabelsTopLogprobs).Answer(t.Context(), r, backends.BatchReply{Status: 200, Body: []byte(body)})
		switch {
		case test.cause == "" && (a.Failure != nil || a.Model != test.replied):
			t.Errorf("%q: %v, answered by %q", test.replied, a.Failure, a.Model)
		case test.cause != "" && (a.Failure == nil || a.Failure.Cause != test.cause):
			t.Errorf("%q: %v, want %s", test.replied, a.Failure, test.cause)
		}
	}
}

// Modes that take several calls, or a server's tokenizer, have no batch. What no server could answer has no call.
func TestBatchRefuses(t *testing.T) {
	for _, mode := range []backends.LabelMode{backends.LabelsAuto, backends.LabelsTokenIDs} {
		if _, err := OpenBatch(backends.Config{Model: testID, Settings: &backends.OpenAIConfig{}}, mode); err == nil {
			t.Errorf("label mode %q was taken", mode)
		}
	}
	b := mail(t, backends.LabelsTopLogprobs)
	if call, f := b.Call(t.Context(), backends.Request{Model: testID, Mode: backends.Chat, MaxTokens: 1}); f == nil {
		t.Errorf("an empty prompt: %s", call.Body)
	}
}

// A key that is set is in no failure and in no answer, as live; one that no server would take does no harm.
func TestBatchKeepsKeysOut(t *testing.T) {
	const secret = "sk-0123456789abcdef"
	reply := func(text string) string {
		return `{"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"content":"` + text +
			`"},"logprobs":{"content":[{"token":"` + text + `","logprob":-0.5,"top_logprobs":[]}]}}]}`
	}
	for _, test := range []struct {
		name, variable string
		change         func(*backends.OpenAIConfig)
		status         int
		body           string
		cause          backends.Cause
	}{
		{"variable, error", secret, nil, 401, `{"error":{"message":"wrong key ` + secret + `"}}`, backends.Unauthorized},
		{"variable, answer", secret, nil, 200, reply(secret), backends.BadRequest},
		{"key, error", "", func(c *backends.OpenAIConfig) { c.APIKey, c.APIKeyEnv = secret, "" }, 401,
			`{"error":{"message":"wrong key ` + secret + `"}}`, backends.Unauthorized},
		{"header, error", "", func(c *backends.OpenAIConfig) { c.Headers = map[string]backends.Secret{"X-Key": secret} }, 401,
			`{"error":{"message":"wrong key ` + secret + `"}}`, backends.Unauthorized},
		{"a whole file", "a\nb", nil, 200, reply("a"), ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("BATCH_TEST_KEY", test.variable)
			b := mail(t, backends.LabelsTopLogprobs, func(c *backends.OpenAIConfig) {
				if c.APIKeyEnv = "BATCH_TEST_KEY"; test.change != nil {
					test.change(c)
				}
			})
			r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "Count:", MaxTokens: 4}
			call, f := b.Call(t.Context(), r)
			if f != nil || strings.Contains(string(call.Body), secret) {
				t.Fatalf("the call is %s, %v", call.Body, f)
			}
			a := backends.Pass(r, b.Answer(t.Context(), r,
				backends.BatchReply{Status: test.status, Body: []byte(test.body)}))
			switch {
			case test.cause == "" && a.Failure != nil:
				t.Error(a.Failure)
			case test.cause != "" && (a.Failure == nil || a.Failure.Cause != test.cause):
				t.Errorf("failure %v, want %s", a.Failure, test.cause)
			case a.Failure != nil && strings.Contains(a.Failure.Message, secret) || strings.Contains(a.Text, secret):
				t.Errorf("the key is kept: %v %q", a.Failure, a.Text)
			}
		})
	}
}
