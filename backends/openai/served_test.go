package openai

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"infnet/backends"
)

// Which names are the model asked, by lists in the shapes of the servers' own.
func TestAliases(t *testing.T) {
	vllm := `[{"id":"m","owned_by":"vllm","root":"/models/m","parent":null},{"id":"also","owned_by":"vllm","root":"/models/m","parent":null},
		{"id":"tuned","owned_by":"vllm","root":"/adapters/t","parent":"m"}]`
	openAI := `[{"id":"gpt-4o","owned_by":"system"},{"id":"gpt-4o-2024-08-06","owned_by":"system"},{"id":"gpt-4o-mini","owned_by":"system"},{"id":"gpt-4-0613","owned_by":"openai"}]`
	llama := `[{"id":"/models/m-q8.gguf","owned_by":"llamacpp"}]`
	for _, test := range []struct {
		name, list, asked, replied string
		want                       bool
	}{
		{"equal", ``, "m", "m", true},
		{"another, and no list", ``, "m", "x", false},
		{"a zero-width character behind it", ``, "m", "m\u200b", false},
		{"a zero-width character before its tag", ``, "m", "m\u200b:latest", false},
		{"the case counts", vllm, "m", "M", false},
		{"transformers serve adds a revision", ``, "org/m", "org/m@main", true},
		{"a longer name with a revision", ``, "org/m", "org/m-it@main", false},
		{"no revision behind the mark", ``, "m", "m@", false},
		{"ollama adds its tag", ``, "m", "m:latest", true},
		{"ollama leaves it out", ``, "m:latest", "m", true},
		{"another tag", `[{"id":"m:latest"},{"id":"m:7b"}]`, "m", "m:7b", false},
		{"vllm answers by its first served name", vllm, "also", "m", true},
		{"vllm answers by what it loaded", vllm, "m", "/models/m", true},
		{"the model in place of its adapter", vllm, "tuned", "m", false},
		{"the adapter in place of its model", vllm, "m", "tuned", false},
		{"sglang names a hub model it loaded", `[{"id":"m","owned_by":"sglang","root":"org/m"}]`, "m", "org/m", true},
		{"a snapshot that is listed", openAI, "gpt-4o", "gpt-4o-2024-08-06", true},
		{"a snapshot that is not listed", openAI, "gpt-4o", "gpt-4o-2024-11-20", false},
		{"an older way to date", openAI, "gpt-4", "gpt-4-0613", true},
		{"a snapshot in place of the model's other one", openAI, "gpt-4o-2024-08-06", "gpt-4o", false},
		{"a smaller model", openAI, "gpt-4o", "gpt-4o-mini", false},
		{"llama.cpp answers by its file", llama, "m", "/models/m-q8.gguf", true},
		{"llama.cpp with several models", `[{"id":"a","owned_by":"llamacpp"},{"id":"b","owned_by":"llamacpp"}]`, "m",
			"a", false},
		{"llama.cpp lists aliases", `[{"id":"a.gguf","aliases":["m"],"owned_by":"llamacpp"},{"id":"b"}]`, "m",
			"a.gguf", true},
		{"the only model of another server", `[{"id":"x","owned_by":"vllm"}]`, "m", "x", false},
	} {
		var l list
		if test.list != "" {
			if err := json.Unmarshal([]byte(test.list), &l); err != nil {
				t.Fatal(err)
			}
		}
		if got := l.same(test.asked, test.replied); got != test.want {
			t.Errorf("%s: asked %q, replied %q: %v", test.name, test.asked, test.replied, got)
		}
	}
}

// as lets a server reply by another name ("" = by none) and list these models
// ("" = as it does, "none" = it has no list).
func as(t *testing.T, inner http.Handler, name, models string) string {
	t.Helper()
	return newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/v1/models") && models != "" {
			if models == "none" {
				http.NotFound(w, r)
				return
			}
			_, _ = w.Write([]byte(`{"data":` + models + `}`))
			return
		}
		rec := httptest.NewRecorder()
		inner.ServeHTTP(rec, r)
		var body map[string]any
		if json.Unmarshal(rec.Body.Bytes(), &body) == nil && body["model"] != nil {
			if body["model"] = name; name == "" {
				delete(body, "model")
			}
			rec.Body.Reset()
			_ = json.NewEncoder(rec.Body).Encode(body)
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(rec.Code)
		_, _ = w.Write(rec.Body.Bytes())
	}) + "/v1"
}

