package hosted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// fault is a reply in a provider's place.
func fault(name string, cause backends.Cause, status int, body string) backendtest.Reply {
	return backendtest.Reply{Name: name, Cause: cause, Status: status, Says: func(string) string { return body }}
}

// changed is a good reply with something else at a path of names, such as "usage.input_tokens"; nil removes it.
func changed(name string, cause backends.Cause, path string, to any) backendtest.Reply {
	return backendtest.Reply{Name: name, Cause: cause, Says: func(good string) string {
		var v any
		if err := json.Unmarshal([]byte(good), &v); err != nil {
			panic(err)
		}
		set(v, strings.Split(path, "."), to)
		b, err := json.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(b)
	}}
}

// set puts a value into decoded JSON; of a list, into its first element.
func set(v any, path []string, to any) {
	switch at := v.(type) {
	case []any:
		set(at[0], path, to)
	case map[string]any:
		if len(path) > 1 {
			set(at[path[0]], path[1:], to)
			return
		}
		if to == nil {
			delete(at, path[0])
		} else {
			at[path[0]] = to
		}
	}
}

// What a reply may say in the place of an answer is the failure that it should be.
func TestReplies(t *testing.T) {
	text := func(s string) any { return []any{map[string]any{"type": "text", "text": s}} }
	replies := []backendtest.Reply{
		fault("an empty object", backends.BadResponse, 200, `{}`),
		fault("a list", backends.BadResponse, 200, `[]`),
		fault("null", backends.BadResponse, 200, `null`),
		fault("no content", backends.BadResponse, 204, ``),
		{Name: "every name twice", Cause: backends.BadResponse, Says: func(good string) string {
			return good[:len(strings.TrimSpace(good))-1] + "," + good[1:]
		}},
		fault("overloaded", backends.ServerError, 529,
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`),
		fault("an error called success", backends.ServerError, 200,
			`{"type":"error","error":{"type":"api_error","message":"Internal server error"}}`),
		fault("too long", backends.TooLong, 400, `{"type":"error","error":{"type":"invalid_request_error",`+
			`"message":"prompt is too long: 214315 tokens > 200000 maximum"}}`),
		fault("an unpaid account", backends.Unauthorized, 402,
			`{"type":"error","error":{"type":"billing_error","message":"Payment required"}}`),
		fault("an account without credit", backends.Unauthorized, 400, `{"type":"error","error":{"type":`+
			`"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}`),
		changed("a refusal", backends.Refused, "stop_reason", "refusal"),
		changed("no reason", backends.BadResponse, "stop_reason", nil),
		changed("a tool alone", backends.ToolCall, "content", []any{map[string]any{"type": "tool_use", "id": "toolu_1",
			"name": "search", "input": map[string]any{}}}),
		changed("thoughts alone", backends.Thoughts, "content",
			[]any{map[string]any{"type": "thinking", "thinking": "Hm.", "signature": "x"}}),
		changed("an unknown block", backends.BadResponse, "content", []any{map[string]any{"type": "image"}}),
		changed("a block without a text", backends.BadResponse, "content", []any{map[string]any{"type": "text"}}),
		changed("a text that is a number", backends.BadResponse, "content.text", 7),
		changed("negative counts", backends.BadResponse, "usage.input_tokens", -400),
		changed("counts that are texts", backends.BadResponse, "usage.output_tokens", "3"),
		{Name: "cut before any text", Cause: backends.CutEmpty, Says: func(good string) string {
			return changed("", "", "stop_reason", "max_tokens").Says(changed("", "", "content", text("")).Says(good))
		}},
		changed("the user's turn", backends.BadResponse, "role", "user"),
		changed("another model", backends.OtherModel, "model", "claude-3-haiku-20240307"),
		changed("a name that looks the same", backends.OtherModel, "model", "claude-sonnet-4-5\u200b"),
		changed("no model", backends.BadResponse, "model", nil),
	}
	f := claudeForm()
	s := serve(t, f)
	backendtest.RunReplies(t, s, func(t *testing.T, url string) backends.Model {
		return open(t, s.config(func(c *backends.HostedConfig) { c.URLs = []string{url} }))
	}, requests(s.config().Model, f.served)[:2], replies)
}
