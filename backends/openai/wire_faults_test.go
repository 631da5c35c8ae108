package openai

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/retry"
)

// Each call goes wrong once: what is temporary is mended by asking again, with the bits of an undisturbed run.
func TestRetriesMendFaults(t *testing.T) {
	top := func(c *backends.OpenAIConfig) {
		c.Labels, c.Timeout, c.CoolDown = backends.LabelsTopLogprobs, 500*time.Millisecond, time.Millisecond
	}
	var reqs []backends.Request
	for i := range 3 {
		p := fmt.Sprintf("wire %d:", i)
		reqs = append(reqs, backends.Request{Model: testID, Mode: backends.Chat, Prompt: p, Labels: three},
			backends.Request{Model: testID, Mode: backends.Chat, Prompt: p, MaxTokens: 5})
	}
	_, url := serve(t, flavours["ollama"])
	calm, err := open(t, url, top).Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	for name, fault := range map[string]http.HandlerFunc{
		"500": says(500, `{"error":"out of order"}`), "a page of a proxy": says(502, `<html><h1>Bad gateway</h1>`),
		"reset before the answer": breaks(""),
		"reset within the answer": breaks("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"choices\":["),
		"truncated":               says(200, `{"choices":[`),
		"an error called success": says(200, `{"error":{"message":"upstream died"}}`),
		"hang":                    func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var mu sync.Mutex
			asked := map[string]int{}
			good := &fake{Flavour: flavours["ollama"]}
			url := static(t, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				mu.Lock()
				asked[string(body)]++
				first := asked[string(body)] == 1
				mu.Unlock()
				if first {
					fault(w, r)
					return
				}
				good.ServeHTTP(w, r)
			})
			m := retry.New(open(t, url, top), retry.Options{Tries: 8, First: time.Millisecond})
			got, err := m.Answer(t.Context(), reqs)
			if err != nil {
				t.Fatal(err)
			}
			for i, a := range got {
				if why := backendtest.Differ(calm[i], a); why != "" {
					t.Errorf("request %d, asked again: %s (%v)", i, why, a.Failure)
				}
			}
			for body, n := range asked {
				if n != 2 {
					t.Errorf("%d calls, want 2: %s", n, strings.TrimSpace(body))
				}
			}
		})
	}
}
