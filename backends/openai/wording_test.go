package openai

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"infnet/backends"
)

// firstReply is a chat completion of one token and its alternatives.
func firstReply(first string, p float64, others map[string]float64) string {
	token := func(text string, p float64) map[string]any {
		return map[string]any{"token": text, "logprob": math.Log(p)}
	}
	list := []any{token(first, p)}
	for text, q := range others {
		list = append(list, token(text, q))
	}
	e := token(first, p)
	e["top_logprobs"] = list
	b, err := json.Marshal(map[string]any{
		"choices": []any{map[string]any{"index": 0, "finish_reason": "length",
			"logprobs": map[string]any{"content": []any{e}}, "message": map[string]any{"role": "assistant", "content": first}}},
		"usage": map[string]any{"prompt_tokens": 5, "completion_tokens": 1}})
	if err != nil {
		panic(err)
	}
	return string(b)
}

// Labels of which one begins another: refused where the server tells no tokens, by the check-up as well, and told apart
// where it does, or by the text.
func TestNestedLabels(t *testing.T) {
	for _, labels := range [][]string{{"A", "AB"}, {"1", "10"}, {"no", "not sure"}} {
		body := firstReply(labels[0], .9, map[string]float64{"x": .01})
		for _, mode := range []backends.LabelMode{backends.LabelsTopLogprobs, backends.LabelsText} {
			m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.Labels = mode })
			a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: labels})
			if f := a.Failure; (f == nil) != (mode == backends.LabelsText) || f != nil && f.Cause != backends.BadRequest {
				t.Errorf("%q by %s: %+v", labels, mode, a)
			}
		}
	}
	nested := []string{" the", " the cat"}
	for name, told := range map[string]bool{"ollama": false, "openai": false} {
		_, url := serve(t, flavours[name])
		found, _ := open(t, url).Examine(t.Context(), backends.Examination{Mode: backends.Chat, Labels: [][]string{nested},
			Student: true})
		broken := false
		for _, f := range found {
			broken = broken || f.Question == "label tokens" && f.Verdict == backends.Broken
		}
		if broken == told {
			t.Errorf("%s: %+v", name, found)
		}
	}
}

// What a reply holds besides an answer, in generations and classifications by the text.
func TestLeftoversOfEveryKind(t *testing.T) {
	const prompt = "What is the sentiment of this review?"
	for _, c := range []struct {
		kind, message string
		want          backends.Cause
	}{
		{"plain", `"content":"positive"`, ""},
		{"thoughts", `"content":"<think>hm</think>positive"`, backends.Thoughts},
		{"the end of thoughts", `"content":"hm</think>positive"`, backends.Thoughts},
		{"a channel", `"content":"<|channel|>final<|message|>positive"`, backends.Thoughts},
		{"thoughts, and the end of a turn", `"content":"<think>hm</think>positive<|im_end|>"`, backends.Template},
		{"the end of a turn", `"content":"positive<|im_end|>"`, backends.Template},
		{"the end of a text", `"content":"positive</s>"`, backends.Template},
		{"the prompt", `"content":"` + prompt + ` positive"`, backends.Template},
		{"a call in the text", `"content":"positive <tool_call>{}</tool_call>"`, backends.ToolCall},
		{"a call with words beside it", `"content":"positive","tool_calls":[{"id":"1","function":{"name":"f"}}]`,
			backends.ToolCall},
	} {
		body := fmt.Sprintf(`{"choices":[{"index":0,"message":{%s},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,`+
			`"completion_tokens":2}}`, c.message)
		m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.NoLogprobs = true })
		for _, r := range []backends.Request{
			{Model: testID, Mode: backends.Chat, Prompt: prompt, MaxTokens: 20},
			{Model: testID, Mode: backends.Chat, Prompt: prompt, Labels: []string{"positive", "negative"}},
		} {
			f := backends.Check(r, ask(t, m, r))
			if (f == nil) != (c.want == "") || f != nil && (f.Cause != c.want || f.Temporary() || !f.Cause.Unsaid()) {
				t.Errorf("%s, %d labels: %+v, want %q", c.kind, len(r.Labels), f, c.want)
			}
		}
	}
}
