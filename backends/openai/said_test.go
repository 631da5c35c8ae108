package openai

import (
	"strings"
	"testing"

	"infnet/backends"
)

// A classification reads the first token; a thought's, a refusal's or a call's
// is no label's.
func TestSaidInPlaceOfALabel(t *testing.T) {
	for _, test := range []struct {
		name, message, finish string
		cause                 backends.Cause
	}{
		{"a label", `"content":" a"`, "length", ""},
		{"a token that is not in the text", `"content":""`, "length", backends.NoContent},
		{"a token and no text", `"content":null`, "length", backends.NoContent},
		{"thoughts", `"content":null,"reasoning_content":" a"`, "length", backends.Thoughts},
		{"thoughts by another name", `"content":"","reasoning":" a"`, "length", backends.Thoughts},
		{"a refusal", `"content":null,"refusal":" a"`, "stop", backends.Refused},
		{"a filter", `"content":" a"`, "content_filter", backends.Refused},
		{"a tool call", `"content":null`, "tool_calls", backends.ToolCall},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := strings.Replace(chatty("-0.5", alternatives), `"content":" a"`, test.message, 1)
			body = strings.Replace(body, `"finish_reason":"length"`, `"finish_reason":"`+test.finish+`"`, 1)
			m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.Labels = backends.LabelsTopLogprobs })
			r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " b"}}
			f := backends.Check(r, ask(t, m, r))
			if (f == nil) != (test.cause == "") || f != nil && (f.Cause != test.cause || f.Temporary()) {
				t.Errorf("%+v, want cause %q", f, test.cause)
			}
		})
	}
}
