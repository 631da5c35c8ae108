package openai

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"infnet/backends"
)

// flavour is what one kind of server offers and how it writes it. The shapes
// are those of the servers' documentation.
type flavour struct {
	owner      string // of its models
	version    string // route that tells the version
	chatTop    int    // most alternatives; -1 = no log-probabilities
	rawTop     int    // likewise; -2 = no such route
	rawShape   string // "lists" or "content"
	echo       bool
	tokenize   string // "vllm", "llama.cpp"
	tokenIDs   bool
	biasShows  bool // a bias shows in the log-probabilities
	structured bool
	grammar    bool
	bytes      bool   // tokens come with bytes
	ids        bool   // tokens come with numbers
	endText    bool   // the end token is reported with its text, as <e>
	topP       bool   // top_p must be below 1
	finish     string // what it calls the end of an answer; "" = stop
	listBias   bool   // logit_bias as a table is refused
	eos        bool   // the end token is reported
	strict     bool   // unknown fields are refused
}

var flavours = map[string]flavour{
	"vllm": {owner: "vllm", version: "/version", chatTop: 20, rawTop: 20, rawShape: "lists", echo: true,
		tokenize: "vllm", tokenIDs: true, structured: true, bytes: true, eos: true},
	"vllm-old": {owner: "vllm", version: "/version", chatTop: 5, rawTop: 5, rawShape: "lists", echo: true,
		tokenize: "vllm", biasShows: true, bytes: true, eos: true},
	"llama.cpp": {owner: "llamacpp", version: "/props", chatTop: 1000, rawTop: 1000, rawShape: "content",
		tokenize: "llama.cpp", grammar: true, bytes: true, ids: true},
	// python/sglang/srt/entrypoints/openai: completions as lists with text_offset
	// −1, a bias that shows, the end token reported, /tokenize without texts.
	"sglang": {owner: "sglang", version: "/server_info", chatTop: 20, rawTop: 20, rawShape: "lists", echo: true,
		tokenize: "sglang", biasShows: true, bytes: true, eos: true, endText: true},
	// router/src of text-generation-inference: at most five alternatives, no
	// bytes, no log-probabilities of completions, top_p below 1, /info.
	"tgi": {owner: "m", version: "/info", chatTop: 5, rawTop: -1, tokenize: "tgi", eos: true, endText: true, topP: true,
		listBias: true},
	// The same before it took over OpenAI's word for the end.
	"tgi-old": {owner: "m", version: "/info", chatTop: 5, rawTop: -1, tokenize: "tgi", eos: true, endText: true,
		finish: "eos_token", listBias: true},
	"ollama": {owner: "library", version: "/api/version", chatTop: 20, rawTop: -1, bytes: true},
	"openai": {owner: "system", chatTop: 20, rawTop: -2, bytes: true, strict: true},
	"hosted": {owner: "someone", chatTop: -1, rawTop: -2},
}

// vocabulary of the fake model, labels of the tests and odd words included;
// "<e>" ends an answer.
var vocabulary = strings.Fields("_positive _negative _neutral positive negative neutral qvx zjw _qvx _zjw _the _a " +
	"the _cat _sat _mat mat _on _dog _x _y _z Yes _Yes _no é _ü <e>")

func word(i int) string { return strings.ReplaceAll(vocabulary[i], "_", " ") }

