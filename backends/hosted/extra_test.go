package hosted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

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
