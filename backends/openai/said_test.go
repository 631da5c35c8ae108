package openai

import (
	"fmt"
	"strings"
	"testing"

	"infnet/backends"
)

// What a reply says, whatever it says it with: every finish reason with every
// content, with and without log-probabilities. An empty text is an answer only
// where the model ended it.
func TestSaid(t *testing.T) {
	const none = backends.Cause("")
	for _, c := range []struct {
		name    string
		message string // of a chat
		text    string // what the answer holds, where it is one
		// The outcome by finish reason; causes of other reasons are those of "".
		stop, length, null, strange, tool, filter backends.Cause
	}{
		{"text", `"content":"ab"`, "ab", none, none, none, none, backends.ToolCall, backends.Refused},
		{"text and thoughts", `"content":"ab","reasoning_content":"hm"`, "ab", none, none, none, none, backends.ToolCall,
			backends.Refused},
		{"text and no thoughts", `"content":"ab","reasoning_content":null,"tool_calls":[],"refusal":""`, "ab", none, none,
			none, none, backends.ToolCall, backends.Refused},
		{"text beside a tool call", `"content":"ab","tool_calls":[{"id":"1","function":{"name":"f"}}]`, "", backends.ToolCall,
			backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.Refused},
		{"empty", `"content":""`, "", none, backends.CutEmpty, backends.NoContent, backends.NoContent, backends.ToolCall,
			backends.Refused},
		{"null", `"content":null`, "", backends.NoContent, backends.NoContent, backends.NoContent, backends.NoContent,
			backends.ToolCall, backends.Refused},
		{"missing", `"role":"assistant"`, "", backends.NoContent, backends.NoContent, backends.NoContent, backends.NoContent,
			backends.ToolCall, backends.Refused},
		{"reasoning_content only", `"content":"","reasoning_content":"hm"`, "", backends.Thoughts, backends.Thoughts,
			backends.Thoughts, backends.Thoughts, backends.ToolCall, backends.Refused},
		{"reasoning only", `"content":null,"reasoning":"hm"`, "", backends.Thoughts, backends.Thoughts, backends.Thoughts,
			backends.Thoughts, backends.ToolCall, backends.Refused},
		{"a tool call", `"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]`,
			"",
			backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.Refused},
		{"a function call", `"content":"","function_call":{"name":"f","arguments":"{}"}`, "",
			backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.ToolCall, backends.Refused},
		{"a refusal", `"content":null,"refusal":"I will not"`, "", backends.Refused, backends.Refused, backends.Refused,
			backends.Refused, backends.Refused, backends.Refused},
		{"a refusal beside text", `"content":"ab","refusal":"I will not"`, "", backends.Refused, backends.Refused,
			backends.Refused, backends.Refused, backends.Refused, backends.Refused},
	} {
		for _, finish := range []struct {
			word   string // JSON
			cause  backends.Cause
			finish backends.Finish
		}{
			{`"stop"`, c.stop, backends.FinishEnd}, {`"eos_token"`, c.stop, backends.FinishEnd}, {`"length"`, c.length,
				backends.FinishLength},
			{`null`, c.null, backends.FinishUnsaid}, {`"Überlauf"`, c.strange, "?berlauf"},
			{`"tool_calls"`, c.tool, "tool_calls"}, {`"function_call"`, c.tool, "function_call"}, {`"content_filter"`,
				c.filter, ""},
		} {
			for _, scored := range []bool{true, false} {
				t.Run(fmt.Sprint(c.name, " ", finish.word, " scored ", scored), func(t *testing.T) {
					t.Parallel()
					logprobs := ""
					if c.text != "" {
						logprobs = `{"token":"a","logprob":-0.1,"top_logprobs":[]},{"token":"b","logprob":-0.2,"top_logprobs":[]}`
					}
					body := fmt.Sprintf(`{"choices":[{"index":0,"message":{%s},"finish_reason":%s,"logprobs":{"content":[%s]}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`, c.message, finish.word, logprobs)
					m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) {
						if o.NoLogprobs = !scored; scored {
							o.Labels = backends.LabelsTopLogprobs
						}
					})
					r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 5}
					a := ask(t, m, r)
					f := backends.Check(r, a)
					switch {
					case finish.cause != none:
						if f == nil || f.Cause != finish.cause || f.Temporary() || f.Message == "" || !f.Cause.Unsaid() {
							t.Errorf("%+v, want a lasting %q", f, finish.cause)
						}
					case f != nil:
						t.Errorf("%v, want the answer %q", f, c.text)
					case a.Text != c.text || a.Finish != finish.finish || a.Finish.Cut() != (finish.finish != backends.FinishEnd):
						t.Errorf("text %q, finish %q, want %q, %q", a.Text, a.Finish, c.text, finish.finish)
					}
				})
			}
		}
	}
}

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
