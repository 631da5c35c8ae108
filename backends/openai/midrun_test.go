package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/retry"
)

// A reply given to two requests is refused, and a cached one is not.
func TestOneIDForTwoRequests(t *testing.T) {
	const id = "chatcmpl-0123456789abcdef"
	m := open(t, static(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		text := chatty("-0.5", alternatives)
		if said := string(body); strings.Contains(said, `"content":"p"`) || strings.Contains(said, `"content":"q"`) {
			text = strings.Replace(text, `{"choices"`, `{"id":"`+id+`","choices"`, 1)
		}
		says(200, text)(w, r)
	}),
		func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
	for i, test := range []struct {
		prompt string
		fails  bool
	}{{"p", false}, {"p", false}, {"q", true}, {"p", false}, {"q", true}} {
		f := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: test.prompt,
			Labels: []string{" a", " b"}}).Failure
		if (f != nil) != test.fails ||
			f != nil && (f.Cause != backends.BadResponse || !strings.Contains(f.Message, "another request")) {
			t.Errorf("call %d, %q: %v, want a failure: %t", i+1, test.prompt, f, test.fails)
		}
	}
}

// Two URLs serve one model; one dies in the middle of a run, with calls under
// way. All answers come, with the bits of a calm run; the other takes over; and
// once the first is back it gets calls again.
func TestURLDiesMidRun(t *testing.T) {
	inner := func() http.Handler { return &fake{Flavour: flavours["vllm"]} }
	a, b := &counted{inner: inner(), dies: 60}, &counted{inner: inner()}
	first, second := httptest.NewServer(a), httptest.NewServer(b)
	t.Cleanup(second.Close)
	a.die = func() {
		_ = first.Listener.Close()
		first.CloseClientConnections()
	}
	t.Cleanup(func() { first.CloseClientConnections(); _ = first.Listener.Close() })
	address := first.Listener.Addr().String()
	var reqs []backends.Request
	for i := range 300 {
		reqs = append(reqs, backends.Request{Model: testID, Mode: backends.Raw, Prompt: fmt.Sprintf("d%d:", i),
			Labels: three})
	}
	_, calmURL := serve(t, flavours["vllm"])
	set := func(c *backends.OpenAIConfig) {
		c.Labels, c.Concurrency, c.CoolDown = backends.LabelsTokenIDs, 8, 20*time.Millisecond
	}
	calm, err := open(t, calmURL, set).Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	m := open(t, first.URL+"/v1", set, func(c *backends.OpenAIConfig) { c.URLs = append(c.URLs, second.URL+"/v1") })
	r := retry.New(m, retry.Options{Tries: 12, First: time.Millisecond})
	got, err := r.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i := range got {
		if why := backendtest.Differ(calm[i], got[i]); why != "" {
			t.Errorf("request %d: %s (%v)", i, why, got[i].Failure)
		}
	}
	if a.calls.Load() < 60 || b.calls.Load() < 200 {
		t.Errorf("%d calls reached the first, which died at its 60th, and %d the second", a.calls.Load(), b.calls.Load())
	}

	// It comes back at the same address.
	l, err := net.Listen("tcp", address)
	if err != nil {
		t.Skipf("the address was taken meanwhile: %v", err)
	}
	again := &counted{inner: inner()}
	back := &http.Server{Handler: again}
	go func() { _ = back.Serve(l) }()
	t.Cleanup(func() { _ = back.Close() })
	for deadline := time.Now().Add(30 * time.Second); again.calls.Load() < 5; {
		if time.Now().After(deadline) {
			t.Fatal("it is back, and gets no calls")
		}
		if as, err := r.Answer(t.Context(), reqs[:16]); err != nil || as[0].Failure != nil {
			t.Fatalf("%v, %v", err, as[0].Failure)
		}
	}
}

// counted is a server that counts its calls and dies, with those under way, at
// a given one.
type counted struct {
	inner http.Handler
	calls atomic.Int64
	dies  int64 // 0 = never
	die   func()
}

func (c *counted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if n := c.calls.Add(1); n == c.dies {
		go c.die()
	}
	time.Sleep(time.Millisecond) // so that both have calls in flight
	c.inner.ServeHTTP(w, r)
}

