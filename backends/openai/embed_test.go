package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/openai"
	"infnet/backends/retry"
)

// vectorServer answers /v1/embeddings with vectors of hashes. Each of its
// mends or faults is one field.
type vectorServer struct {
	reverse bool                                                   // out of order, by index
	noIndex bool                                                   // in order, without index
	script  []func(w http.ResponseWriter, n int, good []byte) bool // by call; false = answer well
	hang    time.Duration

	mu    sync.Mutex
	sizes []int // of calls
	last  map[string]any
	auth  string
	seen  []string
}

func vectorOf(text string) []float64 {
	out := make([]float64, 8)
	for i := range out {
		h := fnv.New64a()
		fmt.Fprint(h, text, i)
		out[i] = float64(h.Sum64()>>40)/(1<<24) - 0.5
	}
	return out
}

func (s *vectorServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	if r.URL.Path != "/v1/embeddings" || r.Method != http.MethodPost || json.NewDecoder(r.Body).Decode(&body) != nil {
		http.NotFound(w, r)
		return
	}
	input, _ := body["input"].([]any)
	s.mu.Lock()
	call := len(s.sizes)
	s.sizes, s.last, s.auth = append(s.sizes, len(input)), body, r.Header.Get("Authorization")
	for _, t := range input {
		s.seen = append(s.seen, t.(string))
	}
	s.mu.Unlock()
	select {
	case <-time.After(s.hang):
	case <-r.Context().Done():
		return
	}
	var data []any
	for i, t := range input {
		if t == "" {
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":{"message":"input cannot be an empty string"}}`)
			return
		}
		d := map[string]any{"object": "embedding", "index": i, "embedding": vectorOf(t.(string))}
		if s.noIndex {
			delete(d, "index")
		}
		data = append(data, d)
	}
	if s.reverse {
		slices.Reverse(data)
	}
	good, _ := json.Marshal(map[string]any{"object": "list", "data": data, "model": body["model"],
		"usage": map[string]any{"prompt_tokens": 3, "total_tokens": 3}})
	w.Header().Set("Content-Type", "application/json")
	if call < len(s.script) && s.script[call](w, len(input), good) {
		return
	}
	_, _ = w.Write(good)
}

