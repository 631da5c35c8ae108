package openai

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// table is a JSON object.
type table = map[string]any

// recorded is a server whose answers are kept, and what they are compared with.
type recorded struct {
	folder  string // under testdata/recordings
	root    string // variable that names one that runs already, by its root URL
	start   func(*testing.T) (root string)
	model   string // its name there
	calls   func(model string) map[string]recording
	listed  map[string]int            // alternatives in the last token's list, counted by hand
	causes  map[string]backends.Cause // of refusals; else BadRequest
	flavour string                    // the fake that answers as it does
	alike   []string                  // the calls whose answers are compared with the fake's
}

const student = "../../experiments/models/tiny-student"

// recordedServers are those whose answers are kept, by name.
func recordedServers() map[string]recorded {
	return map[string]recorded{
		"vllm": {
			folder: "vllm-0.32", root: "INFNET_VLLM", model: "tiny-student", calls: vllmCalls, flavour: "vllm",
			start: func(t *testing.T) string { return startVLLM(t, student) },
			// Ids come beside the chosen token, unless that is among them.
			listed: map[string]int{
				"raw-logprobs-1": 1, "raw-logprobs-5": 5, "raw-logprobs-20": 20, "chat-logprobs-0": 0, "chat-logprobs-1": 1,
				"chat-logprobs-5": 5, "chat-logprobs-20": 20,
				"raw-ids": 3, "raw-ids-chosen": 2, "chat-ids": 3, "chat-bias": 3, "chat-structured": 20,
			},
			causes: map[string]backends.Cause{"raw-too-long": backends.TooLong},
			alike: []string{"tokenize", "raw-logprobs-5", "raw-logprobs-20", "raw-ids", "chat-logprobs-5", "chat-ids",
				"chat-structured", "raw-echo"},
		},
		"llama.cpp": {
			folder: "llama.cpp-0.5.0", root: "INFNET_LLAMA", model: "tiny-student", calls: llamaCalls, flavour: "llama.cpp",
			start: func(t *testing.T) string { return startLlama(t, student) },
			listed: map[string]int{
				"raw-logprobs-1": 1, "raw-logprobs-5": 5, "raw-logprobs-20": 20, "raw-logprobs-200": 200,
				"chat-logprobs-1": 1, "chat-logprobs-5": 5, "chat-logprobs-20": 20, "chat-logprobs-200": 200,
				"raw-grammar": 20, "chat-grammar": 20, "raw-bias": 5,
			},
			causes: map[string]backends.Cause{"raw-too-long": backends.TooLong},
			alike:  []string{"tokenize", "raw-logprobs-5", "chat-logprobs-5", "chat-grammar"},
		},
		"ollama": {
			folder: "ollama-0.17.4", root: "INFNET_OLLAMA", model: "tiny-student", calls: ollamaCalls, flavour: "ollama",
			start: func(t *testing.T) string {
				return startOllama(t, map[string]string{"tiny-student": backendtest.ServerFolder(t, student)})
			},
			listed: map[string]int{"chat-logprobs-1": 1, "chat-logprobs-5": 5, "chat-logprobs-20": 20},
			// A prompt of 1,803 tokens ended the runner, whose context was 512.
			causes: map[string]backends.Cause{"chat-too-long": backends.ServerError, "raw-too-long": backends.ServerError},
			alike:  []string{"chat-logprobs-5"},
		},
		"transformers": {
			folder: "transformers-5.19", root: "INFNET_TRANSFORMERS", calls: transformersCalls, flavour: "transformers",
			model:  "tiny-student",
			causes: map[string]backends.Cause{"raw-wrong-type": backends.ServerError, "models": backends.ServerError},
			alike:  []string{"raw-text", "chat-text"},
		},
	}
}

// asked is a prompt of which the quickstart's models are sure.
const asked = "Review: good food\nSentiment:"

// umlaut is a prompt whose answer has an ü, of two tokens.
const umlaut = "English: The famous women find a beautiful present.\nGerman:"

// raw is a call for a completion, as the client makes it, with further fields.
func raw(model string, more table) recording {
	q := table{"model": model, "prompt": asked, "max_tokens": 1, "temperature": 0, "top_p": 1, "seed": 0}
	maps.Copy(q, more)
	return recording{Route: "/v1/completions", Request: q}
}

// chat is likewise a call for a chat.
func chat(model string, more table) recording {
	q := table{"model": model, "messages": []any{table{"role": "user", "content": asked}}, "max_tokens": 1,
		"temperature": 0, "top_p": 1, "seed": 0}
	maps.Copy(q, more)
	return recording{Route: "/v1/chat/completions", Request: q}
}

