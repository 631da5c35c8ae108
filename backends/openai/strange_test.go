package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"infnet/backends"
)

// The body holds what langchaingo leaves out, nothing twice, and Extra has the
// last word.
func TestBody(t *testing.T) {
	s, url := serve(t, flavours["vllm"])
	chat := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 3, Stop: []string{"zzz"},
		TopLogprobs: 2}
	raw := chat
	raw.Mode = backends.Raw
	drawn := chat
	drawn.Sampling, drawn.Seed, drawn.TopLogprobs = backends.Sampling{Temperature: 0.7}, 3, 0
	class := drawn
	class.Labels, class.MaxTokens, class.Stop = three, 0, nil
	for _, test := range []struct {
		name   string
		req    backends.Request
		change func(*backends.OpenAIConfig)
		want   string
	}{
		{"chat", chat, func(*backends.OpenAIConfig) {},
			`{"logprobs":true,"max_tokens":3,"messages":[{"content":"p","role":"user"}],"model":"m","seed":0,"stop":["zzz"],"temperature":0,"top_logprobs":2,"top_p":1}`},
		{"raw", raw, func(*backends.OpenAIConfig) {},
			`{"logprobs":2,"max_tokens":3,"model":"m","prompt":"p","seed":0,"stop":["zzz"],"temperature":0,"top_p":1}`},
		{"newer limit, extras", chat, func(c *backends.OpenAIConfig) {
			c.MaxTokensField, c.Served = "max_completion_tokens", "org/other"
			c.Extra = map[string]any{"temperature": nil, "top_p": nil, "reasoning_effort": "low"}
		}, `{"logprobs":true,"max_completion_tokens":3,"messages":[{"content":"p","role":"user"}],"model":"org/other","reasoning_effort":"low","seed":0,"stop":["zzz"],"top_logprobs":2}`},
		{"a sample, of whose probabilities nothing is asked", drawn, func(*backends.OpenAIConfig) {},
			`{"max_tokens":3,"messages":[{"content":"p","role":"user"}],"model":"m","seed":3,"stop":["zzz"],"temperature":0.7,"top_p":1}`},
		{"a sampled classification, asked by text", class, func(*backends.OpenAIConfig) {},
			`{"max_tokens":9,"messages":[{"content":"p","role":"user"}],"model":"m","seed":3,"temperature":0.7,"top_p":1}`},
	} {
		m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs; test.change(c) })
		_ = ask(t, m, test.req)
		got, err := json.Marshal(s.Last())
		if err != nil || string(got) != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// No secret is in an error, a failure, or anything printed, even where the
