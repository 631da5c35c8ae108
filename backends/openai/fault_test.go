package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/retry"
)

// static answers every call to the model with f; other routes do not exist.
func static(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "completions") {
			http.NotFound(w, r)
			return
		}
		f(w, r)
	}))
	t.Cleanup(srv.Close)
	return srv.URL + "/v1"
}

// says answers with a status, headers ("Name: value") and a body.
func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		for _, h := range headers {
			k, v, _ := strings.Cut(h, ": ")
			w.Header().Set(k, v)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// chatty is a good chat completion of one token, with what log-probabilities
// it is given, in JSON.
func chatty(logprob, top string) string {
	return `{"choices":[{"index":0,"message":{"role":"assistant","content":" a"},"finish_reason":"length","logprobs":{"content":[{"token":" a","logprob":` + logprob + `,"top_logprobs":[` + top + `]}]}}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`
}

const alternatives = `{"token":" a","logprob":-0.5},{"token":" b","logprob":-1.5}`

// breaks cuts the connection after the text.
func breaks(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		c, rw, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_, _ = rw.WriteString(text)
		_ = rw.Flush()
		_ = c.Close()
	}
}

// Nothing is lost and nothing scored wrong: each fault is a failure of the
// right cause, temporary or not, with the wait the server asked for; what only
// looks like a fault is an answer.
func TestFaults(t *testing.T) {
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	date := func(w http.ResponseWriter, r *http.Request) {
		says(429, `{}`, "Retry-After: "+time.Now().Add(40*time.Second).UTC().Format(http.TimeFormat))(w, r)
	}
	pad := `{"token":"` + strings.Repeat("x", 600_000) + `","logprob":-9},`
	two := strings.Replace(chatty("-0.5", alternatives), `]}}],"usage"`,
		`]}},{"index":1,"message":{"content":"b"}}],"usage"`, 1)
	for _, test := range []struct {
		name    string
		server  http.HandlerFunc
		cause   backends.Cause // "" = an answer
		status  int
		after   time.Duration // least RetryAfter
		message string
	}{
		{"good", says(200, chatty("-0.5", alternatives)), "", 0, 0, ""},
		{"429", says(429, `{"error":{"message":"slow down"}}`), backends.RateLimited, 429, 0, "slow down"},
		{"429 with seconds", says(429, `{}`, "Retry-After: 7"), backends.RateLimited, 429, 7 * time.Second, ""},
		{"429 with a date", date, backends.RateLimited, 429, 30 * time.Second, ""},
		{"429 with milliseconds", says(429, `{}`, "Retry-After-Ms: 1500"), backends.RateLimited, 429,
			1500 * time.Millisecond, ""},
		{"429 with nonsense", says(429, `{}`, "Retry-After: soon"), backends.RateLimited, 429, 0, ""},
		{"429 without quota", says(429, `{"error":{"message":"You exceeded","code":"insufficient_quota"}}`),
			backends.Unauthorized, 429, 0, "quota"},
		{"500", says(500, `{"error":{"message":"CUDA error"}}`), backends.ServerError, 500, 0, "CUDA error"},
		{"503 with seconds", says(503, `{"error":{"message":"Loading model"}}`, "Retry-After: 3"), backends.ServerError, 503,
			3 * time.Second, "Loading model"},
		{"an HTML error page", says(502, "<html><h1>Bad gateway</h1></html>", "Content-Type: text/html"),
			backends.ServerError, 502, 0, "HTML page"},
		{"400", says(400, `{"error":"what do you mean?"}`), backends.BadRequest, 400, 0, "what do you mean?"},
		{"400, vLLM's validation", says(400, `{"object":"error","message":"bad field","code":400}`), backends.BadRequest, 400,
			0, "bad field"},
		{"422, TGI's", says(422, `{"error":"Input validation error: `+"`inputs`"+` must have less than 4096 tokens. Given: 9000","error_type":"validation"}`), backends.TooLong, 422, 0, ""},
		{"too long, OpenAI's", says(400,
			`{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}`),
			backends.TooLong, 400, 0, "8192"},
		{"too long, llama.cpp's", says(400,
			`{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`), backends.TooLong, 400, 0, ""},
		{"402", says(402, `{"error":{"message":"Insufficient Balance"}}`), backends.Unauthorized, 402, 0, "paid up"},
		{"401", says(401, `{"error":{"message":"who are you?"}}`), backends.Unauthorized, 401, 0, "who are you?"},
		{"404", says(404, `{"error":{"message":"model m not found"}}`), backends.BadRequest, 404, 0, "not found"},
		{"a redirect", says(307, ``, "Location: https://user:pw@else.where/v1?key=1"), backends.BadRequest, 307, 0,
			"https://else.where/v1:"},
		{"refused before the answer", breaks(""), backends.Connection, 0, 0, "EOF"},
		{"reset in the body", breaks("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n" +
			chatty("-0.5", alternatives)[:60]), backends.Connection, 0, 0, "unexpected EOF"},
		{"hang", hang, backends.Timeout, 0, 0, "in time"},
		{"truncated JSON", says(200, chatty("-0.5", alternatives)[:80]), backends.BadResponse, 0, 0, "unexpected end"},
		{"garbage", says(200, "}{"), backends.BadResponse, 0, 0, "no JSON"},
		{"nothing", says(200, ""), backends.BadResponse, 0, 0, "empty"},
		{"an HTML page", says(200, "<!doctype html><p>Welcome", "Content-Type: text/html"), backends.BadResponse, 0, 0,
			"HTML page"},
		{"a stream", says(200, "data: {}\n\n", "Content-Type: text/event-stream"), backends.BadResponse, 0, 0, "stream"},
		{"another content type", says(200, chatty("-0.5", alternatives), "Content-Type: text/plain"), "", 0, 0, ""},
		{"an error with status 200", says(200, `{"error":{"message":"upstream died"}}`), backends.ServerError, 200, 0,
			"upstream died"},
		{"201", says(201, chatty("-0.5", alternatives)), backends.BadResponse, 201, 0, ""},
		{"missing choices", says(200, `{"id":"x"}`), backends.BadResponse, 0, 0, "0 choices"},
		{"empty choices", says(200, `{"choices":[]}`), backends.BadResponse, 0, 0, "0 choices"},
		{"two choices", says(200, two), backends.BadResponse, 0, 0, "2 choices"},
		{"another choice", says(200, strings.Replace(chatty("-0.5", alternatives), `"index":0`, `"index":3`, 1)),
			backends.BadResponse, 0, 0, "index 3"},
		{"no log-probabilities", says(200, `{"choices":[{"index":0,"message":{"content":"a"},"finish_reason":"length"}]}`),
			backends.BadResponse, 0, 0, "no log-probabilities"},
		{"NaN", says(200, chatty("NaN", alternatives)), backends.BadResponse, 0, 0, "invalid character 'N'"},
		{"null", says(200, chatty("null", "")), backends.BadResponse, 0, 0, "no log-probability"},
		{"-9999", says(200, chatty("-9999.0", "")), backends.BadResponse, 0, 0, "-9999"},
		{"a positive log-probability", says(200, chatty("0.7", "")), backends.BadResponse, 0, 0, "0.7"},
		// All of the probability is on " a" and " b" (e^-0.5 + e^-0.93275 = 1), as under a mask: the padding hides nothing.
		{"-9999 among the alternatives",
			says(200, chatty("-0.5", `{"token":" a","logprob":-0.5},{"token":" b","logprob":-0.93275},{"token":" c","logprob":-9999.0}`)), "", 0, 0, ""},
		{"600 kB lines", says(200, chatty("-0.5", pad+alternatives)), "", 0, 0, ""},
		{"a body over the limit", says(200, chatty("-0.5", strings.Repeat(pad, 4)+alternatives)), backends.BadResponse, 0, 0,
			"longer than"},
		{"negative counts", says(200, strings.Replace(chatty("-0.5", alternatives), `"prompt_tokens":3`, `"prompt_tokens":-3`,
			1)), backends.BadResponse, 0, 0, "negative"},
		{"too many tokens", says(200, strings.Replace(chatty("-0.5", alternatives), `"content":[`,
			`"content":[{"token":"","logprob":-1},{"token":"","logprob":-1},`, 1)), backends.BadResponse, 0, 0, "3 tokens"},
		{"the tokens of another answer",
			says(200, strings.Replace(chatty("-0.5", alternatives), `"content":" a"`, `"content":"zebra"`, 1)),
			backends.BadResponse, 0, 0, "zebra"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := open(t, static(t, test.server), func(c *backends.OpenAIConfig) {
				c.Labels, c.MaxBody = backends.LabelsTopLogprobs, 2<<20
				if test.name == "-9999 among the alternatives" {
					c.TopLogprobs = 3 // as many as there are: none was left out
				}
				if test.cause == backends.Timeout {
					c.Timeout = 50 * time.Millisecond
				}
			})
			for _, r := range []backends.Request{
				{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 2, TopLogprobs: 2},
				{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " b"}},
			} {
				if test.name == "the tokens of another answer" && len(r.Labels) > 0 {
					continue // a classification reads the tokens alone
				}
				a := ask(t, m, r)
				f := a.Failure
				if test.cause == "" {
					if f := backends.Check(r, a); f != nil {
						t.Errorf("%v, want an answer", f)
					}
					continue
				}
				if f == nil || f.Cause != test.cause || f.Status != test.status || f.RetryAfter < test.after ||
					test.after == 0 && f.RetryAfter != 0 || !strings.Contains(f.Message, test.message) {
					t.Errorf("%+v, want cause %q, status %d, %q, and a wait of %v or more", f, test.cause, test.status, test.message,
						test.after)
				}
				if len(r.Labels) == 0 && f != nil && f.Message == "" {
					t.Error("the failure says nothing")
				}
				if a.Key != r.Key() || a.Text != "" || a.Tokens != nil || a.Labels != nil {
					t.Errorf("a failure with an answer beside it: %+v", a)
				}
			}
		})
	}
}