// Another model's reply is refused whatever is asked, with both names and the
// fix, and not asked again; an alias and a reply without a name are told apart
// by the server's list.
func TestOtherModel(t *testing.T) {
	requests := map[string]struct {
		r      backends.Request
		labels backends.LabelMode
	}{
		"chat": {backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 3},
			backends.LabelsTopLogprobs},
		"raw": {backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p", MaxTokens: 3},
			backends.LabelsTopLogprobs},
		"classification": {backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" yes", " no"}},
			backends.LabelsText},
		"probe": {backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p:", Labels: []string{" yes", " no"}},
			backends.LabelsAuto},
	}
	for _, test := range []struct {
		name, replied, models string
		refused               bool
	}{
		{"its own name", "m", "", false},
		{"another name", "stranger", "", true},
		{"a name that looks the same", "m\u200b", "", true},
		{"a listed name that looks the same", "m\u2060", `[{"id":"m\u2060"}]`, true},
		{"another name, no list", "stranger", "none", true},
		{"the only one listed", "stranger", `[{"id":"stranger"}]`, true},
		{"an alias", "first", `[{"id":"first","root":"/w"},{"id":"m","root":"/w"}]`, false},
		{"no name, and listed", "", `[{"id":"m"}]`, false},
		{"no name, no list", "", "none", false},
		{"no name, another listed", "", `[{"id":"stranger"}]`, true},
	} {
		for what, asked := range requests {
			s := &replier{}
			m := open(t, as(t, s, test.replied, test.models), func(c *backends.OpenAIConfig) { c.Labels = asked.labels })
			a := ask(t, m, asked.r)
			other := a.Failure != nil && a.Failure.Cause == backends.OtherModel
			if other != test.refused {
				t.Errorf("%s, %s: %v", test.name, what, a.Failure)
				continue
			}
			if other && (a.Failure.Temporary() || !strings.Contains(a.Failure.Message, `"m" was asked`) ||
				!strings.Contains(a.Failure.Message, "set served")) {
				t.Errorf("%s, %s: %+v", test.name, what, a.Failure)
			}
			if a.Failure == nil && a.Model != test.replied {
				t.Errorf("%s, %s: answered by %q", test.name, what, a.Model)
			}
		}
		url := as(t, &replier{}, test.replied, test.models)
		m := open(t, url)
		nobody := func(string) bool { return false }
		got := m.Confirm(t.Context(), nobody)
		if len(got) != 1 || got[0].URL != url || (got[0].Err != nil) != test.refused ||
			got[0].Err == nil && got[0].Model != test.replied {
			t.Errorf("%s: confirmed %+v", test.name, got)
		}
		if known := m.Confirm(t.Context(), func(string) bool { return true }); len(known) != 0 {
			t.Errorf("%s: a known URL was asked: %+v", test.name, known)
		}
		e, err := OpenEmbedder(backends.Config{Model: testID, Settings: &backends.OpenAIConfig{
			Access: backends.Access{URLs: []string{url}}}})
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Embed(t.Context(), []string{"text"})
		var f *backends.Failure
		if refused := errors.As(err, &f) && f.Cause == backends.OtherModel; refused != test.refused ||
			!refused && err != nil {
			t.Errorf("%s, embeddings: %v", test.name, err)
		}
		if c := e.Confirm(t.Context(), nobody); (c[0].Err != nil) != test.refused {
			t.Errorf("%s, embeddings: confirmed %+v", test.name, c)
		}
		if _, err := m.Score(t.Context(), []backends.Pair{{Source: "s", Target: "t"}}); (errors.As(err, &f) &&
			f.Cause == backends.OtherModel) != test.refused {
			t.Errorf("%s, scores: %v", test.name, err)
		}
	}
}

// replier says one token to everything, and scores a prompt token by token.
type replier struct{}

func (replier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var q struct {
		Prompt string `json:"prompt"`
		Echo   bool   `json:"echo"`
	}
	_ = json.NewDecoder(r.Body).Decode(&q)
	reply := func(choice map[string]any) {
		choice["index"], choice["finish_reason"] = 0, "length"
		_ = json.NewEncoder(w).Encode(map[string]any{"model": "m", "choices": []any{choice},
			"usage": map[string]int{"prompt_tokens": 2, "completion_tokens": 1}})
	}
	switch r.URL.Path {
	case "/v1/models":
		_, _ = w.Write([]byte(`{"data":[{"id":"m"}]}`))
	case "/v1/embeddings":
		_, _ = w.Write([]byte(`{"model":"m","data":[{"index":0,"embedding":[0.5,0.25]}]}`))
	case "/v1/chat/completions":
		reply(map[string]any{"message": map[string]any{"role": "assistant", "content": "yes"},
			"logprobs": map[string]any{"content": []any{map[string]any{"token": "yes", "logprob": -0.5, "top_logprobs": []any{
				map[string]any{"token": "yes", "logprob": -0.5}, map[string]any{"token": "no", "logprob": -2.5}}}}}})
	case "/v1/completions":
		names, text := []string{}, " yes"
		if q.Echo {
			for i, part := range strings.Split(q.Prompt, " ") {
				if i > 0 {
					part = " " + part
				}
				names = append(names, part)
			}
			text = q.Prompt + text
		}
		names = append(names, " yes")
		lps, tops := make([]float64, len(names)), make([]map[string]float64, len(names))
		for i, n := range names {
			lps[i], tops[i] = -0.5, map[string]float64{n: -0.5, " other": -2.5}
		}
		reply(map[string]any{"text": text,
			"logprobs": map[string]any{"tokens": names, "token_logprobs": lps, "top_logprobs": tops}})
	default:
		http.NotFound(w, r)
	}
}
