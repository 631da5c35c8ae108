package openai

import (
	"encoding/json"
	"testing"

	"infnet/backends"
)

// An effort is sent with every chat, as the protocol writes it (platform.openai.com/docs/api-reference/chat:
// reasoning_effort), and is part of the key, so that no level takes another one's answer. Without one the body and the
// key are what they were.
func TestEffort(t *testing.T) {
	keys := map[backends.Key]backends.Effort{}
	for _, effort := range []backends.Effort{"none", "minimal", "low", "medium", "high", "xhigh", ""} {
		cfg := backends.Config{Model: testID, Settings: &backends.OpenAIConfig{Effort: effort}}
		b, err := OpenBatch(cfg, backends.LabelsText)
		if err != nil {
			t.Fatal(err)
		}
		remote, _ := cfg.Remote()
		r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 3, Settings: remote.Engine()}
		call, f := b.Call(t.Context(), r)
		var sent map[string]any
		if f != nil || json.Unmarshal(call.Body, &sent) != nil {
			t.Fatal(f, string(call.Body))
		}
		if got, ok := sent["reasoning_effort"]; ok != (effort != "") || ok && got != string(effort) {
			t.Errorf("%q: the body is %s", effort, call.Body)
		}
		if other, ok := keys[r.Key()]; ok {
			t.Errorf("%q and %q have one key", effort, other)
		}
		keys[r.Key()] = effort
		other := r
		other.Settings = []backends.Setting{{Name: "reasoning_effort", Value: "extreme"}}
		if _, f := b.Call(t.Context(), other); f == nil || f.Cause != backends.BadRequest {
			t.Errorf("%q answers for another effort: %v", effort, f)
		}
	}
	plain := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 3}
	if e, ok := keys[plain.Key()]; !ok || e != "" {
		t.Error("a request without an effort has another key than before")
	}
}
