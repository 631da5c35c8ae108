package hosted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"infnet/backends"
)

// What extra says within an object is put into the object; the rest of it stays, the limit of tokens above all.
func TestExtraWithinObjects(t *testing.T) {
	for _, tt := range []struct {
		form  form
		extra map[string]any
		field string
		want  map[string]any
	}{
		{
			geminiForm(), map[string]any{"generationConfig": map[string]any{"thinkingConfig": map[string]any{
				"thinkingBudget": int64(0)}, "temperature": 1}}, "generationConfig",
			map[string]any{"candidateCount": 1., "maxOutputTokens": 16., "seed": 0., "temperature": 1., "topK": 1., "topP": 1.,
				"thinkingConfig": map[string]any{"thinkingBudget": 0.}},
		},
		{
			bedrockNovaForm(), map[string]any{"inferenceConfig": map[string]any{"topP": 0.5}}, "inferenceConfig",
			map[string]any{"maxTokens": 16., "temperature": 0., "topP": 0.5},
		},
		{
			claudeForm(), map[string]any{"thinking": map[string]any{"type": "disabled"}}, "thinking",
			map[string]any{"type": "disabled"},
		},
	} {
		s := serve(t, tt.form)
		var got map[string]any
		s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var all map[string]any
			body, err := io.ReadAll(r.Body)
			if err != nil || json.Unmarshal(body, &all) != nil {
				t.Errorf("%s, %v", body, err)
			}
			got, _ = all[tt.field].(map[string]any)
			w.WriteHeader(http.StatusBadRequest)
		})
		cfg := s.config(func(c *backends.HostedConfig) { c.Extra = tt.extra })
		m := open(t, cfg)
		for range 2 { // extra itself is not changed
			if _, err := m.Answer(t.Context(), requests(cfg.Model, tt.form.served)[1:2]); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: %s (-want +got):\n%s", tt.form.provider, tt.field, diff)
			}
		}
	}
}
