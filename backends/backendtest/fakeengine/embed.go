package fakeengine

import (
	"fmt"
	"hash/fnv"
	"net/http"
)

const dimensions = 8

func (s *Server) embed(w http.ResponseWriter, body map[string]any) {
	input, _ := body["input"].([]any)
	if text, ok := body["input"].(string); ok {
		input = []any{text}
	}
	data, tokens := []any{}, 0
	for i, text := range input {
		ids, _ := s.words().Split(fmt.Sprint(text))
		tokens += len(ids)
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": vector(fmt.Sprint(text))})
	}
	reply(w, 200, map[string]any{"object": "list", "data": data, "model": s.name(),
		"usage": map[string]any{"prompt_tokens": tokens, "total_tokens": tokens}})
}

func vector(text string) []float64 {
	out := make([]float64, dimensions)
	for i := range out {
		h := fnv.New64a()
		fmt.Fprint(h, text, i)
		out[i] = float64(h.Sum64()>>40)/(1<<24) - 0.5
	}
	return out
}