// embedder opens an embedder of a server.
func embedder(t *testing.T, s *vectorServer, change func(*backends.OpenAIConfig)) *openai.Embedder {
	t.Helper()
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	cfg := backends.OpenAIConfig{Access: backends.Access{URLs: []string{srv.URL + "/v1"}, Served: "served"}}
	if change != nil {
		change(&cfg)
	}
	e, err := openai.OpenEmbedder(backends.Config{Model: backends.ModelID{ID: "e", Kind: backends.OpenAI}, Settings: &cfg})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func TestEmbedderConformance(t *testing.T) {
	for _, c := range []struct {
		name             string
		reverse, noIndex bool
	}{{name: "in order"}, {name: "out of order", reverse: true}, {name: "without index", noIndex: true}} {
		t.Run(c.name, func(t *testing.T) {
			backendtest.RunEmbedder(t, func(t *testing.T) backends.Embedder {
				return embedder(t, &vectorServer{reverse: c.reverse, noIndex: c.noIndex}, nil)
			}, backendtest.EmbedderOptions{Texts: []string{"a film", "a book", "a play", "two\nlines", "five"}})
		})
	}
	t.Run("with retries", func(t *testing.T) {
		backendtest.RunEmbedder(t, func(t *testing.T) backends.Embedder {
			return retry.NewEmbedder(embedder(t, &vectorServer{reverse: true}, nil), retry.Options{First: time.Millisecond})
		}, backendtest.EmbedderOptions{Texts: []string{"a film", "a book", "a play", "two\nlines", "five"}})
	})
}

func TestEmbedderSendsWhatItIsTold(t *testing.T) {
	s := &vectorServer{}
	e := embedder(t, s, func(c *backends.OpenAIConfig) {
		c.APIKey, c.EmbedBatch, c.Extra = "key-1234", 3, map[string]any{"dimensions": 8}
	})
	texts := []string{"a\nb", "c", "d", "e", "f", "g", "h"}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(s.sizes, []int{3, 3, 1}) || e.BatchSize() != 3 {
		t.Errorf("calls of %v texts, want 3, 3, 1", s.sizes)
	}
	if s.last["model"] != "served" || s.last["dimensions"] != 8.0 || s.auth != "Bearer key-1234" {
		t.Errorf("sent %v with authorization %q", s.last, s.auth)
	}
	if !slices.Equal(s.seen, texts) {
		t.Errorf("the server saw %q", s.seen)
	}
	for i, v := range got {
		for j, x := range vectorOf(texts[i]) {
			if v[j] != float32(x) {
				t.Fatalf("text %d: number %d is %v, want %v", i, j, v[j], float32(x))
			}
		}
	}
}

func TestEmbedderFaults(t *testing.T) {
	status := func(code int, header, value, body string) func(http.ResponseWriter, int, []byte) bool {
		return func(w http.ResponseWriter, _ int, _ []byte) bool {
			if header != "" {
				w.Header().Set(header, value)
			}
			w.WriteHeader(code)
			fmt.Fprint(w, body)
			return true
		}
	}
	text := func(body string) func(http.ResponseWriter, int, []byte) bool { return status(200, "", "", body) }
	edit := func(old, new string) func(http.ResponseWriter, int, []byte) bool {
		return func(w http.ResponseWriter, _ int, good []byte) bool {
			fmt.Fprint(w, strings.Replace(string(good), old, new, 1))
			return true
		}
	}
	for _, c := range []struct {
		name   string
		fault  func(http.ResponseWriter, int, []byte) bool
		cause  backends.Cause
		want   string
		after  time.Duration
		lasts  bool // asking again does not help
		config func(*backends.OpenAIConfig)
	}{
		{name: "429", fault: status(429, "", "", `{"error":{"message":"slow down"}}`), cause: backends.RateLimited,
			want: "slow down"},
		{name: "429 with Retry-After", fault: status(429, "Retry-After-Ms", "20", `{}`), cause: backends.RateLimited,
			after: 20 * time.Millisecond},
		{name: "500", fault: status(500, "", "", "oops"), cause: backends.ServerError, want: "oops"},
		{name: "401", fault: status(401, "", "", `{"error":{"message":"who?"}}`), cause: backends.Unauthorized, lasts: true},
		{name: "no such route", fault: status(404, "", "", `{"detail":"Not Found"}`), cause: backends.BadRequest, lasts: true,
			want: "Not Found"},
		{name: "too long", fault: status(413, "", "", `{"error":"batch size 32 > maximum allowed batch size 8"}`),
			cause: backends.TooLong, lasts: true},
		{name: "an HTML page", fault: text("<html>hello</html>"), cause: backends.BadResponse, want: "HTML"},
		{name: "truncated", fault: func(w http.ResponseWriter, _ int, good []byte) bool {
			_,
				_ = w.Write(good[:len(good)/2])
			return true
		}, cause: backends.BadResponse, want: "no JSON we can read"},
		{name: "a reset connection", fault: func(http.ResponseWriter, int, []byte) bool { panic(http.ErrAbortHandler) },
			cause: backends.Connection},
		{name: "an error with status 200", fault: text(`{"error":{"message":"out of memory"}}`), cause: backends.ServerError,
			want: "out of memory"},
		{name: "a vector too few", fault: text(`{"data":[{"index":0,"embedding":[1,2,3,4,5,6,7,8]}]}`),
			cause: backends.BadResponse, want: "1 vectors for 2 texts"},
		{name: "none", fault: text(`{"data":[]}`), cause: backends.BadResponse, want: "0 vectors for 2 texts"},
		{name: "an index twice", fault: edit(`"index":1`, `"index":0`), cause: backends.BadResponse, want: "index 0 twice"},
		{name: "an index outside", fault: edit(`"index":1`, `"index":7`), cause: backends.BadResponse, want: "index 7"},
		{name: "not a number, as JSON writes it",
			fault: text(`{"data":[{"index":0,"embedding":[1,null]},{"index":1,"embedding":[1,2]}]}`),
			cause: backends.BadResponse, want: "missing or infinite"},
		{name: "not a number, as Python writes it",
			fault: text(`{"data":[{"index":0,"embedding":[1,NaN]},{"index":1,"embedding":[1,2]}]}`),
			cause: backends.BadResponse},
		{name: "beyond float32", fault: text(`{"data":[{"index":0,"embedding":[1,1e39]},{"index":1,"embedding":[1,2]}]}`),
			cause: backends.BadResponse, want: "infinite"},
		{name: "no direction", fault: text(`{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,2]}]}`),
			cause: backends.BadResponse, want: "no direction"},
		{name: "two dimensions", fault: text(`{"data":[{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1,2]}]}`),
			cause: backends.BadResponse, want: "has 2 numbers, others had 3"},
		{name: "base64", fault: text(`{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}`),
			cause: backends.BadResponse},
		{name: "too long a body", fault: text(strings.Repeat(" ", 5000)), cause: backends.BadResponse,
			want: "longer than 4096", config: func(c *backends.OpenAIConfig) { c.MaxBody = 4096 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := embedder(t, &vectorServer{script: []func(http.ResponseWriter, int, []byte) bool{c.fault}}, c.config)
			_, err := e.Embed(t.Context(), []string{"a", "b"})
			var f *backends.Failure
			if !errors.As(err, &f) || f.Cause != c.cause || !strings.Contains(f.Message, c.want) || f.RetryAfter != c.after {
				t.Fatalf("error %v (%+v), want cause %s with %q", err, f, c.cause, c.want)
			}
			again := retry.NewEmbedder(embedder(t, &vectorServer{script: []func(http.ResponseWriter, int, []byte) bool{c.fault}},
				c.config), retry.Options{Tries: 3, First: time.Millisecond})
			got, err := again.Embed(t.Context(), []string{"a", "b"})
			if c.lasts != (err != nil) {
				t.Fatalf("with retries: error %v", err)
			}
			if !c.lasts && (len(got) != 2 || math.Abs(float64(got[1][3])-vectorOf("b")[3]) > 1e-6) {
				t.Errorf("with retries: %v", got)
			}
		})
	}
	t.Run("no answer in time", func(t *testing.T) {
		e := embedder(t, &vectorServer{hang: time.Minute},
			func(c *backends.OpenAIConfig) { c.Timeout = 20 * time.Millisecond })
		_, err := e.Embed(t.Context(), []string{"a"})
		var f *backends.Failure
		if !errors.As(err, &f) || f.Cause != backends.Timeout {
			t.Errorf("error %v", err)
		}
	})
}

// A response line of 600 kB is as good as any.
func TestEmbedderReadsLongLines(t *testing.T) {
	wide := make([]string, 60_000)
	for i := range wide {
		wide[i] = fmt.Sprintf("%.8f", float64(i+1)/7)
	}
	long := func(w http.ResponseWriter, _ int, _ []byte) bool {
		fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[%s]}]}`, strings.Join(wide, ","))
		return true
	}
	e := embedder(t, &vectorServer{script: []func(http.ResponseWriter, int, []byte) bool{long}}, nil)
	got, err := e.Embed(t.Context(), []string{"a"})
	if err != nil || len(got[0]) != len(wide) || got[0][6] != 1 {
		t.Errorf("%d numbers, error %v", len(got[0]), err)
	}
}

func TestEmbedderSettings(t *testing.T) {
	if _, err := openai.OpenEmbedder(backends.Config{Model: backends.ModelID{ID: "e"}}); err == nil {
		t.Error("no error without settings")
	}
	_, err := openai.OpenEmbedder(backends.Config{Model: backends.ModelID{ID: "e"},
		Settings: &backends.OpenAIConfig{Access: backends.Access{URLs: []string{"http://localhost/v1"}}, EmbedBatch: -1}})
	if err == nil || !strings.Contains(err.Error(), "batch = -1") {
		t.Errorf("error %v", err)
	}
}
