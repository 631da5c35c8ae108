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
	typed := func(name, contentType string) backendtest.WireFault {
		f := fault(name, backends.BadResponse, 200, "")
		f.Do = func(w http.ResponseWriter, _ *http.Request, good []byte) {
			w.Header().Set("Content-Type", contentType)
			_, _ = w.Write(good)
		}
		return f
	}
	return []backendtest.WireFault{
		typed("a stream", "text/event-stream"),
		typed("a page", "text/html; charset=utf-8"),
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

// faults are those of one provider's form.
func faults(f form) []backendtest.WireFault {
	switch f.provider {
	case backends.Anthropic:
		return append(claudeFaults(), changed("another model", backends.OtherModel, "model", "claude-3-haiku-20240307"),
			changed("no model", backends.BadResponse, "model", nil))
	case backends.GoogleAI:
		return geminiFaults()
	case backends.Mistral:
		return mistralFaults()
	case backends.Cohere:
		return cohereFaults()
	}
	if strings.Contains(f.served, "anthropic") {
		return append(claudeFaults(), changed("another model", backends.OtherModel, "model", "claude-3-haiku-20240307"),
			fault("throttled", backends.RateLimited, 429, `{"message":"Too many requests, please wait before trying again."}`))
	}
	return novaFaults()
}

func geminiFaults() []backendtest.WireFault {
	part := func(p map[string]any) any { return []any{p} }
	out := []backendtest.WireFault{
		changed("no candidate", backends.BadResponse, "candidates", []any{}),
		changed("two candidates", backends.BadResponse, "candidates", []any{map[string]any{}, map[string]any{}}),
		changed("a blocked prompt", backends.Refused, "promptFeedback", map[string]any{"blockReason": "PROHIBITED_CONTENT"}),
		changed("a thought alone", backends.Thoughts, "candidates.content.parts",
			part(map[string]any{"text": "positive", "thought": true})),
		changed("a tool alone", backends.ToolCall, "candidates.content.parts",
			part(map[string]any{"functionCall": map[string]any{"name": "f", "args": map[string]any{}}})),
		changed("an unknown part", backends.BadResponse, "candidates.content.parts", part(map[string]any{"inlineData": 1})),
		changed("another model", backends.OtherModel, "modelVersion", "gemini-1.5-pro-002"),
		changed("no model", backends.BadResponse, "modelVersion", nil),
		changed("negative counts", backends.BadResponse, "usageMetadata.promptTokenCount", -1),
		fault("an error called success", backends.ServerError, 200,
			`{"error":{"code":500,"message":"Internal","status":"INTERNAL"}}`),
		fault("a key that is not valid", backends.Unauthorized, 400, `{"error":{"code":400,"message":"API key not valid.",`+
			`"status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`),
		fault("too long", backends.TooLong, 400,
			`{"error":{"code":400,"message":"The input token count (1300000) exceeds the `+
				`maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`),
		cutEmpty("candidates.content", map[string]any{"role": "model"}, "candidates.finishReason", "MAX_TOKENS"),
	}
	wait := fault("a wait in the details", backends.RateLimited, 429, `{"error":{"code":429,"message":"Quota exceeded",`+
		`"status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"1s"}]}}`)
	wait.After = time.Second
	out = append(out, wait)
	for _, reason := range []string{"SAFETY", "RECITATION", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII"} {
		out = append(out, changed("finish reason "+reason, backends.Refused, "candidates.finishReason", reason))
	}
	return out
}

func mistralFaults() []backendtest.WireFault {
	return []backendtest.WireFault{
		fault("an error called success", backends.ServerError, 200,
			`{"object":"error","message":"Service unavailable","type":"x"}`),
		fault("a bad request", backends.BadRequest, 422, `{"detail":[{"loc":["body","messages"],"msg":"field required"}]}`),
		changed("no choice", backends.BadResponse, "choices", []any{}),
		changed("two choices", backends.BadResponse, "choices",
			[]any{map[string]any{"index": 0}, map[string]any{"index": 1}}),
		changed("a choice that is not the first", backends.BadResponse, "choices.index", 1),
		changed("given up", backends.ServerError, "choices.finish_reason", "error"),
		cutEmpty("choices.message.content", "", "choices.finish_reason", "length"),
		changed("thoughts alone", backends.Thoughts, "choices.message.content",
			[]any{map[string]any{"type": "thinking", "thinking": []any{map[string]any{"type": "text", "text": "Hm."}}}}),
		changed("an unknown chunk", backends.BadResponse, "choices.message.content",
			[]any{map[string]any{"type": "reference"}}),
		changed("another model", backends.OtherModel, "model", "mistral-small-2409"),
		changed("no model", backends.BadResponse, "model", nil),
		changed("negative counts", backends.BadResponse, "usage.prompt_tokens", -1),
	}
}

func cohereFaults() []backendtest.WireFault {
	return []backendtest.WireFault{
		fault("an error called success", backends.ServerError, 200, `{"id":"x","message":"internal server error"}`),
		fault("a model that is gone", backends.BadRequest, 404, `{"id":"x","message":"model 'command' was removed"}`),
		fault("too long", backends.TooLong, 400,
			`{"message":"too many tokens: total number of tokens in the prompt cannot exceed 4081"}`),
		fault("a filter", backends.Refused, 498, `{"message":"blocked output: please adjust your prompt and try again"}`),
		fault("a call given up there", backends.ServerError, 499, `{"message":"request cancelled"}`),
		fault("no way to pay", backends.Unauthorized, 402, `{"message":"please add or update your payment method"}`),
		changed("given up", backends.ServerError, "finish_reason", "ERROR"),
		changed("timed out there", backends.ServerError, "finish_reason", "TIMEOUT"),
		changed("no message", backends.BadResponse, "message", nil),
		changed("the user's turn", backends.BadResponse, "message.role", "user"),
		changed("thoughts alone", backends.Thoughts, "message.content",
			[]any{map[string]any{"type": "thinking", "thinking": "Hm."}}),
		changed("negative counts", backends.BadResponse, "usage.billed_units.input_tokens", -1),
		cutEmpty("message.content", []any{}, "finish_reason", "MAX_TOKENS"),
	}
}

func novaFaults() []backendtest.WireFault {
	return []backendtest.WireFault{
		fault("an error called success", backends.ServerError, 200,
			`{"message":"The system encountered an unexpected error"}`),
		fault("throttled", backends.RateLimited, 429, `{"message":"Too many requests, please wait before trying again."}`),
		fault("the model's server failed", backends.ServerError, 424,
			`{"message":"The request failed due to an error while processing the model.","originalStatusCode":500}`),
		fault("no access", backends.Unauthorized, 403,
			`{"message":"You don't have access to the model with the specified model ID."}`),
		fault("too long", backends.TooLong, 400, `{"message":"Input is too long for requested model."}`),
		changed("filtered", backends.Refused, "stopReason", "content_filtered"),
		changed("a guardrail", backends.Refused, "stopReason", "guardrail_intervened"),
		changed("no message", backends.BadResponse, "output", map[string]any{}),
		changed("a tool alone", backends.ToolCall, "output.message.content",
			[]any{map[string]any{"toolUse": map[string]any{"name": "f"}}}),
		changed("an unknown part", backends.BadResponse, "output.message.content", []any{map[string]any{"image": 1}}),
		cutEmpty("output.message.content", []any{}, "stopReason", "max_tokens"),
		changed("negative counts", backends.BadResponse, "usage.outputTokens", -1),
	}
}

// Every fault of HTTP, of JSON and of a provider's form leads to the failure it should, is repeated by our retry alone,
// and never becomes an answer.
func TestWire(t *testing.T) {
	each(t, func(t *testing.T, f form) {
		s := serve(t, f)
		reqs := requests(s.config().Model, f.served)
		backendtest.RunWire(t, backendtest.Wire{
			Server: s, Requests: reqs[:4], Own: append(common(), faults(f)...),
			Asks: func(*http.Request) bool { return true },
			Open: func(t *testing.T, url string, d time.Duration) backends.Model {
				return open(t, s.config(func(c *backends.HostedConfig) { c.URL, c.Timeout = url, d }))
			},
		})
	})
}