// A raw completion's faults of its own: lists that do not fit together.
func TestRawFaults(t *testing.T) {
	for name, logprobs := range map[string]string{
		"a log-probability too few": `{"tokens":["a","b"],"token_logprobs":[-1],"top_logprobs":null}`,
		"a list too few":            `{"tokens":["a","b"],"token_logprobs":[-1,-1],"top_logprobs":[{}]}`,
		"null":                      `{"tokens":["a","b"],"token_logprobs":[-1,null]}`,
		"-9999":                     `{"tokens":["a","b"],"token_logprobs":[-1,-9999]}`,
	} {
		m := open(t, static(t, says(200,
			`{"choices":[{"index":0,"text":"ab","finish_reason":"length","logprobs":`+logprobs+`}]}`)),
			func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		a := ask(t, m, backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p", MaxTokens: 2})
		if a.Failure == nil || a.Failure.Cause != backends.BadResponse {
			t.Errorf("%s: %+v, want a bad response", name, a)
		}
	}
}

// A failed URL is left alone, and the retry around the model finds the other.
func TestRetryFindsTheOtherURL(t *testing.T) {
	_, good := serve(t, flavours["vllm"])
	m := open(t, "http://127.0.0.1:1/v1", func(c *backends.OpenAIConfig) { c.URLs = append(c.URLs, good) })
	var reach []string
	for _, r := range m.Reach(t.Context()) {
		reach = append(reach, fmt.Sprint(r.Err == nil))
	}
	if got := strings.Join(reach, " "); got != "false true" {
		t.Errorf("reachable: %s, want false true", got)
	}
	r := retry.New(m, retry.Options{First: time.Millisecond})
	for i := range 8 {
		as, err := r.Answer(t.Context(),
			[]backends.Request{{Model: testID, Mode: backends.Raw, Prompt: fmt.Sprint("p", i), MaxTokens: 2}})
		if err != nil || as[0].Failure != nil {
			t.Errorf("%v, %v", as, err)
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

// The body holds what langchaingo leaves out, nothing twice, and Extra has the
// last word.
func TestBody(t *testing.T) {
	s, url := serve(t, flavours["vllm"])
	chat := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 3, Stop: []string{"zzz"},
		TopLogprobs: 2}
	raw := chat
	raw.Mode = backends.Raw
	for _, test := range []struct {
		name   string
		req    backends.Request
		change func(*backends.OpenAIConfig)
		want   string
	}{
		{"chat", chat, func(*backends.OpenAIConfig) {},
			`{"logprobs":true,"max_tokens":3,"messages":[{"content":"p","role":"user"}],"model":"m","seed":0,"stop":["zzz"],"temperature":0,"top_logprobs":2,"top_p":1}`},
		{"raw", raw, func(*backends.OpenAIConfig) {},
			`{"logprobs":2,"max_tokens":3,"model":"m","prompt":"p","seed":0,"stop":["zzz"],"temperature":0,"top_p":1}`},
		{"newer limit, extras", chat, func(c *backends.OpenAIConfig) {
			c.MaxTokensField, c.Served = "max_completion_tokens", "org/other"
			c.Extra = map[string]any{"temperature": nil, "top_p": nil, "reasoning_effort": "low"}
		}, `{"logprobs":true,"max_completion_tokens":3,"messages":[{"content":"p","role":"user"}],"model":"org/other","reasoning_effort":"low","seed":0,"stop":["zzz"],"top_logprobs":2}`},
	} {
		m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs; test.change(c) })
		_ = ask(t, m, test.req)
		got, err := json.Marshal(s.Last())
		if err != nil || string(got) != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// No secret is in an error, a failure, or anything printed, even where the
// server repeats it.
func TestSecrets(t *testing.T) {
	const key, header = "sk-very-secret-123", "tenant-secret-456"
	t.Setenv("OPENAI_API_KEY", "sk-of-somebody-else")
	t.Setenv("OPENAI_ORGANIZATION", "org-of-somebody-else")
	t.Setenv("INFNET_TEST_KEY", key)
	var got http.Header
	url := static(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		says(401, `{"error":{"message":"Incorrect API key: `+key+` of `+r.Header.Get("X-Tenant")+`"}}`)(w, r)
	})
	settings := &backends.OpenAIConfig{URLs: []string{url}, APIKeyEnv: "INFNET_TEST_KEY",
		Headers: map[string]backends.Secret{"X-Tenant": header}, Labels: backends.LabelsTopLogprobs}
	cfg := backends.Config{Model: testID, Settings: settings}
	m, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	settings.APIKey = key
	_, probing := m.Probe(t.Context())
	var out strings.Builder
	fmt.Fprintln(&out, probing)
	for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
		a := ask(t, m, backends.Request{Model: testID, Mode: mode, Prompt: "p", MaxTokens: 1})
		if got.Get("Authorization") != "Bearer "+key || got.Get("X-Tenant") != header ||
			got.Get("OpenAI-Organization") != "" {
			t.Errorf("%s: headers %v", mode, got)
		}
		if a.Failure == nil || a.Failure.Cause != backends.Unauthorized || !strings.Contains(a.Failure.Message, "[secret]") {
			t.Errorf("%s: failure %v", mode, a.Failure)
		}
		fmt.Fprintf(&out, "%v %+v %#v\n", a.Failure, a, *a.Failure)
	}
	b, err := json.Marshal(cfg)
	fmt.Fprintf(&out, "%s %v %+v %+v %#v %v %x %d\n", b, err, m, *settings, settings.APIKey, settings.APIKey,
		settings.APIKey, settings.APIKey)
	for _, u := range []string{"http://me:hunter2@host/v1", "http://host/v1?key=hunter2", "http://host:x/hunter2",
		"ftp://host/hunter2", "http://host/v1/chat/completions"} {
		_, err := Open(backends.Config{Model: testID, Settings: &backends.OpenAIConfig{URLs: []string{u}}})
		if err == nil {
			t.Errorf("%s was accepted", u)
		}
		fmt.Fprintln(&out, err)
	}
	t.Setenv("INFNET_TEST_KEY", "")
	settings.APIKey = ""
	if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), "INFNET_TEST_KEY") {
		t.Errorf("without its key: %v, want an error naming the variable", err)
	}
	for _, secret := range []string{key, header, "hunter2", "somebody", fmt.Sprintf("%x", key)} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q was written:\n%s", secret, out.String())
		}
	}
	var f *backends.Failure
	if !errors.As(probing, &f) || f.Cause != backends.Unauthorized {
		t.Errorf("probing: %v, want unauthorized", probing)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]backends.OpenAIConfig{
		"label mode":   {Labels: "guess"},
		"label match":  {Match: "luck"},
		"concurrency":  {Concurrency: -1},
		"top_logprobs": {TopLogprobs: -1},
		"timeout":      {Timeout: -1},
		"no_logprobs":  {NoLogprobs: true, Labels: backends.LabelsEcho},
		"whole labels": {WholeLabels: true},
		"line break":   {APIKey: "a\nb"},
	} {
		c.URLs = []string{"http://host/v1"}
		if _, err := Open(backends.Config{Model: testID, Settings: &c}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want an error naming it", name, err)
		}
	}
}

