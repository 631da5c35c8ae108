package openai

import (
	"fmt"
	"testing"

	"infnet/backends"
)

// Every shape in which servers report tokens, or do not, with every way of
// asking. What is not reported stays unknown.
func TestUsage(t *testing.T) {
	n, unknown := backends.Counted, backends.Count{}
	for _, test := range []struct {
		name  string
		usage string // JSON
		want  backends.Usage
		cause backends.Cause // of replies that are refused
	}{
		{"all", `"usage":{"prompt_tokens":30,"completion_tokens":2,"total_tokens":32}`,
			backends.Usage{Prompt: n(30), Completion: n(2)}, ""},
		{"none", `"id":"x"`, backends.Usage{}, ""},
		{"null", `"usage":null`, backends.Usage{}, ""},
		{"empty", `"usage":{}`, backends.Usage{}, ""},
		{"nulls", `"usage":{"prompt_tokens":null,"completion_tokens":null,"prompt_tokens_details":null}`,
			backends.Usage{}, ""},
		{"zeros", `"usage":{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`, backends.Usage{}, ""},
		{"the prompt", `"usage":{"prompt_tokens":30}`, backends.Usage{Prompt: n(30)}, ""},
		{"the prompt, and a zero", `"usage":{"prompt_tokens":30,"completion_tokens":0}`, backends.Usage{Prompt: n(30)}, ""},
		{"the prompt and the total", `"usage":{"prompt_tokens":30,"total_tokens":32}`,
			backends.Usage{Prompt: n(30), Completion: n(2)}, ""},
		{"the answer", `"usage":{"completion_tokens":2}`, backends.Usage{Completion: n(2)}, ""},
		{"the answer and the total", `"usage":{"completion_tokens":2,"total_tokens":32}`,
			backends.Usage{Prompt: n(30), Completion: n(2)}, ""},
		{"the total", `"usage":{"total_tokens":32}`, backends.Usage{}, ""},
		{"more in total than its parts, as with thoughts",
			`"usage":{"prompt_tokens":30,"completion_tokens":2,"total_tokens":90}`, backends.Usage{Prompt: n(30),
				Completion: n(2)}, ""},
		{"thoughts apart from the answer, as xAI counts them", `"usage":{"prompt_tokens":30,"completion_tokens":2,` +
			`"total_tokens":90,"completion_tokens_details":{"reasoning_tokens":58}}`,
			backends.Usage{Prompt: n(30), Completion: n(60), Thoughts: 58}, ""},
		{"cached", `"usage":{"prompt_tokens":30,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":16}}`,
			backends.Usage{Prompt: n(30), Completion: n(2), Cached: 16}, ""},
		{"cached apart from the prompt",
			`"usage":{"prompt_tokens":14,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":16}}`,
			backends.Usage{Completion: n(2)}, ""},
		{"cached of no prompt", `"usage":{"prompt_tokens_details":{"cached_tokens":16}}`, backends.Usage{}, ""},
		{"more than was allowed", `"usage":{"prompt_tokens":30,"completion_tokens":500000}`,
			backends.Usage{Prompt: n(30)}, ""},
		{"a prompt of 500,000 tokens a character", `"usage":{"prompt_tokens":500000,"completion_tokens":2}`,
			backends.Usage{Completion: n(2)}, ""},
		{"less in total than its parts", `"usage":{"prompt_tokens":30,"completion_tokens":2,"total_tokens":31}`,
			backends.Usage{}, backends.BadResponse},
		{"a negative prompt", `"usage":{"prompt_tokens":-1,"completion_tokens":2}`, backends.Usage{}, backends.BadResponse},
		{"a negative answer", `"usage":{"prompt_tokens":30,"completion_tokens":-2}`, backends.Usage{}, backends.BadResponse},
		{"a negative total", `"usage":{"total_tokens":-2}`, backends.Usage{}, backends.BadResponse},
		{"negative cached", `"usage":{"prompt_tokens":30,"prompt_tokens_details":{"cached_tokens":-1}}`, backends.Usage{},
			backends.BadResponse},
	} {
		for _, way := range []struct {
			name     string
			labels   []string
			scored   bool
			implied  backends.Count // the answer's tokens where they are not reported
			reported bool           // what is reported of them counts
		}{
			{"generation", nil, true, n(2), true},
			{"generation without log-probabilities", nil, false, unknown, true},
			{"first token", []string{"ab", "c"}, true, n(1), false},
			{"text", []string{"ab", "c"}, false, unknown, true},
		} {
			t.Run(test.name+", "+way.name, func(t *testing.T) {
				t.Parallel()
				tokens := `{"token":"a","logprob":-0.1,"top_logprobs":[]},{"token":"b","logprob":-0.2,"top_logprobs":[]}`
				if len(way.labels) > 0 {
					tokens = `{"token":"ab","logprob":-0.1,"top_logprobs":[{"token":"ab","logprob":-0.1},{"token":"c","logprob":-3}]}`
				}
				body := fmt.Sprintf(`{"choices":[{"index":0,"message":{"content":"ab"},"finish_reason":"stop","logprobs":{"content":[%s]}}],%s}`, tokens, test.usage)
				m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) {
					o.TopLogprobs = 2
					if o.NoLogprobs = !way.scored; way.scored {
						o.Labels = backends.LabelsTopLogprobs
					}
				})
				a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 5, Labels: way.labels})
				if test.cause != "" {
					if a.Failure == nil || a.Failure.Cause != test.cause {
						t.Errorf("%+v, want %q", a.Failure, test.cause)
					}
					return
				}
				want := test.want
				if want.Completion.IsZero() || !way.reported {
					want.Completion = way.implied
				}
				if a.Failure != nil || a.Usage != want || a.Calls != nil {
					t.Errorf("%v, usage %v, calls %v; want %v", a.Failure, a.Usage, a.Calls, want)
				}
			})
		}
	}
}

