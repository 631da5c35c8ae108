package hosted_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"infnet/backends"
	"infnet/backends/hosted"
)

// Blocks of thinking, as the provider documents them (platform.claude.com/docs/en/build-with-claude/extended-thinking),
// and tags that a prompt asked for: kept with a text; alone or in the text, an answer where a study says how one is
// found.
func TestThoughts(t *testing.T) {
	const thinking = `{"type":"thinking","thinking":"3 + 4","signature":"x"}`
	for _, c := range []struct {
		name, content, stop, text, thoughts string
		fails                               bool
	}{
		{"beside a text", thinking + `,{"type":"text","text":"7"}`, "end_turn", "7", "3 + 4", false},
		{"alone", thinking, "max_tokens", "", "3 + 4", true},
		{"out of sight", `{"type":"redacted_thinking","data":"x"}`, "max_tokens", "", "", true},
		{"in the text", `{"type":"text","text":"<thinking>3 + 4</thinking>7"}`, "end_turn", "<thinking>3 + 4</thinking>7", "",
			true},
	} {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(`{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[` +
				c.content + `],"stop_reason":"` + c.stop + `","usage":{"input_tokens":9,"output_tokens":12}}`))
		}))
		m, err := hosted.Open(backends.Config{Model: backends.ModelID{ID: "claude-sonnet-4-5", Kind: backends.Hosted},
			Settings: &backends.HostedConfig{Provider: backends.Anthropic,
				Access: backends.Access{URLs: []string{srv.URL + "/v1"}, APIKey: "k-12345678"}}})
		if err != nil {
			t.Fatal(err)
		}
		r := backends.Request{Model: backends.ModelID{ID: "claude-sonnet-4-5", Kind: backends.Hosted}, Mode: backends.Chat,
			Prompt: "What is 3 + 4?", MaxTokens: 12}
		as, err := m.Answer(t.Context(), []backends.Request{r})
		if err != nil {
			t.Fatal(err)
		}
		got := backends.Pass(r, as[0])
		if fails := got.Failure != nil; fails != c.fails || fails && got.Failure.Cause != backends.Thoughts {
			t.Errorf("%s: failure %v, want one: %v", c.name, got.Failure, c.fails)
		}
		a := backends.Pass(r, got.Found())
		if n, _ := a.Usage.Completion.Known(); a.Failure != nil || a.Text != c.text || a.Thoughts != c.thoughts || n != 12 {
			t.Errorf("%s: %+v", c.name, a)
		}
		_ = m.Close()
		srv.Close()
	}
}