// truth are the log-probabilities of the fake model after a text: a softmax of
// hashes, the end token a little likelier. It is float32, as servers' are.
func truth(text string) []float64 {
	out := make([]float64, len(vocabulary))
	sum := 0.0
	for i := range out {
		h := fnv.New64a()
		fmt.Fprint(h, text, "|", i)
		x := h.Sum64()
		x ^= x >> 31
		x *= 0x9e3779b97f4a7c15
		out[i] = 8 * float64(x>>40) / (1 << 24)
		if vocabulary[i] == "<e>" {
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

// split cuts a text into the vocabulary's longest words; other characters are
// tokens of their own, numbered by their code.
func split(text string) (ids []int, words []string) {
	for len(text) > 0 {
		best := -1
		for i := range vocabulary {
			if strings.HasPrefix(text, word(i)) && (best < 0 || len(word(i)) > len(word(best))) {
				best = i
			}
		}
		if best >= 0 {
			ids, words = append(ids, best), append(words, word(best))
			text = text[len(word(best)):]
			continue
		}
		r := []rune(text)[0]
		ids, words = append(ids, 1000+int(r)), append(words, string(r))
		text = text[len(string(r)):]
	}
	return ids, words
}

// fake is a server of one flavour.
type fake struct {
	flavour
	mu     sync.Mutex
	calls  map[string]int
	last   map[string]any // body of the last call to the model
	beside int            // calls to come that are computed beside one for named tokens: their lists are short
	delay  time.Duration
}

func serve(t *testing.T, f flavour) (*fake, string) {
	t.Helper()
	s := &fake{flavour: f, calls: map[string]int{}}
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL + "/v1"
}

func (s *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	_ = json.NewDecoder(r.Body).Decode(&body)
	s.mu.Lock()
	s.calls[r.URL.Path]++
	if strings.HasSuffix(r.URL.Path, "completions") {
		s.last = body
	}
	s.mu.Unlock()
	time.Sleep(s.delay)
	switch {
	case r.URL.Path == "/v1/models":
		reply(w, 200, map[string]any{"object": "list",
			"data": []any{map[string]any{"id": "m", "object": "model", "owned_by": s.owner, "max_model_len": 4096}}})
	case r.URL.Path == s.version && s.version == "/props":
		reply(w, 200, map[string]any{"build_info": "b1", "default_generation_settings": map[string]any{"n_ctx": 2048}})
	case r.URL.Path == s.version && s.version == "/info":
		reply(w, 200, map[string]any{"model_id": "m", "version": "3.3.4", "max_total_tokens": 4096, "max_input_tokens": 4000,
			"model_device_type": "cuda"})
	case r.URL.Path == s.version:
		reply(w, 200, map[string]any{"version": "1.2.3"})
	case r.URL.Path == "/tokenize" && s.tokenize != "":
		s.split(w, body)
	case r.URL.Path == "/detokenize" && s.tokenize == "sglang":
		text := ""
		for _, id := range body["tokens"].([]any) {
			text += word(int(id.(float64)))
		}
		reply(w, 200, map[string]any{"text": text})
	case r.URL.Path == "/v1/chat/completions":
		s.complete(w, body, true)
	case r.URL.Path == "/v1/completions" && s.rawTop > -2:
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

func (s *fake) split(w http.ResponseWriter, body map[string]any) {
	if s.tokenize == "llama.cpp" {
		ids, words := split(body["content"].(string))
		var out []any
		for i := range ids {
			out = append(out, map[string]any{"id": ids[i], "piece": words[i]})
		}
		reply(w, 200, map[string]any{"tokens": out})
		return
	}
	if s.tokenize == "tgi" {
		ids, words := split(body["inputs"].(string))
		at, out := 0, []any{}
		for i := range ids {
			out = append(out, map[string]any{"id": ids[i], "text": words[i], "start": at, "stop": at + len(words[i])})
			at += len(words[i])
		}
		reply(w, 200, out)
		return
	}
	ids, words := split(body["prompt"].(string))
	if s.tokenize == "sglang" {
		reply(w, 200, map[string]any{"tokens": ids, "count": len(ids), "max_model_len": 1e30})
		return
	}
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], " ", "▁")
	}
	reply(w, 200, map[string]any{"count": len(ids), "max_model_len": 4096, "tokens": ids, "token_strs": words})
}

// complete answers a chat (whose prompt is put between marks) or a completion.
func (s *fake) complete(w http.ResponseWriter, body map[string]any, chat bool) {
	refuse := func(format string, args ...any) {
		reply(w, 400, map[string]any{"error": map[string]any{"message": fmt.Sprintf(format, args...),
			"type": "invalid_request_error", "code": "x"}})
	}
	number := func(k string) int { v, _ := body[k].(float64); return int(v) }
	if s.strict {
		for k := range body {
			if !slices.Contains([]string{"model", "messages", "temperature", "top_p", "max_tokens", "seed", "stop", "logprobs",
				"top_logprobs", "logit_bias"}, k) {
				refuse("Unrecognized request argument supplied: %s", k)
				return
			}
		}
	}
	if p, ok := body["top_p"].(float64); ok && s.topP && p >= 1 {
		reply(w, 422, map[string]any{"error": "Input validation error: `top_p` must be > 0.0 and < 1.0",
			"error_type": "validation"})
		return
	}
	if _, table := body["logit_bias"].(map[string]any); table && s.listBias {
		reply(w, 422, map[string]any{"error": "Failed to deserialize the JSON body into the target type: logit_bias: " +
			"invalid type: map, expected a sequence"})
		return
	}
	prompt, _ := body["prompt"].(string)
	want, top, most := body["logprobs"] != nil, number("logprobs"), s.rawTop
	if chat {
		prompt = "<u>" + body["messages"].([]any)[0].(map[string]any)["content"].(string) + "<m>"
		want, top, most = body["logprobs"] == true, number("top_logprobs"), s.chatTop
	}
	if body["logprob_token_ids"] != nil && s.tokenIDs {
		top = 0 // vLLM looks at the list alone, of up to 128
	}
	if want && top > most && most >= 0 {
		if s.owner == "m" { // TGI
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
	g := generation{fake: s, short: short, body: body, top: top,
		named: body["return_tokens_as_token_ids"] == true && s.owner == "vllm"}
	if !chat && body["echo"] == true && s.echo {
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
		if chat || s.rawShape == "content" {
			choice["logprobs"] = map[string]any{"content": g.content}
		} else {
			choice["logprobs"] = map[string]any{"tokens": g.names, "token_logprobs": g.lps, "top_logprobs": g.tops,
				"text_offset": offsets(len(g.names))}
		}
	}
	ids, _ := split(prompt)
	reply(w, 200, map[string]any{
		"id": "c", "object": "x", "created": 1, "model": "m", "choices": []any{choice}, "prompt_logprobs": nil,
		"usage": map[string]any{"prompt_tokens": len(ids), "completion_tokens": g.made, "total_tokens": len(ids) + g.made},
	})
}

// generation is an answer in the making, in both shapes.
type generation struct {
	*fake
	body    map[string]any
	top     int
	named   bool // tokens are called by their numbers
	short   bool // the list is the token itself and padding
	text    string
	made    int
	content []any
	names   []string
	lps     []any
	tops    []any
}

// scores are what is sampled from and what is reported; −9999 stands for −Inf.
func (g *generation) scores(text, said string) (sampled, reported []float64) {
	reported = truth(text)
	sampled = slices.Clone(reported)
	if bias, ok := g.body["logit_bias"].(map[string]any); ok {
		sum := 0.0
		for i := range sampled {
			b, _ := bias[strconv.Itoa(i)].(float64)
			sampled[i] += b
			sum += math.Exp(sampled[i] - 100)
		}
		if g.biasShows {
			for i := range sampled {
				reported[i] = sampled[i] - 100 - math.Log(sum)
			}
		}
	}
	allow := func(words []string) []float64 {
		sum, out := 0.0, make([]float64, len(sampled))
		for i := range out {
			out[i] = -9999
			for _, w := range words {
				rest, ok := strings.CutPrefix(w, said)
				if ok && rest != "" && strings.HasPrefix(rest, word(i)) || ok && rest == "" && vocabulary[i] == "<e>" {
					out[i] = sampled[i]
				}
			}
			sum += math.Exp(out[i])
		}
		for i := range out {
			if out[i] > -9999 {
				out[i] -= math.Log(sum)
			}
		}
		return out
	}
	if c, ok := g.body["structured_outputs"].(map[string]any); ok && g.structured {
		sampled = allow(texts(c["choice"]))
		reported = sampled // vLLM masks before it measures
	}
	if rule, ok := g.body["grammar"].(string); ok && g.grammar {
		var words []string
		for _, w := range strings.Split(strings.TrimPrefix(rule, "root ::= "), " | ") {
			words = append(words, strings.Trim(w, `"`))
		}
		sampled = allow(words) // llama.cpp measures before it masks
	}
	return sampled, reported
}

func texts(v any) []string {
	var out []string
	for _, s := range v.([]any) {
		out = append(out, s.(string))
	}
	return out
}

func (g *generation) run(prompt string, most int) string {
	said := ""
	for range most {
		sampled, reported := g.scores(prompt+said, said)
		best := 0
		for i, s := range sampled {
			if s > sampled[best] {
				best = i
			}
		}
		end := vocabulary[best] == "<e>"
		if !end || g.eos {
			g.made++
			g.report(best, reported)
		}
		if end {
			if g.finish != "" {
				return g.finish
			}
			return "stop"
		}
		for _, stop := range stops(g.body) {
			if i := strings.Index(said+word(best), stop); i >= 0 {
				g.text += (said + word(best))[len(said):max(i, len(said))]
				return "stop"
			}
		}
		said += word(best)
		g.text += word(best)
	}
	return "length"
}

// offsets are the text_offset of completions, which nobody reads; SGLang writes
// −1.
func offsets(n int) []int { return slices.Repeat([]int{-1}, n) }

func stops(body map[string]any) []string {
	if body["stop"] == nil {
		return nil
	}
	return texts(body["stop"])
}

// echo reports the prompt's own tokens, the first without a log-probability.
func (g *generation) echo(prompt string) {
	g.text = prompt
	ids, words := split(prompt)
	before := ""
	for i, id := range ids {
		var lp any
		if i > 0 && id < 1000 {
			lp = truth(before)[id]
		} else if i > 0 {
			lp = -7.5
		}
		before += words[i]
		g.names, g.lps, g.tops = append(g.names, words[i]), append(g.lps, lp), append(g.tops, nil)
	}
}

func (g *generation) name(i int) string {
	if g.named {
		return "token_id:" + strconv.Itoa(i)
	}
	return word(i)
}

// report writes down a token with its alternatives in both shapes.
func (g *generation) report(at int, lps []float64) {
	order := make([]int, len(lps))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(math.Copysign(1, lps[b]-lps[a])) })
	order = order[:min(g.top, len(order))]
	if ids, ok := g.body["logprob_token_ids"].([]any); ok && g.tokenIDs {
		order = []int{at}
		for _, id := range ids {
			if n := int(id.(float64)); n != at {
				order = append(order, n)
			}
		}
	}
	if g.short { // vLLM's first runner: token 0 at −∞ fills the row
		lps, order = slices.Clone(lps), []int{at}
		if at != 0 {
			lps[0], order = -9999, []int{at, 0}
		}
	}
	entry := func(i int, text string) map[string]any {
		if g.owner == "m" {
			return map[string]any{"token": g.name(i), "logprob": lps[i]}
		}
		e := map[string]any{"token": g.name(i), "logprob": lps[i], "bytes": nil}
		if g.bytes {
			b := []int{}
			for _, c := range []byte(text) {
				b = append(b, int(c))
			}
			e["bytes"] = b
		}
		if g.ids {
			e["id"] = i
		}
		return e
	}
	e := entry(at, word(at))
	list, table := []any{}, map[string]float64{g.name(at): lps[at]}
	for _, i := range order {
		list = append(list, entry(i, g.name(i))) // vLLM: where tokens have numbers for names, the bytes are the name's
		table[g.name(i)] = lps[i]
	}
	e["top_logprobs"] = list
	g.content = append(g.content, e)
	g.names, g.lps, g.tops = append(g.names, g.name(at)), append(g.lps, lps[at]), append(g.tops, table)
}

var testID = backends.ModelID{ID: "m", Revision: "r", Kind: backends.OpenAI}

// open opens a model at a URL.
func open(t *testing.T, url string, change ...func(*backends.OpenAIConfig)) *Model {
	t.Helper()
	c := &backends.OpenAIConfig{URLs: []string{url}, Timeout: time.Minute}
	for _, f := range change {
		f(c)
	}
	m, err := Open(backends.Config{Model: testID, Settings: c})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = m.Close() })
	return m
}

// ask asks one request.
func ask(t *testing.T, m *Model, r backends.Request) backends.Answer {
	t.Helper()
	as, err := m.Answer(t.Context(), []backends.Request{r})
	if err != nil || len(as) != 1 {
		t.Fatalf("Answer: %d answers, %v", len(as), err)
	}
	return as[0]
}
