package hosted_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/hosted"
)

func TestConformance(t *testing.T) {
	s := serve(t)
	cfg := s.config()
	bad := requests(cfg.Model)[0]
	raw, none, twice := bad, bad, bad
	raw.Mode, none.Prompt, twice.Labels = backends.Raw, "", []string{" a", " A"}
	scored := requests(cfg.Model)[1]
	scored.TopLogprobs = 5
	backendtest.Run(t, func(t *testing.T) backends.Model { return open(t, cfg) }, backendtest.Options{
		Requests: requests(cfg.Model), Bad: []backends.Request{raw, none, twice, scored}, Unscored: true,
		Takes: []backends.Part{backends.SystemPart, backends.ExamplesPart, backends.SamplingPart},
	})
}

// What a fake says arrives: text, reason, counts with the cached ones, and the name of who answered.
func TestAnswers(t *testing.T) {
	s := serve(t)
	cfg := s.config(func(c *backends.HostedConfig) { c.Concurrency = 1 })
	m := open(t, cfg)
	got, err := m.Answer(t.Context(), requests(cfg.Model))
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range got {
		r := requests(cfg.Model)[i]
		if a.Failure != nil {
			t.Fatal(a.Failure)
		}
		turns := []turn{{"user", r.Prompt}}
		for _, e := range slices.Backward(r.Examples) {
			turns = append([]turn{{"user", e.Prompt}, {"assistant", e.Answer}}, turns...)
		}
		want := s.say(asked{system: r.System, turns: turns, maxTokens: max(r.MaxTokens, 8*min(len(r.Labels), 1)),
			stop: r.Stop})
		usage := backends.Usage{Prompt: backends.Counted(want.prompt), Completion: backends.Counted(want.completion),
			Cached: 2}
		if a.Usage != usage {
			t.Errorf("request %d: usage %+v, want %+v", i, a.Usage, usage)
		}
		if a.Model != served {
			t.Errorf("request %d: answered by %q", i, a.Model)
		}
		if len(r.Labels) > 0 {
			if !strings.Contains(strings.ToLower(want.text), strings.TrimSpace(a.Text)) || a.Finish != "" {
				t.Errorf("request %d: label %q of %q, finish %q", i, a.Text, want.text, a.Finish)
			}
			continue
		}
		if a.Text != want.text || a.Finish != want.finish {
			t.Errorf("request %d: %q (%s), want %q (%s)", i, a.Text, a.Finish, want.text, want.finish)
		}
	}
	if len(s.last.turns) != 5 {
		t.Errorf("the last request had two examples and the turns %+v", s.last.turns)
	}
	if last := got[len(got)-1]; last.Finish != backends.FinishLength {
		t.Errorf("an answer cut after 2 tokens ends as %q", last.Finish)
	}
}

// A provider that answers with the key, or names it in an error, does not get it into an answer or a message.
func TestKeysStayHere(t *testing.T) {
	var body func(good reply) any
	status := http.StatusOK
	s := serve(t)
	s.write = func(a reply) any { return body(a) }
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		s.ServeHTTP(w, r)
	})
	cfg := s.config()
	r := requests(cfg.Model)[1]
	ask := func() *backends.Failure {
		t.Helper()
		a, err := open(t, cfg).Answer(t.Context(), []backends.Request{r})
		if err != nil {
			t.Fatal(err)
		}
		if a[0] = backends.Pass(r, a[0]); a[0].Failure == nil {
			t.Fatalf("%+v", a)
		}
		if text := fmt.Sprintf("%+v %s", a, a[0].Failure.Error()); strings.Contains(text, secret[3:12]) {
			t.Errorf("the key is in %s", text)
		}
		return a[0].Failure
	}
	body = func(a reply) any { a.text = "the key is " + secret; return message(a) }
	if got := ask(); got.Cause != backends.BadRequest {
		t.Errorf("an answer with the key: %v", got)
	}
	status = http.StatusUnauthorized
	body = func(reply) any {
		return map[string]any{"error": map[string]any{"message": "invalid key " + secret}, "message": secret}
	}
	if got := ask(); got.Cause != backends.Unauthorized {
		t.Errorf("a refused key: %v", got)
	}
	status = http.StatusOK
	body = func(a reply) any { a.model = "model-" + secret; return message(a) }
	if got := ask(); got.Cause != backends.OtherModel {
		t.Errorf("another model: %v", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Setenv("HOSTED_KEY_UNSET", "")
	for _, tt := range []struct {
		name string
		cfg  backends.HostedConfig
		want string
	}{
		{"no provider", backends.HostedConfig{}, "provider"},
		{"an unknown one", backends.HostedConfig{Provider: "openai"}, "anthropic"},
		{"no key", backends.HostedConfig{Provider: backends.Anthropic,
			Access: backends.Access{APIKeyEnv: "HOSTED_KEY_UNSET"}}, "HOSTED_KEY_UNSET"},
		{"a key with a line break", backends.HostedConfig{Provider: backends.Anthropic,
			Access: backends.Access{APIKey: "a\nb"}}, "character"},
		{"a URL with a key", backends.HostedConfig{Provider: backends.Anthropic,
			Access: backends.Access{URLs: []string{"https://x.example/?key=" + secret}}},
			"x.example"},
		{"no URL", backends.HostedConfig{Provider: backends.Anthropic,
			Access: backends.Access{URLs: []string{"x.example"}}}, "url 1"},
		{"a negative limit", backends.HostedConfig{Provider: backends.Anthropic,
			Access: backends.Access{MaxBody: -1}}, "negative"},
	} {
		m, err := hosted.Open(backends.Config{Settings: &tt.cfg, Model: backends.ModelID{ID: "m", Kind: backends.Hosted}})
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v, %v, want an error about %q", tt.name, m, err, tt.want)
		}
	}
}

