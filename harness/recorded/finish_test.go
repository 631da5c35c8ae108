package recorded_test

import (
	"fmt"
	"testing"

	"infnet/backends"
	"infnet/harness/recorded"
)

// What a record says of its end goes with the answer; without a text, only an
// end of the model's own makes an answer. A record that does not say is as
// before: not known.
func TestFinish(t *testing.T) {
	for _, test := range []struct {
		word, text string // word "" = no such column
		want       backends.Finish
		cause      backends.Cause
	}{
		{"", "ab", "", ""}, {"", "", "", ""},
		{"stop", "ab", backends.FinishEnd, ""}, {"stop", "", backends.FinishEnd, ""},
		{"length", "ab", backends.FinishLength, ""}, {"length", "", "", backends.CutEmpty},
		{"max_tokens", "ab", backends.FinishLength, ""},
		{"tool_calls", "ab", "tool_calls", ""}, {"tool_calls", "", "", backends.ToolCall},
		{"content_filter", "", "", backends.Refused}, {"unknown", "", "", backends.NoContent},
	} {
		t.Run(test.word+"/"+test.text, func(t *testing.T) {
			row := fmt.Sprintf(`{"id": "x", "text": %q`, test.text)
			if test.word != "" {
				row += fmt.Sprintf(`, "finish_reason": %q`, test.word)
			}
			got := mustRead(t, "a.jsonl", row+"}\n", recorded.Options{})
			req := backends.Request{Prompt: "p", MaxTokens: 5}
			a, err := got[0].To(req, nil)
			if err != nil {
				t.Fatal(err)
			}
			f := backends.Check(req, a)
			if (f == nil) != (test.cause == "") || f != nil && f.Cause != test.cause || a.Finish != test.want {
				t.Errorf("finish %q, failure %v; want %q, %q", a.Finish, f, test.want, test.cause)
			}
		})
	}
}
