package hosted_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
)

// forms are those of all providers.
func forms() []form {
	return []form{claudeForm(), geminiForm(), mistralForm(), cohereForm(), bedrockClaudeForm(), bedrockNovaForm()}
}

// block is a part of a turn of Anthropic's form.
type block struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

type blockTurn struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

func turnsOf(t *testing.T, list []blockTurn) (out []turn) {
	for _, m := range list {
		if len(m.Content) != 1 || m.Content[0].Type != "text" {
			t.Errorf("turn %+v: want one block of text", m)
			continue
		}
		out = append(out, turn{m.Role, m.Content[0].Text})
	}
	return out
}

// claudeWrites is a message of Anthropic's form; its prompt has 2 tokens read from a cache and 1 written to it.
func claudeWrites(words map[backends.Finish]string) func(reply) any {
	return func(a reply) any {
		return map[string]any{
			"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant", "model": a.model,
			"content":     []any{map[string]any{"type": "text", "text": a.text}},
			"stop_reason": words[a.finish], "stop_sequence": nil,
			"usage": map[string]any{"input_tokens": a.prompt - 3, "cache_creation_input_tokens": 1, "cache_read_input_tokens": 2,
				"output_tokens": a.completion, "service_tier": "standard"},
		}
	}
}

var claudeWords = map[backends.Finish]string{backends.FinishEnd: "end_turn", backends.FinishLength: "max_tokens"}

func claudeForm() form {
	return form{
		provider: backends.Anthropic, served: "claude-sonnet-4-5", path: "/messages", header: "X-Api-Key",
		words: claudeWords, write: claudeWrites(claudeWords),
		read: func(t *testing.T, body []byte, r *http.Request) asked {
			if v := r.Header.Get("anthropic-version"); v != "2023-06-01" {
				t.Errorf("anthropic-version %q", v)
			}
			var q struct {
				Model       string      `json:"model"`
				Messages    []blockTurn `json:"messages"`
				System      string      `json:"system"`
				MaxTokens   int         `json:"max_tokens"`
				Stop        []string    `json:"stop_sequences"`
				Temperature *float64    `json:"temperature"`
			}
			decode(t, body, &q)
			greedy(t, q.Temperature, body)
			return asked{q.Model, q.System, turnsOf(t, q.Messages), q.MaxTokens, q.Stop}
		},
	}
}

func geminiForm() form {
	words := map[backends.Finish]string{backends.FinishEnd: "STOP", backends.FinishLength: "MAX_TOKENS"}
	type content struct {
		Role  string `json:"role"`
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	}
	return form{
		provider: backends.GoogleAI, served: "gemini-2.5-flash", header: "X-Goog-Api-Key", words: words,
		path: "/v1beta/models/gemini-2.5-flash:generateContent",
		read: func(t *testing.T, body []byte, r *http.Request) asked {
			var q struct {
				Model    string    `json:"model"`
				System   *content  `json:"systemInstruction"`
				Contents []content `json:"contents"`
				Safety   []struct {
					Category, Threshold int
				} `json:"safetySettings"`
				Config struct {
					Candidates  int      `json:"candidateCount"`
					MaxTokens   int      `json:"maxOutputTokens"`
					Stop        []string `json:"stopSequences"`
					Temperature *float64 `json:"temperature"`
					TopP        float64  `json:"topP"`
					TopK        int      `json:"topK"`
					Seed        *int     `json:"seed"`
				} `json:"generationConfig"`
			}
			decode(t, body, &q)
			greedy(t, q.Config.Temperature, body)
			if q.Config.TopK != 1 || q.Config.TopP != 1 || q.Config.Seed == nil || q.Config.Candidates != 1 ||
				len(q.Safety) != 4 {
				t.Errorf("request %s", body)
			}
			out := asked{model: strings.TrimPrefix(q.Model, "models/"), maxTokens: q.Config.MaxTokens, stop: q.Config.Stop}
			if q.System != nil {
				out.system = q.System.Parts[0].Text
			}
			for _, c := range q.Contents {
				role := map[string]string{"user": "user", "model": "assistant"}[c.Role]
				out.turns = append(out.turns, turn{role, c.Parts[0].Text})
			}
			return out
		},
		write: func(a reply) any {
			return map[string]any{
				"candidates": []any{map[string]any{"index": 0, "finishReason": words[a.finish],
					"content": map[string]any{"role": "model", "parts": []any{map[string]any{"text": a.text}}}}},
				"usageMetadata": map[string]any{"promptTokenCount": a.prompt, "candidatesTokenCount": a.completion,
					"totalTokenCount": a.prompt + a.completion, "cachedContentTokenCount": 2,
					"promptTokensDetails": []any{map[string]any{"modality": "TEXT", "tokenCount": a.prompt}}},
				"modelVersion": a.model, "responseId": "mAHgaOGcEYqQvdIPx9CRsQ0",
			}
		},
	}
}