// Where no label is among the most probable tokens, auto measures another way
// if the server has one; where labels do not suit the best way, it takes the
// next.
func TestAutoFallsBack(t *testing.T) {
	narrow := flavours["vllm"] // without named tokens, and few alternatives
	narrow.TokenIDs, narrow.ChatTop, narrow.RawTop = false, 2, 2
	few := flavours["vllm"] // named tokens, more than alternatives
	few.ChatTop, few.RawTop = 5, 5
	for _, test := range []struct {
		name string
		f    flavour
		mode backends.Mode
		all  bool // every answer sees every label
	}{
		{"echo", narrow, backends.Raw, false},
		{"more named tokens than alternatives", few, backends.Chat, true}, {"no more", few, backends.Raw, true},
	} {
		_, url := serve(t, test.f)
		m := open(t, url)
		all := 0
		for i := range 30 {
			r := backends.Request{Model: testID, Mode: test.mode, Prompt: fmt.Sprintf("b%d:", i), Labels: three}
			a := ask(t, m, r)
			if f := backends.Check(r, a); f != nil {
				t.Errorf("%s: %v", test.name, f)
				continue
			}
			seen := 0
			for _, l := range a.Labels {
				if l.Seen {
					seen++
				}
			}
			if seen == len(three) {
				all++
			}
		}
		if all == 0 || test.all && all != 30 {
			t.Errorf("%s: %d of 30 answers see all labels", test.name, all)
		}
	}
}

// A reply that is no answer fails as it does live.
func TestBatchFailsAsLive(t *testing.T) {
	r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "Count:", MaxTokens: 4}
	for _, test := range []struct {
		name   string
		status int
		body   string
		cause  backends.Cause
	}{
		{"bad request", 400, `{"error":{"message":"no"}}`, backends.BadRequest},
		{"too long", 400, `{"error":{"message":"This model's maximum context length is 8 tokens"}}`, backends.TooLong},
		{"key", 401, `{"error":{"message":"who"}}`, backends.Unauthorized},
		{"unknown model", 404, `{"error":{"message":"The model does not exist"}}`, backends.BadRequest},
		{"rate", 429, `{"error":{"message":"slow down"}}`, backends.RateLimited},
		{"quota", 429, `{"error":{"code":"insufficient_quota","message":"pay"}}`, backends.Unauthorized},
		{"server", 500, ``, backends.ServerError},
		{"empty", 200, ``, backends.BadResponse},
		{"truncated", 200, `{"id":"x","choices":[{"ind`, backends.BadResponse},
		{"no choice", 200, `{"model":"m","choices":[]}`, backends.BadResponse},
		{"error in 200", 200, `{"error":{"message":"oops"}}`, backends.ServerError},
		{"refusal", 200, `{"model":"m","choices":[{"index":0,"finish_reason":"stop","message":{"content":null,"refusal":"no"}}]}`,
			backends.Refused},
		{"another model", 200, `{"model":"n","choices":[{"index":0,"finish_reason":"stop","message":{"content":"a"}}]}`,
			backends.OtherModel},
	} {
		t.Run(test.name, func(t *testing.T) {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case strings.HasSuffix(r.URL.Path, "/models"):
					reply(w, 200, map[string]any{"data": []any{map[string]any{"id": "m"}}})
				case strings.HasSuffix(r.URL.Path, "/completions"):
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(test.status)
					_, _ = io.WriteString(w, test.body)
				default:
					w.WriteHeader(404)
				}
			}))
			defer srv.Close()
			live := ask(t, open(t, srv.URL+"/v1", func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs }), r)
			got := mail(t, backends.LabelsTopLogprobs).Answer(t.Context(), r, backends.BatchReply{Status: test.status,
				Body: []byte(test.body)})
			if got.Failure == nil || live.Failure == nil {
				t.Fatalf("live %v, by batch %v", live.Failure, got.Failure)
			}
			live.Failure.Message = strings.ReplaceAll(live.Failure.Message, "at "+srv.URL+"/v1; it lists m",
				"in the batch; it does not list its models")
			if got.Failure.Cause != test.cause || *got.Failure != *live.Failure {
				t.Errorf("by batch %v, want %s\nlive     %v", got.Failure, test.cause, live.Failure)
			}
		})
	}
	// A status that no server sends, which output files have been seen with.
	got := mail(t, backends.LabelsTopLogprobs).Answer(t.Context(), r, backends.BatchReply{})
	if got.Failure == nil || got.Failure.Cause != backends.BadResponse {
		t.Errorf("status 0: %v", got.Failure)
	}
}

