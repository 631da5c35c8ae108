package hosted_test

import (
	"net/http"
	"strings"
	"testing"

	"infnet/backends"
)

// says answers every call with one body.
func says(t *testing.T, f form, body string) (*fake, backends.Config) {
	t.Helper()
	s := serve(t, f)
	s.server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(body))
	})
	return s, s.config()
}

// What langchaingo's clients would misread: what they return by themselves is in the comments.
func TestWhatClientsLose(t *testing.T) {
	counted := func(prompt, completion, cached int) backends.Usage {
		return backends.Usage{Prompt: backends.Counted(prompt), Completion: backends.Counted(completion), Cached: cached}
	}
	for _, tt := range []struct {
		name   string
		form   form
		body   string
		text   string
		finish backends.Finish
		usage  backends.Usage
	}{
		{ // two choices, of which callers take the first
			"two blocks of text", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929",
			"content":[{"type":"text","text":"Ada "},{"type":"text","text":"wrote it."}],"stop_reason":"end_turn",
			"usage":{"input_tokens":9,"output_tokens":5}}`, "Ada wrote it.", backends.FinishEnd, counted(9, 5, 0),
		},
		{ // an error: unknown content type
			"redacted thoughts", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"redacted_thinking","data":"x"},{"type":"text","text":"Ada."}],"stop_reason":"stop_sequence",
			"usage":{"input_tokens":9,"output_tokens":50}}`, "Ada.", backends.FinishEnd, counted(9, 50, 0),
		},
		{ // an error: no response
			"an empty answer", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],
			"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":0}}`, "", backends.FinishEnd, counted(9, 0, 0),
		},
		{ // counts of 0
			"no usage", claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn"}`, "Ada.", backends.FinishEnd, backends.Usage{},
		},
		{ // the thought as a part of the text, and its tokens in the total alone
			"a thought before the text", geminiForm(), `{"modelVersion":"gemini-2.5-flash","candidates":[{"finishReason":"STOP",
			"content":{"parts":[{"text":"Hm.","thought":true},{"text":"Ada."}],"role":"model"}}],
			"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"thoughtsTokenCount":40,"totalTokenCount":51}}`,
			"Ada.", backends.FinishEnd, counted(9, 42, 0),
		},
		{ // no reason
			"a reason of a later version", geminiForm(), `{"modelVersion":"gemini-2.5-flash","candidates":[{
			"finishReason":"TOO_MANY_TOOL_CALLS","content":{"parts":[{"text":"Ada."}],"role":"model"}}],
			"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11}}`,
			"Ada.", "too_many_tool_calls", counted(9, 2, 0),
		},
		{ // an error: a list where a text should be
			"chunks", mistralForm(), `{"object":"chat.completion","model":"mistral-large-2411","choices":[{"index":0,
			"finish_reason":"stop","message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text",
			"text":"Hm."}]},{"type":"text","text":"Ada."}]}}],"usage":{"prompt_tokens":9,"completion_tokens":30}}`,
			"Ada.", backends.FinishEnd, counted(9, 30, 0),
		},
		{ // the text alone
			"a cut answer", cohereForm(), `{"id":"x","finish_reason":"MAX_TOKENS","message":{"role":"assistant","content":[
			{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Ada"}]},"usage":{"tokens":{"input_tokens":75,
			"output_tokens":16}}}`, "Ada", backends.FinishLength, counted(75, 16, 0),
		},
		{ // an error: completed due to max_tokens
			"a cut answer", bedrockClaudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-20250514",
			"content":[{"type":"text","text":"Ada"}],"stop_reason":"max_tokens","usage":{"input_tokens":9,"output_tokens":16,
			"cache_read_input_tokens":1024}}`, "Ada", backends.FinishLength, counted(1033, 16, 1024),
		},
		{ // a choice for each part
			"two parts", bedrockNovaForm(), `{"output":{"message":{"role":"assistant","content":[{"text":"Ada "},{"text":"wrote."}]}},
			"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":4,"totalTokens":13}}`,
			"Ada wrote.", backends.FinishEnd, counted(9, 4, 0),
		},
		{ // a choice without a text; Nova's own count leaves out what it read from its cache, the total has it
			"thoughts and a cache", bedrockNovaForm(), `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":
			{"reasoningText":{"text":"[REDACTED]"}}},{"text":"Ada."}]}},"stopReason":"end_turn","usage":{"inputTokens":9,
			"outputTokens":4,"totalTokens":1013,"cacheReadInputTokenCount":1000,"cacheWriteInputTokenCount":0}}`,
			"Ada.", backends.FinishEnd, counted(1009, 4, 1000),
		},
		{ // more cached tokens than there are: which of the two is wrong is not known
			"a cache without a total", bedrockNovaForm(), `{"output":{"message":{"role":"assistant","content":[{"text":"Ada."}]}},
			"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":4,"cacheReadInputTokenCount":1000}}`,
			"Ada.", backends.FinishEnd, backends.Usage{Completion: backends.Counted(4)},
		},
		{
			"more cached tokens than tokens", mistralForm(), `{"object":"chat.completion","model":"mistral-large-2411",
			"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"Ada."}}],"usage":{
			"prompt_tokens":9,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":64}}}`,
			"Ada.", backends.FinishEnd, backends.Usage{Completion: backends.Counted(3)},
		},
		{ // a part of an unknown kind
			"the signature of a thought", geminiForm(), `{"modelVersion":"gemini-2.5-flash","candidates":[{"finishReason":"STOP",
			"content":{"parts":[{"text":"Ada."},{"thoughtSignature":"AbC="}],"role":"model"}}],
			"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":11}}`,
			"Ada.", backends.FinishEnd, counted(9, 2, 0),
		},
		{
			"thoughts in the total alone", geminiForm(), `{"modelVersion":"gemini-2.5-flash","candidates":[{
			"finishReason":"STOP","content":{"parts":[{"text":"Ada."}],"role":"model"}}],
			"usageMetadata":{"promptTokenCount":9,"candidatesTokenCount":2,"totalTokenCount":51}}`,
			"Ada.", backends.FinishEnd, counted(9, 42, 0),
		},
		{
			"what a tool read", geminiForm(), `{"modelVersion":"gemini-2.5-flash","candidates":[{"finishReason":"STOP",
			"content":{"parts":[{"text":"Ada."}],"role":"model"}}],"usageMetadata":{"promptTokenCount":9,
			"candidatesTokenCount":2,"toolUsePromptTokenCount":50,"thoughtsTokenCount":5,"totalTokenCount":66}}`,
			"Ada.", backends.FinishEnd, counted(9, 7, 0),
		},
		{ // counts are numbers there, whole or not
			"counts that are not whole", cohereForm(), `{"id":"x","finish_reason":"COMPLETE","message":{"role":"assistant",
			"content":[{"type":"text","text":"Ada."}]},"usage":{"billed_units":{"input_tokens":9.0,"output_tokens":2.5},
			"cached_tokens":3.0}}`, "Ada.", backends.FinishEnd, counted(9, 3, 3),
		},
	} {
		t.Run(string(tt.form.provider)+" "+tt.name, func(t *testing.T) {
			_, cfg := says(t, tt.form, tt.body)
			got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, tt.form.served)[1:2])
			if err != nil || got[0].Failure != nil {
				t.Fatalf("%v, %v", got[0].Failure, err)
			}
			if a := got[0]; a.Text != tt.text || a.Finish != tt.finish || a.Usage != tt.usage {
				t.Errorf("%q (%s) %+v, want %q (%s) %+v", a.Text, a.Finish, a.Usage, tt.text, tt.finish, tt.usage)
			}
		})
	}
}

