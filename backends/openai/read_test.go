package openai

import (
	"testing"

	"github.com/tmc/langchaingo/llms"

	"infnet/backends"
)

// What langchaingo reads is taken, and refused where the reply says something else.
func TestTake(t *testing.T) {
	reply := func() *response {
		r, f := decode([]byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Ada <b>"},
			"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,
			"prompt_tokens_details":{"cached_tokens":4}}}`), "application/json")
		if f != nil {
			t.Fatal(f)
		}
		return r
	}
	read := func() *llms.ContentResponse {
		return &llms.ContentResponse{Choices: []*llms.ContentChoice{{Content: "Ada <b>", StopReason: "stop",
			GenerationInfo: map[string]any{"PromptTokens": 9, "CompletionTokens": 2, "TotalTokens": 11,
				"PromptCachedTokens": 4}}}}
	}
	for _, tt := range []struct {
		name   string
		change func(*llms.ContentResponse)
		wrong  bool
	}{
		{"the same", func(*llms.ContentResponse) {}, false},
		{"another text", func(r *llms.ContentResponse) { r.Choices[0].Content = "Ada" }, true},
		{"another reason", func(r *llms.ContentResponse) { r.Choices[0].StopReason = "length" }, true},
		{"another count", func(r *llms.ContentResponse) { r.Choices[0].GenerationInfo["CompletionTokens"] = 3 }, true},
		{"no count", func(r *llms.ContentResponse) { delete(r.Choices[0].GenerationInfo, "PromptTokens") }, true},
		{"no choice", func(r *llms.ContentResponse) { r.Choices = nil }, true},
	} {
		r, res := reply(), read()
		tt.change(res)
		f := r.take(res)
		if (f != nil) != tt.wrong || f != nil && f.Cause != backends.BadResponse {
			t.Errorf("%s: %v", tt.name, f)
		}
		if f == nil && r.Choices[0].Message.Content != &res.Choices[0].Content {
			t.Errorf("%s: the text is not the one that langchaingo read", tt.name)
		}
	}
}
