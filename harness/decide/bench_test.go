package decide

import (
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// Requests at the same time do not disturb each other.
func TestAtOnce(t *testing.T) {
	d := decider(t, file(t, score("exp", 0.6)), Options{})
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			p, want := 0.9, "accept"
			if i%2 == 1 {
				p, want = 0.3, "defer"
			}
			w := httptest.NewRecorder()
			d.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/decide",
				strings.NewReader(chat("org/small", "yes", token("yes", math.Log(p), "")))))
			if !strings.Contains(w.Body.String(), `"decision":"`+want) {
				t.Errorf("a token of %v: %s", p, w.Body)
			}
		})
	}
	group.Wait()
}

// BenchmarkDecide is a decision over the loopback interface, one at a time on a connection that stays, and what the
// same request costs where the handler reads the body and writes two bytes.
func BenchmarkDecide(b *testing.B) {
	bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "{}")
	})
	confidence := `{"confidence": 0.83, "class": "red"}`
	reply := chat("org/small", strings.Repeat("a", 50), slices.Repeat([]string{token("a", -0.1, "")}, 50)...)
	for _, bb := range []struct {
		name, body string
		handler    http.Handler
	}{
		{"bare", confidence, bare},
		{"confidence", confidence, decider(b, file(b, nil), Options{})},
		{"reply of 50 tokens", reply, decider(b, file(b, score("exp", 0.5)), Options{})},
		{"bare with that reply", reply, bare},
	} {
		b.Run(bb.name, func(b *testing.B) {
			server := httptest.NewServer(bb.handler)
			defer server.Close()
			var took []time.Duration
			for b.Loop() {
				start := time.Now()
				resp, err := http.Post(server.URL+"/decide", "application/json", strings.NewReader(bb.body))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
					b.Fatal(resp.StatusCode, err)
				}
				resp.Body.Close()
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Nanoseconds())/1e3, "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds())/1e3, "p99-µs")
		})
	}
}
