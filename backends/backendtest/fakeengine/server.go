package fakeengine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server answers the OpenAI protocol as one flavour of server does. The zero
// values of its fields are usual; they may be set before it serves.
type Server struct {
	Flavour
	Vocabulary Vocabulary    // nil = Words
	Model      string        // the name it serves; "" = m, and any name is answered
	Key        string        // what it asks of clients; "" = nothing
	Delay      time.Duration // of every answer

	mu     sync.Mutex
	calls  map[string]int
	last   map[string]any
	beside int
}

// Calls is how often it was asked.
func (s *Server) Calls() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, calls := range s.calls {
		n += calls
	}
	return n
}

// Last is the body of the last call to the model.
func (s *Server) Last() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// Beside lets the next n calls be computed beside one for named tokens: their
// lists are short.
func (s *Server) Beside(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.beside = n
}

// Serve changes the name it serves.
func (s *Server) Serve(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Model = name
}

func (s *Server) name() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return cmp.Or(s.Model, "m")
}

func (s *Server) words() Vocabulary {
	if s.Vocabulary == nil {
		return Words
	}
	return s.Vocabulary
}

// ServeHTTP answers.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.mu.Lock()
	if s.calls == nil {
		s.calls = map[string]int{}
	}
	s.calls[r.URL.Path]++
	if strings.HasSuffix(r.URL.Path, "completions") {
		s.last = body
	}
	name := s.Model
	s.mu.Unlock()
	time.Sleep(s.Delay)
	switch {
	case r.URL.Path == "/health":
		reply(w, 200, map[string]any{"status": "ok"})
	case s.Key != "" && strings.HasPrefix(r.URL.Path, "/v1/") && r.Header.Get("Authorization") != "Bearer "+s.Key:
		reply(w, 401, map[string]any{"error": "Unauthorized"})
	case name != "" && body["model"] != nil && body["model"] != name: // as vLLM 0.32 answers
		message := fmt.Sprintf("The model `%v` does not exist. Valid aliases: %s.", body["model"], name)
		reply(w, 404, map[string]any{"error": map[string]any{"code": 404, "message": message, "param": "model",
			"type": "NotFoundError"}})
	case r.URL.Path == "/v1/embeddings" && r.Method == http.MethodPost:
		s.embed(w, body)
	case r.URL.Path == "/v1/models":
		reply(w, 200, map[string]any{"object": "list",
			"data": []any{map[string]any{"id": s.name(), "object": "model", "owned_by": s.Owner, "max_model_len": 4096}}})
	case r.URL.Path == s.Version && s.Version == "/props":
		reply(w, 200, map[string]any{"build_info": "b1", "default_generation_settings": map[string]any{"n_ctx": 2048}})
	case r.URL.Path == s.Version && s.Version == "/info":
		reply(w, 200, map[string]any{"model_id": "m", "version": "3.3.4", "max_total_tokens": 4096, "max_input_tokens": 4000,
			"model_device_type": "cuda"})
	case r.URL.Path == s.Version:
		reply(w, 200, map[string]any{"version": cmp.Or(s.Release, "1.2.3")})
	case r.URL.Path == "/tokenize" && s.Tokenize != "":
		s.tokenise(w, body)
	case r.URL.Path == "/v1/chat/completions":
		s.complete(w, body, true)
	case r.URL.Path == "/v1/completions" && s.RawTop > -2:
		s.complete(w, body, false)
	default:
		reply(w, 404, map[string]any{"detail": "Not Found"})
	}
}

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

func (s *Server) tokenise(w http.ResponseWriter, body map[string]any) {
	text, _ := cmp.Or(body["content"], body["inputs"], body["prompt"]).(string)
	ids, words := s.words().Split(text)
	at, pieces, spans := 0, []any{}, []any{}
	for i, id := range ids {
		pieces = append(pieces, map[string]any{"id": id, "piece": words[i]})
		spans = append(spans, map[string]any{"id": id, "text": words[i], "start": at, "stop": at + len(words[i])})
		at += len(words[i])
		words[i] = strings.ReplaceAll(words[i], " ", "▁")
	}
	switch s.Tokenize {
	case "llama.cpp":
		reply(w, 200, map[string]any{"tokens": pieces})
	case "tgi":
		reply(w, 200, spans)
	default:
		reply(w, 200, map[string]any{"count": len(ids), "max_model_len": 4096, "tokens": ids, "token_strs": words})
	}
}

