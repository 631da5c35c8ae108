package hosted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// A sample is asked for with its temperature and top_p; there is no seed to be sent.
func TestSample(t *testing.T) {
	s := serve(t, claudeForm())
	var got map[string]any
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(body, &got) != nil {
			t.Errorf("%s, %v", body, err)
		}
		w.WriteHeader(http.StatusBadRequest)
	})
	cfg := s.config()
	r := requests(cfg.Model, "claude-sonnet-4-5")[1]
	r.Sampling, r.Seed = backends.Sampling{Temperature: 0.7, TopP: 0.9}, 3
	if _, err := open(t, cfg).Answer(t.Context(), []backends.Request{r}); err != nil {
		t.Fatal(err)
	}
	if _, seeded := got["seed"]; got["temperature"] != 0.7 || got["top_p"] != 0.9 || seeded {
		t.Errorf("the call says %v", got)
	}
}

// What extra says is put over the request's own fields, and what it removes is not sent.
func TestExtra(t *testing.T) {
	s := serve(t, claudeForm())
	var got map[string]any
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = nil
		if body, err := io.ReadAll(r.Body); err != nil || json.Unmarshal(body, &got) != nil {
			t.Errorf("%s, %v", body, err)
		}
		w.WriteHeader(http.StatusBadRequest)
	})
	cfg := s.config(func(c *backends.HostedConfig) {
		c.Extra = map[string]any{"thinking": map[string]any{"type": "disabled"}, "max_tokens": int64(7), "temperature": nil}
	})
	m := open(t, cfg)
	want := map[string]any{"model": "claude-sonnet-4-5", "max_tokens": 7., "thinking": map[string]any{"type": "disabled"}}
	for range 2 { // extra itself is not changed
		if _, err := m.Answer(t.Context(), requests(cfg.Model, "claude-sonnet-4-5")[1:2]); err != nil {
			t.Fatal(err)
		}
		delete(got, "messages")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}
