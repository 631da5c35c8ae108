package openai

import (
	"encoding/json"
	"slices"
	"testing"

	"infnet/backends"
)

// Turns are sent in order, as the protocol writes them (platform.openai.com/docs/api-reference/chat: messages), for
// generations and for every way to classify in a chat; and batch files hold the same.
func TestTurns(t *testing.T) {
	s := &tap{inner: &fake{Flavour: flavours["vllm"]}}
	url := newServer(t, s.ServeHTTP) + "/v1"
	r := backends.Request{Model: testID, Mode: backends.Chat, System: "Be brief.", Prompt: "Is the sky blue?",
		Examples: []backends.Example{{Prompt: "Is snow white?", Answer: "yes"}, {Prompt: "Is coal white?", Answer: "no"}}}
	want := []turn{{"system", "Be brief."}, {"user", "Is snow white?"}, {"assistant", "yes"}, {"user", "Is coal white?"},
		{"assistant", "no"}, {"user", "Is the sky blue?"}}
	labelled := func(r *backends.Request) { r.Labels = []string{" yes", " no"} }
	for _, c := range []struct {
		name string
		mode backends.LabelMode
		ask  func(*backends.Request)
	}{
		{"generation", "", func(r *backends.Request) { r.MaxTokens = 3 }},
		{"by text", backends.LabelsText, labelled},
		{"by log-probabilities", backends.LabelsTopLogprobs, labelled},
		{"by token ids", backends.LabelsTokenIDs, labelled},
	} {
		m := open(t, url, func(o *backends.OpenAIConfig) { o.Labels = c.mode })
		one := r
		c.ask(&one)
		a := ask(t, m, one)
		if a.Failure != nil && a.Failure.Cause != backends.NoLabel {
			t.Errorf("%s: %v", c.name, a.Failure)
		}
		var q struct{ Messages []turn }
		if err := json.Unmarshal(s.sent, &q); err != nil || !slices.Equal(q.Messages, want) {
			t.Errorf("%s: turns %q (%v), want %q", c.name, q.Messages, err, want)
		}
		one.Mode = backends.Raw
		if a := ask(t, m, one); a.Failure == nil || a.Failure.Cause != backends.BadRequest {
			t.Errorf("%s: mode raw has turns: %v", c.name, a.Failure)
		}
	}
	b, err := OpenBatch(backends.Config{Model: testID, Settings: &backends.OpenAIConfig{}}, backends.LabelsText)
	if err != nil {
		t.Fatal(err)
	}
	r.MaxTokens = 3
	call, f := b.Call(t.Context(), r)
	var q struct{ Messages []turn }
	if f != nil || json.Unmarshal(call.Body, &q) != nil || !slices.Equal(q.Messages, want) {
		t.Errorf("a batch holds %s (%v)", call.Body, f)
	}
}
