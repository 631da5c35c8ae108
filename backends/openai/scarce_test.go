package openai

import (
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/retry"
)

// A server that shortens its lists of alternatives for a while, as vLLM does
// for whatever it computes beside a request for named tokens: an answer that
// lacks a label for that reason is a temporary failure, asked again it is the
// answer that a calm server gives, and a confidence of 1 comes of it in no case.
func TestShortLists(t *testing.T) {
	wide := []string{" positive", " negative", " neutral", " qvx", " zjw", " mat"}
	for _, labels := range []backends.LabelMode{backends.LabelsAuto, backends.LabelsTopLogprobs, backends.LabelsTokenIDs} {
		for _, mode := range []backends.Mode{backends.Raw, backends.Chat} {
			t.Run(fmt.Sprint(labels, " ", mode), func(t *testing.T) {
				f := flavours["vllm"]
				f.TokenIDs = labels == backends.LabelsTokenIDs
				s, url := serve(t, f)
				m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels = labels })
				again := retry.New(m, retry.Options{Tries: 4, First: time.Millisecond})
				refused := 0
				for i := range 20 {
					r := backends.Request{Model: testID, Mode: mode, Prompt: fmt.Sprintf("s%d:", i), Labels: wide}
					calm := ask(t, m, r)
					if calm.Failure != nil {
						t.Fatal(calm.Failure)
					}
					s.Beside(1)
					a := ask(t, m, r)
					s.Beside(2)
					b, err := again.Answer(t.Context(), []backends.Request{r})
					if err != nil || b[0].Failure != nil {
						t.Fatalf("asked again: %v, %v", err, b[0].Failure)
					}
					s.Beside(0)
					if f := a.Failure; f != nil {
						refused++
						if f.Cause != backends.BadResponse || !f.Temporary() || !strings.Contains(f.Message, "alternatives") {
							t.Errorf("%s: %v, want a temporary bad response about alternatives", r.Prompt, f)
						}
					} else if !sameScores(a, calm) {
						t.Errorf("%s: %v in company, %v alone", r.Prompt, a.Labels, calm.Labels)
					}
					if !sameScores(b[0], calm) {
						t.Errorf("%s, asked again: %v, alone %v", r.Prompt, b[0].Labels, calm.Labels)
					}
				}
				if want := labels != backends.LabelsTokenIDs; want != (refused > 0) {
					t.Errorf("%d of 20 refused, want some: %v", refused, want)
				}
			})
		}
	}
}

func sameScores(a, b backends.Answer) bool {
	for i := range a.Labels {
		if a.Labels[i].Seen != b.Labels[i].Seen || math.Abs(a.Labels[i].Logprob-b.Labels[i].Logprob) > 1e-9 {
			return false
		}
	}
	return a.Text == b.Text && a.By == b.By
}

// What a list leaves over bounds what is not on it, where that is less than its
// least probable token; a token that was chosen against its rank bounds nothing.
func TestBounds(t *testing.T) {
	at := func(text string, p float64) piece { return piece{text: text, id: -1, lp: math.Log(p)} }
	s := step{piece: at("a", 0.9), top: []piece{at("a", 0.9), at("b", 0.06)}}
	if got := rest(s); math.Abs(got-0.04) > 1e-4 { // 1 − 0.9 − 0.06
		t.Errorf("rest %v, want 0.04", got)
	}
	if got, ok := least(s); !ok || got != math.Log(0.06) {
		t.Errorf("least %v, want the second's", got)
	}
	forced := step{piece: at("z", 1e-7), top: []piece{at("a", 0.5), at("b", 0.3), at("z", 1e-7)}}
	if got, ok := least(forced); !ok || got != math.Log(0.3) {
		t.Errorf("least %v beside a forced token, want the second's", got)
	}
}

// Only what the study needs stops it: other routes may fail, hang or talk
// nonsense, and are notes.
func TestProbeNeedsOnlyTheMode(t *testing.T) {
	nonsense := func(w http.ResponseWriter, _ *http.Request) {
		says(200, `{"data":7,"version":[],"tokens":"x","choices":"y"}`)(w, &http.Request{Body: http.NoBody})
	}
	fail := func(w http.ResponseWriter, _ *http.Request) {
		reply(w, 500, map[string]any{"error": map[string]any{"message": "out of order"}})
	}
	hang := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	}
	for _, fault := range []struct {
		name string
		do   http.HandlerFunc
	}{{"500", fail}, {"nonsense", nonsense}, {"hang", hang}} {
		for _, path := range []string{"/v1/models", "/version", "/tokenize", "/v1/chat/completions", "/v1/completions"} {
			t.Run(fault.name+" "+path, func(t *testing.T) {
				t.Parallel()
				mode, other := backends.Raw, backends.Chat
				if path == "/v1/completions" {
					mode, other = other, mode
				}
				good := &fake{Flavour: flavours["vllm"]}
				url := newServer(t, func(w http.ResponseWriter, r *http.Request) {
					if r.URL.Path == path {
						fault.do(w, r)
						return
					}
					good.ServeHTTP(w, r)
				}) + "/v1"
				m := open(t, url, func(c *backends.OpenAIConfig) { c.Timeout = time.Second / 2 })
				m.aside, m.spare = 100*time.Millisecond, 100*time.Millisecond
				p, err := m.Probe(t.Context(), mode)
				if err != nil || !p.offer(mode).Offered {
					t.Fatalf("%v, %+v: want %s answered", err, p, mode)
				}
				if found, _, err := m.Server(t.Context(), mode); err != nil || len(found.Labels[mode]) == 0 {
					t.Errorf("Server: %+v, %v", found, err)
				}
				if !strings.Contains(strings.Join(p.Notes, "\n"),
					strings.TrimPrefix(strings.TrimPrefix(strings.TrimSuffix(path, "/completions"), "/v1"), "/")) &&
					path != "/v1/completions" && fault.name+path != "nonsense/tokenize" {
					t.Errorf("notes %q do not name %s", p.Notes, path)
				}
				a := ask(t, m, backends.Request{Model: testID, Mode: mode, Prompt: "p:", Labels: three})
				if a.Failure != nil {
					t.Errorf("a classification: %v", a.Failure)
				}
				if !strings.HasSuffix(path, "completions") {
					return
				}
				if _, err := m.Probe(t.Context(), other); err == nil {
					t.Errorf("whoever needs %s is told nothing", other)
				}
				if a := ask(t, m, backends.Request{Model: testID, Mode: other, Prompt: "p:", Labels: three}); a.Failure == nil ||
					!a.Failure.Temporary() {
					t.Errorf("asked in %s: %v, want a temporary failure", other, a.Failure)
				}
			})
		}
	}
}