// A reply that is no answer was computed, and is billed: what it took is told.
func TestUsageOfFailures(t *testing.T) {
	took := []backends.Usage{{Prompt: backends.Counted(30), Completion: backends.Counted(5)}}
	for _, test := range []struct{ name, message, finish string }{
		{"cut before text", `"content":""`, "length"},
		{"refused", `"content":null,"refusal":"no"`, "stop"},
		{"filtered", `"content":"ab"`, "content_filter"},
		{"a tool call", `"content":null,"tool_calls":[{"id":"1"}]`, "tool_calls"},
		{"thoughts", `"content":"","reasoning_content":"hm"`, "stop"},
		{"no content", `"role":"assistant"`, "stop"},
		{"text and no log-probabilities", `"content":"ab"`, "stop"},
	} {
		body := fmt.Sprintf(`{"choices":[{"index":0,"message":{%s},"finish_reason":%q}],"usage":{"prompt_tokens":30,"completion_tokens":5}}`, test.message, test.finish)
		m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.Labels = backends.LabelsTopLogprobs })
		for _, labels := range [][]string{nil, {"x", "y"}} {
			a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 5, Labels: labels})
			if a.Failure == nil || len(a.Calls) != 1 || a.Calls[0] != took[0] || a.Usage != (backends.Usage{}) {
				t.Errorf("%s, labels %q: %v, calls %v, usage %v; want a failure and %v", test.name, labels, a.Failure, a.Calls,
					a.Usage, took)
			}
		}
	}
	m := open(t, static(t, says(500, `{"error":"x"}`)),
		func(o *backends.OpenAIConfig) { o.Labels = backends.LabelsTopLogprobs })
	if a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 5}); a.Failure == nil ||
		a.Calls != nil {
		t.Errorf("a call without a reply took %v", a.Calls)
	}
}

// What a total has beyond both parts, and nobody names: thoughts where the call may have taken them, else unknown.
func TestRestOfATotal(t *testing.T) {
	for _, test := range []struct{ total, allowed, completion, thoughts int }{
		{90, 100, 60, 58}, // Gemini's protocol: 30 of the prompt, 2 of the answer, 58 out of sight
		{90, 60, 60, 58}, {90, 59, 2, 0}, {32, 100, 2, 0}, {0, 100, 2, 0},
	} {
		completion := 2
		r := response{Choices: []choice{{Text: new("7.")}}, Usage: usage{Prompt: 30, Completion: &completion,
			Total: test.total}, asked: shows(backends.Request{Prompt: "p"}, test.allowed)}
		if got := r.spent(); got.Completion != backends.Counted(test.completion) || got.Thoughts != test.thoughts {
			t.Errorf("a total of %d, %d allowed: %+v, want %d with %d of thoughts", test.total, test.allowed, got,
				test.completion, test.thoughts)
		}
	}
}