// server repeats it.
func TestSecrets(t *testing.T) {
	const key, header = "sk-very-secret-123", "tenant-secret-456"
	t.Setenv("OPENAI_API_KEY", "sk-of-somebody-else")
	t.Setenv("OPENAI_ORGANIZATION", "org-of-somebody-else")
	t.Setenv("INFNET_TEST_KEY", key)
	var got http.Header
	url := static(t, func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		says(401, `{"error":{"message":"Incorrect API key: `+key+` of `+r.Header.Get("X-Tenant")+`"}}`)(w, r)
	})
	settings := &backends.OpenAIConfig{Access: backends.Access{URLs: []string{url}, APIKeyEnv: "INFNET_TEST_KEY",
		Headers: map[string]backends.Secret{"X-Tenant": header}},
		OpenAIOptions: backends.OpenAIOptions{Labels: backends.LabelsTopLogprobs}}
	cfg := backends.Config{Model: testID, Settings: settings}
	m, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	settings.APIKey = key
	_, probing := m.Probe(t.Context())
	var out strings.Builder
	fmt.Fprintln(&out, probing)
	for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
		a := ask(t, m, backends.Request{Model: testID, Mode: mode, Prompt: "p", MaxTokens: 1})
		if got.Get("Authorization") != "Bearer "+key || got.Get("X-Tenant") != header ||
			got.Get("OpenAI-Organization") != "" {
			t.Errorf("%s: headers %v", mode, got)
		}
		if a.Failure == nil || a.Failure.Cause != backends.Unauthorized || !strings.Contains(a.Failure.Message, "[secret]") {
			t.Errorf("%s: failure %v", mode, a.Failure)
		}
		fmt.Fprintf(&out, "%v %+v %#v\n", a.Failure, a, *a.Failure)
	}
	b, err := json.Marshal(cfg)
	fmt.Fprintf(&out, "%s %v %+v %+v %#v %v %x %d\n", b, err, m, *settings, settings.APIKey, settings.APIKey,
		settings.APIKey, settings.APIKey)
	for _, u := range []string{"http://me:hunter2@host/v1", "http://host/v1?key=hunter2", "http://host:x/hunter2",
		"ftp://host/hunter2", "http://host/v1/chat/completions"} {
		_, err := Open(backends.Config{Model: testID, Settings: &backends.OpenAIConfig{
			Access: backends.Access{URLs: []string{u}}}})
		if err == nil {
			t.Errorf("%s was accepted", u)
		}
		fmt.Fprintln(&out, err)
	}
	t.Setenv("INFNET_TEST_KEY", "")
	settings.APIKey = ""
	if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), "INFNET_TEST_KEY") {
		t.Errorf("without its key: %v, want an error naming the variable", err)
	}
	for _, secret := range []string{key, header, "hunter2", "somebody", fmt.Sprintf("%x", key)} {
		if strings.Contains(out.String(), secret) {
			t.Errorf("%q was written:\n%s", secret, out.String())
		}
	}
	var f *backends.Failure
	if !errors.As(probing, &f) || f.Cause != backends.Unauthorized {
		t.Errorf("probing: %v, want unauthorized", probing)
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, c := range map[string]backends.OpenAIConfig{
		"label mode":   {OpenAIOptions: backends.OpenAIOptions{Labels: "guess"}},
		"concurrency":  {Access: backends.Access{Concurrency: -1}},
		"top_logprobs": {OpenAIOptions: backends.OpenAIOptions{TopLogprobs: -1}},
		"timeout":      {Access: backends.Access{Timeout: -1}},
		"no_logprobs":  {OpenAIOptions: backends.OpenAIOptions{NoLogprobs: true, Labels: backends.LabelsTokenIDs}},
		"line break":   {Access: backends.Access{APIKey: "a\nb"}},
	} {
		c.URLs = []string{"http://host/v1"}
		if _, err := Open(backends.Config{Model: testID, Settings: &c}); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, want an error naming it", name, err)
		}
	}
}

// A token within a character: the llama.cpp server leaves its log-probability
// out and gives the whole character to the token that ends it (seen live: id
// 140 is the byte 0x84 of the tiny models' vocabulary, and "Ä" is 0xC3 0x84).
// The answer would lack a factor of its confidence, so it is none.
func TestPartsOfCharacters(t *testing.T) {
	for _, test := range []struct {
		name, content, pieces string
		fails                 bool
	}{
		{"left out", `{"id":140,"token":"Ä","bytes":[195,132],"logprob":-0.047}`,
			`{"id":203,"piece":[195]},{"id":140,"piece":[132]}`, true},
		{"left out, and its bytes among the alternatives",
			`{"id":140,"token":"Ä","bytes":[195,132],"logprob":-0.047,"top_logprobs":[{"id":140,"token":"\ufffd","bytes":[132],"logprob":-0.047}]}`,
			`{"id":203,"piece":[195]},{"id":140,"piece":[132]}`, true},
		{"a character of its own", `{"id":140,"token":"Ä","bytes":[195,132],"logprob":-0.047}`,
			`{"id":140,"piece":"Ä"}`, false},
		{"both told", `{"id":203,"token":"","bytes":[195],"logprob":-0.08},{"id":140,"token":"","bytes":[132],"logprob":-0.047}`, `{"id":203,"piece":[195]},{"id":140,"piece":[132]}`, false},
		{"no numbers", `{"token":"Ä","bytes":[195,132],"logprob":-0.047}`, ``, false},
	} {
		url := newServer(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/tokenize" {
				says(200, `{"tokens":[`+test.pieces+`]}`)(w, r)
				return
			}
			says(200, `{"choices":[{"index":0,"text":"Ä","finish_reason":"length","logprobs":{"content":[`+test.content+`]}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`)(w, r)
		}) + "/v1"
		m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		r := backends.Request{Model: testID, Mode: backends.Raw, Prompt: "p", MaxTokens: 2}
		a := ask(t, m, r)
		if fails := a.Failure != nil && !a.Failure.Temporary() && strings.Contains(a.Failure.Message,
			"a part of the character"); fails != test.fails || !test.fails && backends.Check(r, a) != nil {
			t.Errorf("%s: %+v, %v", test.name, a, a.Failure)
		}
	}
}

