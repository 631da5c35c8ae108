package hosted_test

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"infnet/backends"
)

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

// replies numbers them: each has an id of its own.
var replies atomic.Int64

// claudeWrites is a message of Anthropic's form; its prompt has 2 tokens read from a cache and 1 written to it.
func claudeWrites(words map[backends.Finish]string) func(reply) any {
	return func(a reply) any {
		return map[string]any{
			"id": fmt.Sprintf("msg_%024d", replies.Add(1)), "type": "message", "role": "assistant", "model": a.model,
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
