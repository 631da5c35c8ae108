package openai

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"infnet/backends"
)

// static answers every call to the model with f; other routes do not exist.
func static(t *testing.T, f http.HandlerFunc) string {
	t.Helper()
	return newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "completions") {
			http.NotFound(w, r)
			return
		}
		f(w, r)
	}) + "/v1"
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
		{"truncated JSON", says(200, chatty("-0.5", alternatives)[:80]), backends.BadResponse, 0, 0, "unexpected EOF"},
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
			for _, r := range []backends.Request{
				{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 2, TopLogprobs: 2},
				{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " b"}},
			} {
				if test.name == "the tokens of another answer" && len(r.Labels) > 0 {
					continue // a classification reads the tokens alone
				}
				m := open(t, static(t, test.server), func(c *backends.OpenAIConfig) {
					c.Labels, c.MaxBody = backends.LabelsTopLogprobs, 2<<20
					if test.name == "-9999 among the alternatives" {
						c.TopLogprobs = 3 // as many as there are: none was left out
					}
					if test.cause == backends.Timeout {
						c.Timeout = 50 * time.Millisecond
					}
				})
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