// A prompt that fills the context was cut: servers other than Ollama refuse it,
// and Ollama says so in its log alone (seen live: 607 tokens became 512 of 512).
func TestCutPrompts(t *testing.T) {
	cut := 0
	url := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			says(200, `{"data":[{"id":"m:latest","owned_by":"library"}]}`)(w, r)
		case "/api/version":
			says(200, `{"version":"0.17.4"}`)(w, r)
		case "/api/ps":
			says(200, `{"models":[{"name":"m:latest","context_length":512}]}`)(w, r)
		case "/v1/chat/completions":
			says(200, strings.Replace(chatty("-0.5", `{"token":" a","logprob":-0.5},{"token":" b","logprob":-1}`),
				`"prompt_tokens":3`, fmt.Sprintf(`"prompt_tokens":%d`, 511+cut), 1))(w, r)
		default:
			http.NotFound(w, r)
		}
	}) + "/v1"
	m := open(t, url)
	r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " b"}}
	if a := ask(t, m, r); a.Failure != nil {
		t.Errorf("511 of 512 tokens: %v", a.Failure)
	}
	cut = 1
	if f := ask(t, m, r).Failure; f == nil || f.Cause != backends.TooLong || f.Temporary() ||
		!strings.Contains(f.Message, "num_ctx") {
		t.Errorf("512 of 512 tokens: %+v, want it refused, and num_ctx named", f)
	}
	if p, err := m.Probe(t.Context()); err != nil || p.Context != 512 {
		t.Errorf("context %d, %v", p.Context, err)
	}
}

// How servers say that an answer is over: TGI's words count as stop, and what
// SGLang or vLLM gave up on the way is no answer.
func TestFinishReasons(t *testing.T) {
	for _, test := range []struct {
		reason string
		end    bool // the token that adds nothing to the text is an end token
		cause  backends.Cause
	}{
		{"stop", true, ""}, {"eos_token", true, ""}, {"length", false, ""},
		{"abort", false, backends.ServerError}, {"error", false, backends.ServerError},
	} {
		body := `{"choices":[{"index":0,"message":{"content":" a"},"finish_reason":"` + test.reason +
			`","logprobs":{"content":[` +
			`{"token":" a","logprob":-0.5},{"token":"<eos>","logprob":-0.25}]}}],"usage":{"prompt_tokens":3,"completion_tokens":2}}`
		m := open(t, static(t, says(200, body)), func(c *backends.OpenAIConfig) { c.Labels = backends.LabelsTopLogprobs })
		a := ask(t, m, backends.Request{Model: testID, Mode: backends.Chat, Prompt: "p", MaxTokens: 2})
		switch {
		case test.cause != "":
			if a.Failure == nil || a.Failure.Cause != test.cause {
				t.Errorf("%s: %+v, want %s", test.reason, a, test.cause)
			}
		case a.Failure != nil || len(a.Tokens) != 2 || a.Tokens[1].End != test.end:
			t.Errorf("%s: %+v (%v), want an end token: %v", test.reason, a.Tokens, a.Failure, test.end)
		}
	}
}
