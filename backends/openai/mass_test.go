package openai

import (
	"net/http"
	"testing"

	"infnet/backends"
)

// A server whose most probable token is no label while one label is seen: that label is not what the model says.
func TestTopTokenIsNoLabel(t *testing.T) {
	for _, lists := range []bool{false, true} {
		mode := map[bool]backends.Mode{false: backends.Chat, true: backends.Raw}[lists]
		body := inShape(lists, entry{" maybe", "-0.02"}, entry{" maybe", "-0.02"}, entry{" yes", "-4.6"}, entry{" x", "-9"})
		m := open(t, static(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(body)) }),
			func(c *backends.OpenAIConfig) { c.Labels, c.TopLogprobs = backends.LabelsTopLogprobs, 3 })
		a := ask(t, m, backends.Request{Model: testID, Mode: mode, Prompt: "p:", Labels: []string{" yes", " no"}})
		if a.Failure == nil || a.Failure.Cause != backends.NoLabel || len(a.Labels) > 0 {
			t.Errorf("%s: %+v: want a refusal", mode, a)
		}
	}
}