// A token within a character: the llama.cpp server leaves its log-probability
// out and gives the whole character to the token that ends it (seen live: id
// 140 is the byte 0x84 of the tiny models' vocabulary, and "Ä" is 0xC3 0x84).
// The answer would lack a factor of its confidence, so it is none.
func TestPartsOfCharacters(t *testing.T) {
	for _, test := range []struct {
		name, content, pieces string
		fails                 bool
	}{
		{"left out", `{"id":140,"token":"Ä","bytes":[195,132],"logprob":-0.047}`,
			`{"id":203,"piece":[195]},{"id":140,"piece":[132]}`, true},
		{"left out, and its bytes among the alternatives",
			`{"id":140,"token":"Ä","bytes":[195,132],"logprob":-0.047,"top_logprobs":[{"id":140,"token":"\ufffd","bytes":[132],"logprob":-0.047}]}`,
			`{"id":203,"piece":[195]},{"id":140,"piece":[132]}`, true},
		{"a character of its own", `{"id":140,"token":"Ä","bytes":[195,132],"logprob":-0.047}`,
			`{"id":140,"piece":"Ä"}`, false},
		{"both told", `{"id":203,"token":"","bytes":[195],"logprob":-0.08},{"id":140,"token":"","bytes":[132],"logprob":-0.047}`, `{"id":203,"piece":[195]},{"id":140,"piece":[132]}`, false},
		{"no numbers", `{"token":"Ä","bytes":[195,132],"logprob":-0.047}`, ``, false},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/tokenize" {
				says(200, `{"tokens":[`+test.pieces+`]}`)(w, r)
				return
			}
			says(200, `{"choices":[{"index":0,"text":"Ä","finish_reason":"length","logprobs":{"content":[`+test.content+`]}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`)(w, r)
		}))
		t.Cleanup(server.Close)
		m := open(t, server.URL+"/v1", func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		r := backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p", MaxTokens: 2}
		a := ask(t, m, r)
		if fails := a.Failure != nil && !a.Failure.Temporary() && strings.Contains(a.Failure.Message,
			"a part of the character"); fails != test.fails || !test.fails && backends.Check(r, a) != nil {
			t.Errorf("%s: %+v, %v", test.name, a, a.Failure)
		}
	}
}

