package openai_test

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
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