func mistralForm() form {
	words := map[backends.Finish]string{backends.FinishEnd: "stop", backends.FinishLength: "length"}
	return form{
		provider: backends.Mistral, served: "mistral-large-2411", path: "/v1/chat/completions", header: "Authorization",
		prefix: "Bearer ", words: words,
		read: func(t *testing.T, body []byte, r *http.Request) asked {
			var q struct {
				Model       string       `json:"model"`
				Messages    []stringTurn `json:"messages"`
				MaxTokens   int          `json:"max_tokens"`
				Stop        []string     `json:"stop"`
				Temperature *float64     `json:"temperature"`
				TopP        float64      `json:"top_p"`
				Seed        *int         `json:"random_seed"`
				SafePrompt  bool         `json:"safe_prompt"`
			}
			decode(t, body, &q)
			greedy(t, q.Temperature, body)
			if q.TopP != 1 || q.SafePrompt || q.Seed == nil || *q.Seed != 0 {
				t.Errorf("request %s", body)
			}
			system, turns := stringTurns(q.Messages)
			return asked{q.Model, system, turns, q.MaxTokens, q.Stop}
		},
		write: func(a reply) any {
			return map[string]any{
				"id": "cmpl-e5cc70bb28c444948073e77776eb30ef", "object": "chat.completion", "created": 1702256327, "model": a.model,
				"choices": []any{map[string]any{"index": 0, "finish_reason": words[a.finish],
					"message": map[string]any{"role": "assistant", "content": a.text, "tool_calls": nil, "prefix": false}}},
				"usage": map[string]any{"prompt_tokens": a.prompt, "completion_tokens": a.completion,
					"total_tokens": a.prompt + a.completion, "prompt_tokens_details": map[string]any{"cached_tokens": 2}},
			}
		},
	}
}

type stringTurn struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// stringTurns parts a chat's system prompt from its turns.
func stringTurns(list []stringTurn) (system string, out []turn) {
	for _, m := range list {
		if m.Role == "system" {
			system += m.Content
			continue
		}
		out = append(out, turn{m.Role, m.Content})
	}
	return system, out
}

func cohereForm() form {
	words := map[backends.Finish]string{backends.FinishEnd: "COMPLETE", backends.FinishLength: "MAX_TOKENS"}
	return form{
		provider: backends.Cohere, served: "command-a-03-2025", path: "/v2/chat", header: "Authorization", prefix: "Bearer ",
		words: words,
		read: func(t *testing.T, body []byte, r *http.Request) asked {
			var q struct {
				Model       string       `json:"model"`
				Stream      *bool        `json:"stream"`
				Messages    []stringTurn `json:"messages"`
				MaxTokens   int          `json:"max_tokens"`
				Stop        []string     `json:"stop_sequences"`
				Temperature *float64     `json:"temperature"`
				Seed        *int         `json:"seed"`
			}
			decode(t, body, &q)
			greedy(t, q.Temperature, body)
			if q.Stream == nil || *q.Stream || q.Seed == nil || len(q.Stop) > 5 {
				t.Errorf("request %s", body)
			}
			system, turns := stringTurns(q.Messages)
			return asked{q.Model, system, turns, q.MaxTokens, q.Stop}
		},
		write: func(a reply) any {
			return map[string]any{
				"id": "c14c80c3-18eb-4519-9460-6c92edd8cfb4", "finish_reason": words[a.finish],
				"message": map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "text", "text": a.text}}},
				"usage": map[string]any{
					"billed_units":  map[string]any{"input_tokens": float64(a.prompt), "output_tokens": a.completion},
					"tokens":        map[string]any{"input_tokens": a.prompt + 66, "output_tokens": a.completion + 2},
					"cached_tokens": 2,
				},
			}
		},
	}
}