// vllmCalls are every route and mode that is used of vLLM.
func vllmCalls(model string) map[string]recording {
	ids, bias := []int{300, 400}, table{"300": 100, "400": 100}
	choice := table{"choice": []string{"positive", " positive", "negative", " negative"}}
	out := refused(model)
	maps.Copy(out, map[string]recording{
		"models":  {Route: "/v1/models"},
		"version": {Route: "/version"},
		"tokenize": {Route: "/tokenize",
			Request: table{"model": model, "prompt": ": positive", "add_special_tokens": false, "return_token_strs": true}},
		"detokenize": {Route: "/detokenize", Request: table{"model": model, "tokens": []int{368}}},
		"raw-ids":    raw(model, table{"logprobs": 2, "logprob_token_ids": ids, "return_tokens_as_token_ids": true}),
		"raw-ids-chosen": raw(model, table{"logprobs": 2, "logprob_token_ids": []int{368, 400},
			"return_tokens_as_token_ids": true}),
		"raw-bias": raw(model, table{"logprobs": 5, "logit_bias": bias, "return_tokens_as_token_ids": true}),
		"raw-structured": raw(model, table{"logprobs": 20,
			"structured_outputs": table{"choice": []string{" positive", " negative"}}}),
		"raw-echo":    raw(model, table{"logprobs": 1, "echo": true, "prompt": asked + " positive"}),
		"raw-grammar": raw(model, table{"grammar": `root ::= "qvx"`}),
		"raw-bytes":   raw(model, table{"logprobs": 1, "max_tokens": 24, "stop": []string{"\n"}, "prompt": umlaut}),
		"chat-bytes": chat(model, table{"logprobs": true, "top_logprobs": 1, "max_tokens": 24, "stop": []string{"\n"},
			"messages": []any{table{"role": "user", "content": umlaut}}}),
		"chat-ids": chat(model, table{"logprobs": true, "top_logprobs": 2, "logprob_token_ids": ids,
			"return_tokens_as_token_ids": true}),
		"chat-bias":           chat(model, table{"logprobs": true, "top_logprobs": 3, "logit_bias": bias}),
		"chat-structured":     chat(model, table{"logprobs": true, "top_logprobs": 20, "structured_outputs": choice}),
		"raw-too-many":        raw(model, table{"logprobs": 21}),
		"chat-too-many":       chat(model, table{"logprobs": true, "top_logprobs": 21}),
		"raw-ids-no-logprobs": raw(model, table{"logprob_token_ids": ids}),
		"raw-ids-unknown":     raw(model, table{"logprobs": 1, "logprob_token_ids": []int{99999}}),
	})
	lists(out, model, 0, 1, 5, 20)
	return out
}

// llamaCalls are likewise those of the llama.cpp server.
func llamaCalls(model string) map[string]recording {
	grammar := `root ::= "positive" | " positive" | "negative" | " negative"`
	out := refused(model)
	maps.Copy(out, map[string]recording{
		"models": {Route: "/v1/models"},
		"props":  {Route: "/props"},
		"health": {Route: "/health"},
		"tokenize": {Route: "/tokenize",
			Request: table{"model": model, "content": ": positive", "add_special": false, "with_pieces": true}},
		"raw-grammar":  raw(model, table{"logprobs": 20, "grammar": grammar}),
		"chat-grammar": chat(model, table{"logprobs": true, "top_logprobs": 20, "grammar": grammar}),
		"raw-bias":     raw(model, table{"logprobs": 5, "logit_bias": table{"300": 100, "400": 100}}),
		"raw-echo":     raw(model, table{"logprobs": 1, "echo": true, "prompt": asked + " positive"}),
		"raw-bytes":    raw(model, table{"logprobs": 1, "max_tokens": 24, "stop": []string{"\n"}, "prompt": umlaut}),
		"raw-end":      raw(model, table{"logprobs": 1, "max_tokens": 16, "prompt": "Passage: x\nQuestion: y\nAnswer:"}),
	})
	lists(out, model, 0, 1, 5, 20, 200)
	return out
}

// ollamaCalls are likewise those of Ollama.
func ollamaCalls(model string) map[string]recording {
	long := []any{table{"role": "user", "content": strings.Repeat("good food ", 600)}}
	out := refused(model)
	maps.Copy(out, map[string]recording{
		"models":  {Route: "/v1/models"},
		"version": {Route: "/api/version"},
		"ps":      {Route: "/api/ps"},
		"chat-bytes": chat(model, table{"logprobs": true, "top_logprobs": 1, "max_tokens": 24, "stop": []string{"\n"},
			"messages": []any{table{"role": "user", "content": umlaut}}}),
		"chat-too-many": chat(model, table{"logprobs": true, "top_logprobs": 21}),
		"chat-too-long": chat(model, table{"messages": long}),
		"chat-end":      chat(model, table{"logprobs": true, "top_logprobs": 1, "stop": []string{" positive"}}),
	})
	lists(out, model, 0, 1, 5, 20)
	return out
}

// transformersCalls are likewise those of transformers serve.
func transformersCalls(model string) map[string]recording {
	out := refused(model)
	maps.Copy(out, map[string]recording{
		"models": {Route: "/v1/models"},
		"health": {Route: "/health"},
	})
	lists(out, model, 1, 5)
	return out
}

// refused are calls that every server gets: texts, and what it may refuse.
func refused(model string) map[string]recording {
	return map[string]recording{
		"raw-text":          raw(model, table{"max_tokens": 8}),
		"raw-stop":          raw(model, table{"max_tokens": 8, "logprobs": 1, "stop": []string{"\n"}}),
		"chat-text":         chat(model, table{"max_tokens": 8}),
		"raw-too-long":      raw(model, table{"prompt": strings.Repeat("good food ", 600)}),
		"raw-other-model":   raw("somebody-else", nil),
		"raw-wrong-type":    raw(model, table{"max_tokens": "many"}),
		"raw-unknown-field": raw(model, table{"no_such_field": 1}),
		"no-such-route":     {Route: "/v1/no-such-route"},
	}
}

// lists adds calls for so many alternatives.
func lists(out map[string]recording, model string, counts ...int) {
	for _, n := range counts {
		out[fmt.Sprintf("raw-logprobs-%d", n)] = raw(model, table{"logprobs": n})
		out[fmt.Sprintf("chat-logprobs-%d", n)] = chat(model, table{"logprobs": true, "top_logprobs": n})
	}
}
