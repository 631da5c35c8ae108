package openai

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"

	"infnet/backends"
	"infnet/backends/wire"
)

type labelToken struct {
	id   int
	text string // "" = not reported
}

// lexer asks a server how it splits texts, and remembers it. It is safe for concurrent use.
type lexer struct {
	wire   *wire.Wire
	served string

	mu     sync.Mutex
	tokens map[string][]labelToken // by text
}

// tokenize asks the server how it splits a text, without special tokens. The
// body suits vLLM and SGLang (prompt), llama.cpp (content) and TGI (inputs)
// alike; each ignores the others' fields. Where there is no such route the list
// is nil and the error too; what may pass is an error, and is not remembered.
func (x *lexer) tokenize(ctx context.Context, text string) ([]labelToken, error) {
	x.mu.Lock()
	list, ok := x.tokens[text]
	x.mu.Unlock()
	if ok {
		return list, nil
	}
	var raw json.RawMessage
	err := own(ctx, x.wire, "/tokenize", map[string]any{
		"model": x.served, "prompt": text, "content": text, "inputs": text,
		"add_special_tokens": false, "add_special": false, "with_pieces": true, "return_token_strs": true,
	}, &raw)
	var f *backends.Failure
	if err != nil && (!errors.As(err, &f) || f.Temporary() && f.Cause != backends.BadResponse) {
		return nil, err
	}
	if err == nil {
		list = readTokens(raw)
	}
	x.mu.Lock()
	x.tokens[text] = list
	x.mu.Unlock()
	return list, nil
}

// readTokens reads the three shapes: {"tokens": [1, 2], "token_strs": […]},
// {"tokens": [{"id", "piece"}]} and [{"id", "text"}]. nil = none of them.
func readTokens(raw []byte) []labelToken {
	var w struct {
		Tokens []json.RawMessage `json:"tokens"`
		Strs   []string          `json:"token_strs"`
	}
	if json.Unmarshal(raw, &w.Tokens) != nil && json.Unmarshal(raw, &w) != nil {
		return nil
	}
	out := make([]labelToken, len(w.Tokens))
	for i, token := range w.Tokens {
		var named struct {
			ID    int             `json:"id"`
			Text  string          `json:"text"`
			Piece json.RawMessage `json:"piece"` // a text, or its bytes
		}
		if json.Unmarshal(token, &out[i].id) == nil {
			if len(w.Strs) == len(w.Tokens) {
				out[i].text = spelled(w.Strs[i])
			}
			continue
		}
		if json.Unmarshal(token, &named) != nil {
			return nil
		}
		out[i] = labelToken{named.ID, spelled(named.Text)}
		var bytes []int
		if len(named.Piece) > 0 && json.Unmarshal(named.Piece, &out[i].text) != nil &&
			json.Unmarshal(named.Piece, &bytes) == nil {
			for _, b := range bytes {
				out[i].text += string([]byte{byte(b)})
			}
		}
	}
	return out
}

// firstToken is the first token that a word adds after an anchor, a character that ends prompts:
// the first of tokens(anchor + word) beyond tokens(anchor). ok is false if the server has no such
// route, or the word merges with every anchor.
func (x *lexer) firstToken(ctx context.Context, mode backends.Mode, word string) (t labelToken, ok bool, err error) {
	anchors := []string{":", ".", "\n"}
	if mode == backends.Chat {
		anchors = []string{"\n", ":", "."}
	}
	for _, anchor := range anchors {
		before, err := x.tokenize(ctx, anchor)
		if err != nil || len(before) == 0 {
			return labelToken{}, false, err
		}
		with, err := x.tokenize(ctx, anchor+word)
		if err != nil {
			return labelToken{}, false, err
		}
		same := func(a, b labelToken) bool { return a.id == b.id }
		if len(with) > len(before) && slices.EqualFunc(with[:len(before)], before, same) {
			t := with[len(before)]
			return t, t.text != "", nil
		}
	}
	return labelToken{}, false, nil
}