// A prompt that fills the context was cut: servers other than Ollama refuse it,
// and Ollama says so in its log alone (seen live: 607 tokens became 512 of 512).
func TestCutPrompts(t *testing.T) {
	cut := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			says(200, `{"data":[{"id":"m:latest","owned_by":"library"}]}`)(w, r)
		case "/api/version":
			says(200, `{"version":"0.17.4"}`)(w, r)
		case "/api/ps":
			says(200, `{"models":[{"name":"m:latest","context_length":512}]}`)(w, r)
		case "/v1/chat/completions":
			says(200, strings.Replace(chatty("-0.5", `{"token":" a","logprob":-0.5},{"token":" b","logprob":-1}`),
				`"prompt_tokens":3`, fmt.Sprintf(`"prompt_tokens":%d`, 511+cut), 1))(w, r)
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	m := open(t, server.URL+"/v1")
	r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " b"}}
	if a := ask(t, m, r); a.Failure != nil {
		t.Errorf("511 of 512 tokens: %v", a.Failure)
	}
	cut = 1
	if f := ask(t, m, r).Failure; f == nil || f.Cause != backends.TooLong || f.Temporary() ||
		!strings.Contains(f.Message, "num_ctx") {
		t.Errorf("512 of 512 tokens: %+v, want it refused, and num_ctx named", f)
	}
	if p, err := m.Probe(t.Context()); err != nil || p.Context != 512 {
		t.Errorf("context %d, %v", p.Context, err)
	}
}

// How servers say that an answer is over: TGI's words count as stop, and what
// SGLang or vLLM gave up on the way is no answer.
func TestFinishReasons(t *testing.T) {
	for _, test := range []struct {
		reason string
		end    bool // the token that adds nothing to the text is an end token
		cause  backends.Cause
	}{
		{"stop", true, ""}, {"eos_token", true, ""}, {"length", false, ""},
		{"abort", false, backends.ServerError}, {"error", false, backends.ServerError},
	} {
		body := `{"choices":[{"index":0,"message":{"content":" a"},"finish_reason":"` + test.reason +
			`","logprobs":{"content":[` +
			`{"token":" a","logprob":-0.5},{"token":"<eos>","logprob":-0.25}]}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`
		m := open(t, static(t, says(200, body)), func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 2})
		switch {
		case test.cause != "":
			if a.Failure == nil || a.Failure.Cause != test.cause {
				t.Errorf("%s: %+v, want %s", test.reason, a, test.cause)
			}
		case a.Failure != nil || len(a.Tokens) != 2 || a.Tokens[1].End != test.end:
			t.Errorf("%s: %+v (%v), want an end token: %v", test.reason, a.Tokens, a.Failure, test.end)
		}
	}
}
