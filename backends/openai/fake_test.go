package openai

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest/fakeengine"
)

// The fake servers of this package's tests.
var (
	flavours   = fakeengine.Flavours
	vocabulary = fakeengine.Words
	truth      = fakeengine.Words.Truth
	word       = fakeengine.Words.Word
	split      = fakeengine.Words.Split
)

type (
	flavour = fakeengine.Flavour
	fake    = fakeengine.Server
)

func serve(t *testing.T, f flavour) (*fake, string) {
	t.Helper()
	s := &fake{Flavour: f}
	return s, newServer(t, s.ServeHTTP) + "/v1"
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

var testID = backends.ModelID{ID: "m", Revision: "r", Kind: backends.OpenAI}

// open opens a model at a URL.
func open(t testing.TB, url string, change ...func(*backends.OpenAIConfig)) *Model {
	t.Helper()
	c := &backends.OpenAIConfig{Access: backends.Access{URLs: []string{url}, Timeout: time.Minute}}
	for _, f := range change {
		f(c)
	}
	m, err := Open(backends.Config{Model: testID, Settings: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// ask asks one request.
func ask(t *testing.T, m *Model, r backends.Request) backends.Answer {
	t.Helper()
	as, err := m.Answer(t.Context(), []backends.Request{r})
	if err != nil || len(as) != 1 {
		t.Fatalf("Answer: %d answers, %v", len(as), err)
	}
	return as[0]
}
