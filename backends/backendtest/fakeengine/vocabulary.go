package fakeengine

import (
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"strings"
)

// Vocabulary is the tokens of a fake model, "_" for a blank.
type Vocabulary []string

// Words is the usual vocabulary: labels of tests and odd words. "<e>" ends an
// answer.
var Words = Vocabulary(strings.Fields("_positive _negative _neutral positive negative neutral qvx zjw _qvx _zjw " +
	"_the _a the _cat _sat _mat mat _on _dog _x _y _z Yes _Yes _no é _ü <e>"))

// Word is a token's text.
func (v Vocabulary) Word(i int) string {
	if i >= len(v) {
		return string(rune(i - characters))
	}
	return strings.ReplaceAll(v[i], "_", " ")
}

// characters is the number of the first token that is a character and no word.
const characters = 1 << 16

// Truth are the log-probabilities of the fake model after a text: a softmax of
// hashes, the end token a little likelier. It is float32, as servers' are.
func (v Vocabulary) Truth(text string) []float64 {
	out := make([]float64, len(v))
	sum := 0.0
	for i := range out {
		h := fnv.New64a()
		fmt.Fprint(h, text, "|", i)
		x := h.Sum64()
		x ^= x >> 31
		x *= 0x9e3779b97f4a7c15
		out[i] = 8 * float64(x>>40) / (1 << 24)
		if asked := strings.HasSuffix(text, "<m>") || strings.HasSuffix(text, ":"); asked && v.label(i) {
			out[i] += 9 // a label follows
		}
		if v[i] == "<e>" {
			out[i]++
			if strings.HasSuffix(text, "<m>") || strings.HasSuffix(text, ":") {
				out[i] -= 20 // no answer is empty
			}
		}
		sum += math.Exp(out[i])
	}
	for i := range out {
		out[i] = float64(float32(out[i] - math.Log(sum)))
	}
	return out
}

// label reports whether a token is a label of tests: what a test adds to Words, else the first of Words.
func (v Vocabulary) label(i int) bool {
	if len(v) > len(Words) {
		return i >= len(Words)
	}
	return i < 6
}

// Split cuts a text into the vocabulary's longest words; other characters are
// tokens of their own, numbered by their code.
func (v Vocabulary) Split(text string) (ids []int, words []string) {
	for len(text) > 0 {
		best := -1
		for i := range v {
			if strings.HasPrefix(text, v.Word(i)) && (best < 0 || len(v.Word(i)) > len(v.Word(best))) {
				best = i
			}
		}
		if best >= 0 {
			ids, words = append(ids, best), append(words, v.Word(best))
			text = text[len(v.Word(best)):]
			continue
		}
		r := []rune(text)[0]
		ids, words = append(ids, characters+int(r)), append(words, string(r))
		text = text[len(string(r)):]
	}
	return ids, words
}

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

// Flavour is what one kind of server offers and how it writes it. The shapes
// are those of the servers' documentation.
type Flavour struct {
	Owner    string // of its models
	Version  string // route that tells the version
	ChatTop  int    // most alternatives; -1 = no log-probabilities
	RawTop   int    // likewise; -2 = no such route
	RawShape string // "lists" or "content"
	Echo     bool
	Tokenize string // "vllm", "llama.cpp"
	TokenIDs bool
	Bytes    bool   // tokens come with bytes
	IDs      bool   // tokens come with numbers
	EndText  bool   // the end token is reported with its text, as <e>
	TopP     bool   // top_p must be below 1
	EOS      bool   // the end token is reported
	Strict   bool   // unknown fields are refused
	Release  string // its version; "" = 1.2.3
}

// Flavours are the servers that the fake can be, by name.
var Flavours = map[string]Flavour{
	"vllm": {Owner: "vllm", Version: "/version", ChatTop: 20, RawTop: 20, RawShape: "lists", Echo: true,
		Tokenize: "vllm", TokenIDs: true, Bytes: true, EOS: true},
	"llama.cpp": {Owner: "llamacpp", Version: "/props", ChatTop: 1000, RawTop: 1000, RawShape: "content",
		Tokenize: "llama.cpp", Bytes: true, IDs: true},
	// router/src of text-generation-inference: at most five alternatives, no
	// bytes, no log-probabilities of completions, top_p below 1, /info.
	"tgi": {Owner: "m", Version: "/info", ChatTop: 5, RawTop: -1, Tokenize: "tgi", EOS: true, EndText: true,
		TopP: true},
	"ollama": {Owner: "library", Version: "/api/version", ChatTop: 20, RawTop: -1, Bytes: true},
	"openai": {Owner: "system", ChatTop: 20, RawTop: -2, Bytes: true, Strict: true},
	"hosted": {Owner: "someone", ChatTop: -1, RawTop: -2},
	// transformers serve 5.19, recorded: texts alone.
	"transformers": {ChatTop: -1, RawTop: -1},
}