func bedrockClaudeForm() form {
	return form{
		provider: backends.Bedrock, region: "us-east-1", served: "us.anthropic.claude-sonnet-4-20250514-v1:0",
		path: "/model/us.anthropic.claude-sonnet-4-20250514-v1:0/invoke", header: "Authorization", prefix: "Bearer ",
		words: claudeWords,
		read: func(t *testing.T, body []byte, r *http.Request) asked {
			var q struct {
				Version     string      `json:"anthropic_version"`
				Messages    []blockTurn `json:"messages"`
				System      string      `json:"system"`
				MaxTokens   int         `json:"max_tokens"`
				Stop        []string    `json:"stop_sequences"`
				Temperature *float64    `json:"temperature"`
			}
			decode(t, body, &q)
			greedy(t, q.Temperature, body)
			if q.Version != "bedrock-2023-05-31" {
				t.Errorf("version %q", q.Version)
			}
			return asked{"", q.System, turnsOf(t, q.Messages), q.MaxTokens, q.Stop}
		},
		write: func(a reply) any {
			a.model = strings.TrimSuffix(strings.TrimPrefix(a.model, "us.anthropic."), "-v1:0")
			return claudeWrites(claudeWords)(a)
		},
	}
}

func bedrockNovaForm() form {
	words := map[backends.Finish]string{backends.FinishEnd: "end_turn", backends.FinishLength: "max_tokens"}
	type text struct {
		Text string `json:"text"`
	}
	return form{
		provider: backends.Bedrock, region: "eu-west-1", served: "amazon.nova-lite-v1:0",
		path: "/model/amazon.nova-lite-v1:0/invoke", header: "Authorization", prefix: "Bearer ", words: words,
		read: func(t *testing.T, body []byte, r *http.Request) asked {
			var q struct {
				System   []text `json:"system"`
				Messages []struct {
					Role    string `json:"role"`
					Content []text `json:"content"`
				} `json:"messages"`
				Config struct {
					MaxTokens   int      `json:"maxTokens"`
					Stop        []string `json:"stopSequences"`
					Temperature *float64 `json:"temperature"`
				} `json:"inferenceConfig"`
			}
			decode(t, body, &q)
			greedy(t, q.Config.Temperature, body)
			if slices.Contains(q.System, text{}) {
				t.Errorf("a system prompt without a text: %s", body)
			}
			out := asked{maxTokens: q.Config.MaxTokens, stop: q.Config.Stop}
			for _, s := range q.System {
				out.system += s.Text
			}
			for _, m := range q.Messages {
				out.turns = append(out.turns, turn{m.Role, m.Content[0].Text})
			}
			return out
		},
		write: func(a reply) any {
			return map[string]any{
				"output": map[string]any{"message": map[string]any{"role": "assistant",
					"content": []any{map[string]any{"text": a.text}}}},
				"stopReason": words[a.finish],
				"usage": map[string]any{"inputTokens": a.prompt, "outputTokens": a.completion,
					"totalTokens": a.prompt + a.completion, "cacheReadInputTokenCount": 2, "cacheWriteInputTokenCount": 0},
			}
		},
	}
}
