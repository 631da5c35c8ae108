package hosted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// fault is a reply in a provider's place, with the status and the content type of one.
func fault(name string, cause backends.Cause, status int, body string) backendtest.WireFault {
	return backendtest.WireFault{Name: name, Cause: cause, Lasting: !(&backends.Failure{Cause: cause}).Temporary(),
		Do: func(w http.ResponseWriter, _ *http.Request, _ []byte) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}}
}

// changed is a good reply with something else at a path of names, such as "usage.input_tokens"; nil removes it.
func changed(name string, cause backends.Cause, path string, to any) backendtest.WireFault {
	f := fault(name, cause, 200, "")
	f.Do = backendtest.Rewritten(func(good string) string {
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
	})
	return f
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

// common are the faults that every provider's replies may have.
func common() []backendtest.WireFault {
	return []backendtest.WireFault{
		fault("an empty object", backends.BadResponse, 200, `{}`),
		fault("a list", backends.BadResponse, 200, `[]`),
		fault("null", backends.BadResponse, 200, `null`),
		fault("a redirect", backends.BadRequest, 307, `{}`),
		fault("no content", backends.BadResponse, 204, ``),
		{Name: "every name twice", Cause: backends.BadResponse, Do: backendtest.Rewritten(func(good string) string {
			return good[:len(strings.TrimSpace(good))-1] + "," + good[1:]
		})},
	}
}

func claudeFaults() []backendtest.WireFault {
	text := func(s string) any { return []any{map[string]any{"type": "text", "text": s}} }
	return []backendtest.WireFault{
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
		cutEmpty("content", text(""), "stop_reason", "max_tokens"),
		changed("the user's turn", backends.BadResponse, "role", "user"),
		changed("another model", backends.OtherModel, "model", "claude-3-haiku-20240307"),
		changed("a name that looks the same", backends.OtherModel, "model", "claude-sonnet-4-5\u200b"),
		changed("no model", backends.BadResponse, "model", nil),
	}
}

// cutEmpty is a good reply that was cut before its first word.
func cutEmpty(at string, empty any, reasonAt, reason string) backendtest.WireFault {
	first, second := changed("", "", at, empty), changed("", "", reasonAt, reason)
	f := fault("cut before any text", backends.CutEmpty, 200, "")
	f.Do = func(w http.ResponseWriter, r *http.Request, good []byte) {
		var once recorder
		first.Do(&once, r, good)
		second.Do(w, r, []byte(once.String()))
	}
	return f
}

// recorder keeps a body.
type recorder struct{ strings.Builder }

func (*recorder) Header() http.Header { return http.Header{} }
func (*recorder) WriteHeader(int)     {}

// Every fault of HTTP, of JSON and of a provider's form leads to the failure it should, is repeated by our retry alone,
// and never becomes an answer.
func TestWire(t *testing.T) {
	f := claudeForm()
	s := serve(t, f)
	reqs := requests(s.config().Model, f.served)
	backendtest.RunWire(t, backendtest.Wire{
		Server: s, Requests: reqs[:4], Own: append(common(), claudeFaults()...),
		Asks: func(*http.Request) bool { return true },
		Open: func(t *testing.T, url string, d time.Duration) backends.Model {
			return open(t, s.config(func(c *backends.HostedConfig) { c.URLs, c.Timeout = []string{url}, d }))
		},
	})
}
