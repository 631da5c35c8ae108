package hosted_test

import (
	"encoding/json"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// What langchaingo's clients would misread: what they return by themselves is in the comments.
func TestWhatClientsLose(t *testing.T) {
	counted := func(prompt, completion, cached int) backends.Usage {
		return backends.Usage{Prompt: backends.Counted(prompt), Completion: backends.Counted(completion), Cached: cached}
	}
	for _, tt := range []struct {
		name   string
		body   string
		text   string
		finish backends.Finish
		usage  backends.Usage
	}{
		{ // two choices, of which callers take the first
			"two blocks of text", `{"type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",
			"content":[{"type":"text","text":"Ada "},{"type":"text","text":"wrote it."}],"stop_reason":"end_turn",
			"usage":{"input_tokens":9,"output_tokens":5}}`, "Ada wrote it.", backends.FinishEnd, counted(9, 5, 0),
		},
		{ // an error: unknown content type
			"redacted thoughts", `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"Ada."}],"stop_reason":"stop_sequence",
			"usage":{"input_tokens":9,"output_tokens":15}}`, "Ada.", backends.FinishEnd, counted(9, 15, 0),
		},
		{ // an error: no response
			"an empty answer", `{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],
			"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":0}}`, "", backends.FinishEnd, counted(9, 0, 0),
		},
		{ // counts of 0
			"no usage", `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn"}`, "Ada.", backends.FinishEnd, backends.Usage{},
		},
		{ // 50,000 tokens where 16 were allowed
			"more than was allowed", `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn","usage":{"input_tokens":9,
			"output_tokens":50000}}`, "Ada.", backends.FinishEnd, backends.Usage{Prompt: backends.Counted(9)},
		},
		{
			"a cut answer", `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada"}],"stop_reason":"max_tokens","usage":{"input_tokens":9,"output_tokens":16,
			"cache_read_input_tokens":1024}}`, "Ada", backends.FinishLength, counted(1033, 16, 1024),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := says(t, tt.body)
			got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model)[1:2])
			if err != nil || got[0].Failure != nil {
				t.Fatalf("%v, %v", got[0].Failure, err)
			}
			if a := got[0]; a.Text != tt.text || a.Finish != tt.finish || a.Usage != tt.usage {
				t.Errorf("%q (%s) %+v, want %q (%s) %+v", a.Text, a.Finish, a.Usage, tt.text, tt.finish, tt.usage)
			}
		})
	}
}

// Which names in replies are the model that was asked.
func TestWhoAnswers(t *testing.T) {
	for _, tt := range []struct {
		asked, replied string
		same           bool
	}{
		{"claude-sonnet-4-5", "claude-sonnet-4-5", true},
		{"claude-sonnet-4-5", "claude-sonnet-4-5-20250929", true},
		{"claude-3-5-sonnet-latest", "claude-3-5-sonnet-20241022", true},
		{"claude-sonnet-4-5-20250929", "claude-sonnet-4-5", false},
		{"claude-sonnet-4", "claude-sonnet-4-5", false},
		{"claude-opus-4", "claude-opus-4-1-20250805", false},
		{"claude-sonnet-4-5", "claude-haiku-4-5", false},
		{"claude-sonnet-4-5", "", false},
	} {
		cfg := says(t, `{"type":"message","role":"assistant","model":"`+tt.replied+`",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}`)
		cfg.Settings.(*backends.HostedConfig).Served = tt.asked
		r := requests(cfg.Model)[1]
		r.Served = tt.asked
		got, err := open(t, cfg).Answer(t.Context(), []backends.Request{r})
		if err != nil {
			t.Fatal(err)
		}
		if f := got[0].Failure; (f == nil) != tt.same ||
			f != nil && tt.replied != "" && !strings.Contains(f.Message, tt.replied) {
			t.Errorf("%q asked, %q answers: %v", tt.asked, tt.replied, f)
		} else if f == nil && got[0].Model != tt.replied {
			t.Errorf("answered by %q, recorded %q", tt.replied, got[0].Model)
		}
	}
}

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
		cfg := says(t, `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[`+
			c.content+`],"stop_reason":"`+c.stop+`","usage":{"input_tokens":9,"output_tokens":12}}`)
		r := backends.Request{Model: cfg.Model, Mode: backends.Chat, Prompt: "What is 3 + 4?", MaxTokens: 12}
		as, err := open(t, cfg).Answer(t.Context(), []backends.Request{r})
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
	}
}

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
	s := serve(t)
	backendtest.RunReplies(t, s, func(t *testing.T, url string) backends.Model {
		return open(t, s.config(func(c *backends.HostedConfig) { c.URLs = []string{url} }))
	}, requests(s.config().Model)[:2], replies)
}
