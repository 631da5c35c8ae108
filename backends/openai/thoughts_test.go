package openai

import (
	"fmt"
	"strings"
	"testing"

	"infnet/backends"
)

// Replies with thoughts, in the forms that servers send: a reasoning parser's reasoning_content (vLLM before 0.12,
// SGLang, DeepSeek) or reasoning (vLLM since, Ollama, OpenRouter) beside the content; no parser, so that marks are in
// the content; hidden thoughts that only the usage counts (OpenAI). vLLM's log-probabilities are of all tokens,
// thoughts first; SGLang's are of the content alone. Where thoughts are apart from a text, that is an answer as ever;
// else the reply is a failure, with the answer that a study takes which says how one is found.
func TestThoughts(t *testing.T) {
	lps := func(tokens ...string) string {
		var all []string
		for i, s := range tokens {
			all = append(all, fmt.Sprintf(`{"token":%q,"logprob":-0.%d,"top_logprobs":[]}`, s, i+1))
		}
		return strings.Join(all, ",")
	}
	for _, c := range []struct {
		name, message, finish, logprobs string
		hidden                          int

		fails                bool
		text, thoughts, said string
		end                  backends.Finish
	}{
		{"vllm", `"content":"Answer: 7","reasoning_content":"3 + 4"`, "stop",
			lps("<think>", "3 +", " 4", "</think>", "Answer", ": 7"), 0, false, "Answer: 7", "3 + 4", "Answer|: 7",
			backends.FinishEnd},
		{"vllm, and the thoughts begin with the answer", `"content":"7","reasoning_content":"7 is 3 + 4"`, "stop",
			lps("7", " is", " 3 + 4", "</think>", "7"), 0, false, "7", "7 is 3 + 4", "7", backends.FinishEnd},
		{"vllm, and the name of the end holds the answer", `"content":"E","reasoning_content":"D or E?"`, "stop",
			lps("D", " or E?", "</think>", "E", "<|END|>"), 0, false, "E", "D or E?", "E|<|END|>", backends.FinishEnd},
		{"ollama", `"content":"Answer: 7","reasoning":"3 + 4"`, "stop", lps("Answer", ": 7"), 0, false, "Answer: 7",
			"3 + 4", "Answer|: 7", backends.FinishEnd},
		{"no parser", `"content":"<think>3 + 4</think>Answer: 7"`, "stop",
			lps("<think>", "3 +", " 4", "</think>", "Answer", ": 7"), 0, true, "<think>3 + 4</think>Answer: 7", "",
			"<think>|3 +| 4|</think>|Answer|: 7", backends.FinishEnd},
		{"no parser, and the template begins the thoughts", `"content":"3 + 4</think>Answer: 7"`, "stop",
			lps("3 +", " 4", "</think>", "Answer", ": 7"), 0, true, "3 + 4</think>Answer: 7", "",
			"3 +| 4|</think>|Answer|: 7", backends.FinishEnd},
		{"harmony", `"content":"<|channel|>analysis<|message|>3 + 4<|end|><|start|>assistant<|channel|>final<|message|>7"`,
			"stop", lps("<|channel|>", "analysis", "<|message|>", "3 + 4", "<|end|>", "<|start|>", "assistant", "<|channel|>",
				"final<|message|>7"), 0, true,
			"<|channel|>analysis<|message|>3 + 4<|end|><|start|>assistant<|channel|>final<|message|>7", "",
			"<|channel|>|analysis|<|message|>|3 + 4|<|end|>|<|start|>|assistant|<|channel|>|final<|message|>7",
			backends.FinishEnd},
		{"cut while it thought", `"content":null,"reasoning_content":"3 +"`, "length", lps("<think>", "3", " +"), 0, true, "",
			"3 +", "", backends.FinishLength},
		{"cut while it thought, no parser", `"content":"<think>3 +"`, "length", lps("<think>", "3", " +"), 0, true,
			"<think>3 +", "", "<think>|3| +", backends.FinishLength},
		{"cut while it thought out of sight", `"content":""`, "length", "", 3, true, "", "", "", backends.FinishLength},
		{"thought out of sight", `"content":"7"`, "stop", lps("7"), 3, false, "7", "", "7", backends.FinishEnd},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := fmt.Sprintf(`{"choices":[{"index":0,"message":{"role":"assistant",%s},"finish_reason":%q,"logprobs":{"content":`+
				`[%s]}}],"usage":{"prompt_tokens":5,"completion_tokens":12,"completion_tokens_details":{"reasoning_tokens":%d}}}`,
				c.message, c.finish, c.logprobs, c.hidden)
			m := open(t, static(t, says(200, body)), func(o *backends.OpenAIConfig) { o.Labels = backends.LabelsTopLogprobs })
			r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "What is 3 + 4?", MaxTokens: 12}
			got := backends.Pass(r, ask(t, m, r))
			if fails := got.Failure != nil; fails != c.fails || fails && got.Failure.Cause != backends.Thoughts {
				t.Fatalf("failure %v, want one: %v", got.Failure, c.fails)
			}
			if c.fails && !strings.Contains(got.Failure.Message, "answer = …") {
				t.Errorf("the failure does not say how thoughts are kept: %v", got.Failure)
			}
			a := backends.Pass(r, got.Found())
			if a.Failure != nil {
				t.Fatal(a.Failure)
			}
			var said []string
			for _, token := range a.Tokens {
				said = append(said, token.Text)
			}
			if a.Text != c.text || a.Thoughts != c.thoughts || a.Finish != c.end || strings.Join(said, "|") != c.said ||
				a.Thinks != c.fails {
				t.Errorf("%+v, want %q thought %q, said %s, %s", a, c.text, c.thoughts, c.said, c.end)
			}
			// thoughts are charged: they are completion tokens
			if n, _ := a.Usage.Completion.Known(); n != 12 || a.Usage.Thoughts != c.hidden {
				t.Errorf("usage %+v", a.Usage)
			}
			if again := backends.Pass(r, ask(t, m, r)).After(got); c.fails && len(again.Found().Calls) != 2 {
				t.Errorf("the calls of both tries are %+v", again.Found().Calls)
			}
		})
	}
}
