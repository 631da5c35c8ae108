package openai

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"infnet/backends"
	"infnet/backends/backendtest/servers"
	"infnet/backends/local"
)

// mostTokens is how many log-probabilities Ollama reports at each position.
const mostTokens = 20

// familyPrompts are texts for models of random weights, which may say anything.
func familyPrompts() (out []string) {
	for i, text := range []string{
		"The film is good.", "What's the answer? It's 42.", "a dull story", "Москва — столица; 東京は日本の首都", "café 😀",
		"camelCase HTTPServer x/y\n\n\tindented",
		"The plot is thin, but the two leads make you forgive it, and 1,234 others.",
		"Review: a wonderful story. Sentiment: positive. Review: the film is bad and the plot is bad.",
	} {
		for j := range 6 {
			out = append(out, fmt.Sprintf("%s %s%d", text, []string{"", "who? ", "Answer: "}[j%3], i*j))
		}
	}
	return out
}

// Ollama and backends/local read the same folders of random weights in the
// layouts of published models, and agree on how many tokens each prompt has and
// on the 20 largest log-probabilities after it.
func TestOllamaFamilies(t *testing.T) {
	folders := map[string]string{}
	for _, family := range []string{"llama3", "ministral3"} {
		folders[family] = servers.Widened(t, "../local/testdata/families/"+family)
	}
	root := servers.Ollama(t, folders) // its converter takes no Qwen 3
	for name, folder := range folders {
		t.Run(name, func(t *testing.T) { agree(t, root, name, openLocal(t, folder)) })
	}
}

// randomWithin is how far log-probabilities may lie apart: activations are in 16
// bits there, and random weights give larger logits than trained ones, up to 62
// layers deep. Queries that do not grow with their position move them by 0.1,
// scores scaled by 5 % too much by 0.4.
const randomWithin = 5e-2

// agree asks both for one token. A server holds back the bytes of a character
// that is not whole, and their log-probabilities; prompts that such bytes follow
// are not compared.
func agree(t *testing.T, root, name string, here *local.Model) {
	t.Helper()
	compared, worst := 0, 0.0
	prompts := familyPrompts()
	for _, prompt := range prompts {
		want, err := here.Answer(t.Context(),
			[]backends.Request{{Model: testID, Mode: backends.Raw, Prompt: prompt, MaxTokens: 1, TopLogprobs: mostTokens}})
		if err != nil || want[0].Failure != nil {
			t.Fatal(err, want[0].Failure)
		}
		var got struct {
			Choices []struct {
				Logprobs struct {
					Content []struct {
						Top []struct{ Logprob float64 } `json:"top_logprobs"`
					}
				}
			}
			Usage struct {
				Prompt int `json:"prompt_tokens"`
			}
		}
		post(t, root+"/v1/chat/completions", map[string]any{
			"model": name, "messages": []map[string]string{{"role": "user", "content": prompt}}, "max_tokens": 4,
			"temperature": 0, "logprobs": true, "top_logprobs": mostTokens,
		}, &got)
		if backends.Counted(got.Usage.Prompt) != want[0].Usage.Prompt {
			t.Errorf("%q: %d tokens served, %v here", prompt, got.Usage.Prompt, want[0].Usage.Prompt)
		}
		first := want[0].Tokens[0]
		if first.End || first.Text == "" || strings.ContainsRune(first.Text, utf8.RuneError) {
			continue
		}
		if len(got.Choices) != 1 || len(got.Choices[0].Logprobs.Content) == 0 {
			t.Errorf("%q: no log-probabilities are served", prompt)
			continue
		}
		compared++
		for i, top := range got.Choices[0].Logprobs.Content[0].Top {
			d := math.Abs(top.Logprob - first.Top[i].Logprob)
			if worst = max(worst, d); d > randomWithin {
				t.Errorf("%q: log-probability %d of the %d largest is %v served, %v here", prompt, i, mostTokens, top.Logprob,
					first.Top[i].Logprob)
				break
			}
		}
	}
	t.Logf("%s: %d of %d prompts compared, max |Δ log p| of the %d largest %.2g", name, compared, len(prompts),
		mostTokens, worst)
	if compared < len(prompts)/4 {
		t.Error("too few to mean something")
	}
}