// Contradictions in the lists of completions: a table by text that is repeated.
func TestContradictionsInLists(t *testing.T) {
	for _, test := range []struct{ name, logprobs, want string }{
		{"good", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," b":-1.5}]}`, ""},
		{"a token twice", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," b":-1.5," b":-2.5}]}`,
			"duplicate object member name"},
		{"two letter cases are two tokens",
			`{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," A":-1.5}]}`, ""},
		{"names of members are tokens too",
			`{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5,"Tokens":-1.5,"tokens":-2.5}]}`, ""},
		{"above 1 in sum", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5," b":-0.5}]}`, "add up to"},
		{"another value in the table", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-1.5," b":-2.5}]}`,
			"two log-probabilities"},
		{"two names of one token", `{"tokens":[" a"],"token_logprobs":[-0.5],"top_logprobs":[{" a":-0.5,"▁b":-1.5," b":-2.5}]}`, "two log-probabilities"},
		{"parts of characters", `{"tokens":["\ufffd"],"token_logprobs":[-0.5],"top_logprobs":[{"\ufffd":-1.5}]}`, ""},
		{"a byte of a character, in the list too", // vLLM 0.32 names the first byte of an ü by the empty text
			`{"tokens":["","ü"],"token_logprobs":[-0.01,-0.2],"top_logprobs":[{"":-0.01," b":-5.5},{"ü":-0.2}]}`, ""},
		{"a byte of a character that is less probable than it",
			`{"tokens":["","ü"],"token_logprobs":[-0.01,-0.2],"top_logprobs":[{"":-0.3},{"ü":-0.2}]}`, "add up to"},
		{"a byte of a character and a probable word",
			`{"tokens":["","ü"],"token_logprobs":[-0.01,-0.2],"top_logprobs":[{"":-0.01," b":-0.5},{"ü":-0.2}]}`, "add up to"},
	} {
		text := ` a`
		switch {
		case test.name == "parts of characters":
			text = "\uFFFD"
		case strings.HasPrefix(test.name, "a byte"):
			text = "ü"
		}
		m := open(t, static(t, says(200,
			`{"choices":[{"index":0,"text":"`+text+`","finish_reason":"length","logprobs":`+test.logprobs+`}]}`)),
			func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		a := ask(t, m, backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p", MaxTokens: 2, TopLogprobs: 3})
		if f := a.Failure; (f == nil) != (test.want == "") ||
			f != nil && (f.Cause != backends.BadResponse || !strings.Contains(f.Message, test.want)) {
			t.Errorf("%s: %v, want %q", test.name, f, test.want)
		}
	}
}

// 64 calls at once, answered out of order, each with what was asked: no answer
// reaches another's caller.
func TestNoCrossTalk(t *testing.T) {
	var mu sync.Mutex
	inFlight, most := 0, 0
	random := rand.New(rand.NewPCG(1, 2))
	url := static(t, func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Prompt   string
			Messages []struct{ Content string }
			Seed     int
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Lock()
		inFlight++
		most = max(most, inFlight)
		pause := time.Duration(random.IntN(20)) * time.Millisecond
		mu.Unlock()
		time.Sleep(pause)
		mu.Lock()
		inFlight--
		mu.Unlock()
		text := body.Prompt
		if len(body.Messages) > 0 {
			text = body.Messages[0].Content
		}
		lp := -float64(body.Seed) / 1000
		content := []any{map[string]any{"token": text, "logprob": lp, "top_logprobs": []any{}}}
		reply(w, 200, map[string]any{"choices": []any{map[string]any{"index": 0, "text": text, "finish_reason": "length",
			"message": map[string]any{"content": text}, "logprobs": map[string]any{"content": content}}},
			"usage": map[string]any{"prompt_tokens": body.Seed + 1, "completion_tokens": 1}})
	})
	m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels, c.Concurrency = backends.LabelsTopLogprobs, 64 })
	var reqs []backends.Request
	for i := range 400 {
		mode := backends.Chat
		if i%2 == 1 {
			mode = backends.Raw
		}
		reqs = append(reqs, backends.Request{Model: testID, Mode: mode, Prompt: fmt.Sprintf("prompt %d", i), MaxTokens: 1,
			Seed: uint64(i)})
	}
	as, err := m.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range as {
		if a.Failure != nil || a.Key != reqs[i].Key() || a.Text != reqs[i].Prompt ||
			a.Tokens[0].Logprob != -float64(i)/1000 || a.Usage.Prompt != backends.Counted(i+1) {
			t.Fatalf("request %d: %+v", i, a)
		}
	}
	if most > 64 || most < 2 {
		t.Errorf("%d calls in flight at most, want 2 to 64", most)
	}
}