// doctor asks once, and says what was not tried.
func TestExamine(t *testing.T) {
	s := serve(t)
	m := open(t, s.config())
	found, alive := m.Examine(t.Context(), backends.Examination{Mode: backends.Chat, Labels: [][]string{{" a", " b"}}})
	if !alive || !slices.ContainsFunc(found,
		func(f backends.Finding) bool { return strings.Contains(f.Found, hosted.Untried) }) {
		t.Errorf("alive %t: %+v", alive, found)
	}
	for _, x := range found {
		if x.Verdict > backends.Unknown {
			t.Errorf("%+v", x)
		}
	}
	found, _ = m.Examine(t.Context(), backends.Examination{Mode: backends.Chat, Student: true})
	if !slices.ContainsFunc(found, func(f backends.Finding) bool {
		return f.Verdict == backends.Broken && f.Question == "log-probabilities"
	}) {
		t.Errorf("a student without confidence passes: %+v", found)
	}
	if _, alive = m.Examine(t.Context(), backends.Examination{Mode: backends.Raw}); alive {
		t.Error("a provider takes raw prompts")
	}
	s.server.Close()
	found, alive = m.Examine(t.Context(), backends.Examination{Mode: backends.Chat})
	if last := found[len(found)-1]; alive || last.Verdict != backends.Broken || last.Fix == "" {
		t.Errorf("nobody is there, and: %+v", found)
	}
}

// A new address is confirmed by one call, a known one by none.
func TestConfirm(t *testing.T) {
	s := serve(t)
	m := open(t, s.config())
	if got := m.Confirm(t.Context(), func(string) bool { return true }); len(got) != 0 || s.last.turns != nil {
		t.Errorf("a known address: %+v", got)
	}
	got := m.Confirm(t.Context(), func(string) bool { return false })
	if len(got) != 1 || got[0].Err != nil || got[0].URL != s.server.URL {
		t.Errorf("%+v", got)
	}
}

// A sample is asked for with its temperature and top_p, and there is no seed to be sent. What extra says is put over
// the request's own fields, and what it removes is not sent.
func TestSent(t *testing.T) {
	disabled := map[string]any{"type": "disabled"}
	for _, tt := range []struct {
		name     string
		extra    map[string]any
		sampling backends.Sampling
		want     map[string]any
	}{
		{name: "a sample", sampling: backends.Sampling{Temperature: 0.7},
			want: map[string]any{"model": served, "max_tokens": 16., "temperature": 0.7}},
		{name: "extra", extra: map[string]any{"thinking": disabled, "max_tokens": int64(7), "temperature": nil},
			want: map[string]any{"model": served, "max_tokens": 7., "thinking": disabled}},
	} {
		s := serve(t)
		var got map[string]any
		s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got = nil
			if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
				t.Error(err)
			}
			w.WriteHeader(http.StatusBadRequest)
		})
		cfg := s.config(func(c *backends.HostedConfig) { c.Extra = tt.extra })
		m, r := open(t, cfg), requests(cfg.Model)[1]
		r.Sampling, r.Seed = tt.sampling, 3
		for range 2 { // extra itself is not changed
			if _, err := m.Answer(t.Context(), []backends.Request{r}); err != nil {
				t.Fatal(err)
			}
			delete(got, "messages")
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		}
	}
}