// Tokens of a reply that is no answer were paid for, so they are counted.
func TestFailuresCost(t *testing.T) {
	_, cfg := says(t, claudeForm(), `{"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[],
		"stop_reason":"refusal","usage":{"input_tokens":9,"output_tokens":4}}`)
	got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, "claude-sonnet-4-5")[1:2])
	if err != nil {
		t.Fatal(err)
	}
	f := got[0].Failure
	if f == nil || f.Cause != backends.Refused || len(got[0].Calls) != 1 ||
		got[0].Calls[0].Prompt != backends.Counted(9) || got[0].Calls[0].Completion != backends.Counted(4) {
		t.Errorf("%v, calls %+v", f, got[0].Calls)
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
		_, cfg := says(t, claudeForm(), `{"type":"message","role":"assistant","model":"`+tt.replied+`",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}`)
		c, ok := cfg.Settings.(*backends.HostedConfig)
		if !ok {
			t.Fatal("no settings")
		}
		c.Served = tt.asked
		got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, tt.asked)[1:2])
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

// The same on Bedrock, whose names have more around the model's.
func TestWhoAnswersOnBedrock(t *testing.T) {
	for _, tt := range []struct {
		asked, replied string
		same           bool
	}{
		{"anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-3-5-sonnet-20241022", true},
		{"us.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5-20250929", true},
		{"global.anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4-5", true},
		{"anthropic.claude-opus-4-6-v1", "claude-opus-4-6", true},
		{"anthropic.claude-3-haiku-20240307-v1:0:48k", "claude-3-haiku-20240307", true},
		{"anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4", false},
		{"anthropic.claude-sonnet-4-5-20250929-v1:0", "claude-sonnet-4", false},
		{"anthropic.claude-sonnet-4-5-20250929-v1:0", "claude", false},
		{"anthropic.claude-sonnet-4-5-20250929-v1:0", "sonnet-4-5-20250929", false},
	} {
		f := bedrockClaudeForm()
		f.served = tt.asked
		_, cfg := says(t, f, `{"type":"message","role":"assistant","model":"`+tt.replied+`",
			"content":[{"type":"text","text":"Ada."}],"stop_reason":"end_turn","usage":{"input_tokens":9,"output_tokens":2}}`)
		got, err := open(t, cfg).Answer(t.Context(), requests(cfg.Model, tt.asked)[1:2])
		if err != nil {
			t.Fatal(err)
		}
		if f := got[0].Failure; (f == nil) != tt.same {
			t.Errorf("%q asked, %q answers: %v", tt.asked, tt.replied, f)
		}
	}
}