// chatted is a chat with its turns between marks.
func chatted(messages []any) (prompt string) {
	for _, m := range messages {
		one, _ := m.(map[string]any)
		text, _ := one["content"].(string)
		switch one["role"] {
		case "user":
			text = "<u>" + text + "<m>"
		case "system":
			text = "<s>" + text
		}
		prompt += text
	}
	return prompt
}

// complete answers a chat (whose prompt is put between marks) or a completion.
func (s *Server) complete(w http.ResponseWriter, body map[string]any, chat bool) {
	refuse := func(format string, args ...any) {
		reply(w, 400, map[string]any{"error": map[string]any{"message": fmt.Sprintf(format, args...),
			"type": "invalid_request_error", "code": "x"}})
	}
	number := func(k string) int { v, _ := body[k].(float64); return int(v) }
	if s.Strict {
		for k := range body {
			if !slices.Contains([]string{"model", "messages", "temperature", "top_p", "max_tokens", "seed", "stop", "logprobs",
				"top_logprobs"}, k) {
				refuse("Unrecognized request argument supplied: %s", k)
				return
			}
		}
	}
	if p, ok := body["top_p"].(float64); ok && s.TopP && p >= 1 {
		reply(w, 422, map[string]any{"error": "Input validation error: `top_p` must be > 0.0 and < 1.0",
			"error_type": "validation"})
		return
	}
	prompt, _ := body["prompt"].(string)
	want, top, most := body["logprobs"] != nil, number("logprobs"), s.RawTop
	if chat {
		messages, _ := body["messages"].([]any)
		prompt = chatted(messages)
		want, top, most = body["logprobs"] == true, number("top_logprobs"), s.ChatTop
	}
	if body["logprob_token_ids"] != nil && s.TokenIDs {
		top = 0 // vLLM looks at the list alone, of up to 128
	}
	if want && top > most && most >= 0 {
		if s.Owner == "m" { // TGI
			reply(w, 422, map[string]any{"error": fmt.Sprintf("Input validation error: `top_n_tokens` must be >= 0 and <= "+
				"%d. Given: %d", most, top), "error_type": "validation"})
			return
		}
		refuse("top_logprobs must be at most %d", most)
		return
	}
	s.mu.Lock()
	short := want && s.beside > 0 && body["logprob_token_ids"] == nil
	if short {
		s.beside--
	}
	s.mu.Unlock()
	g := generation{Server: s, words: s.words(), short: short, body: body, top: top,
		named: body["return_tokens_as_token_ids"] == true && s.Owner == "vllm"}
	if !chat && body["echo"] == true && s.Echo {
		g.echo(prompt)
	}
	finish := g.run(prompt, number("max_tokens"))
	choice := map[string]any{"index": 0, "finish_reason": finish}
	if chat {
		choice["message"] = map[string]any{"role": "assistant", "content": g.text}
	} else {
		choice["text"] = g.text
	}
	if want && most >= 0 {
		if chat || s.RawShape == "content" {
			choice["logprobs"] = map[string]any{"content": g.content}
		} else {
			choice["logprobs"] = map[string]any{"tokens": g.names, "token_logprobs": g.lps, "top_logprobs": g.tops,
				"text_offset": slices.Repeat([]int{-1}, len(g.names))} // as SGLang has it; nobody reads them
		}
	}
	ids, _ := s.words().Split(prompt)
	reply(w, 200, map[string]any{
		"id": "c", "object": "x", "created": 1, "model": s.name(), "choices": []any{choice}, "prompt_logprobs": nil,
		"usage": map[string]any{"prompt_tokens": len(ids), "completion_tokens": g.made, "total_tokens": len(ids) + g.made},
	})
}
