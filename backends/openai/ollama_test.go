package openai

import (
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest/servers"
)

// Ollama: over chat, answers, label probabilities and token log-probabilities
// are those of backends/local; over raw completions, which come without
// log-probabilities, the texts are.
func TestOllama(t *testing.T) {
	for _, name := range []string{"tiny-student", "tiny-master"} {
		t.Run(name, func(t *testing.T) {
			folder := servers.Folder(t, "../../experiments/models/"+name)
			root := servers.Ollama(t, map[string]string{name: folder})
			here := openLocal(t, folder)
			served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.Served = name })
			probe, err := served.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("what it offers:\n%+v", probe)
			if probe.Server != "ollama" || !probe.Chat.Offered || probe.Chat.Top < 20 ||
				probe.mode(backends.Chat) != backends.LabelsTopLogprobs {
				t.Fatalf("the server is no Ollama with 20 log-probabilities: %+v", probe)
			}
			if probe.Raw.Offered || !probe.Raw.Answers {
				t.Errorf("raw completions: %+v, want answers without log-probabilities; if that is new, the page of Ollama "+
					"is wrong", probe.Raw)
			}
			if probe.Context != 512 {
				t.Errorf("its context is said to be %d tokens, want the 512 of num_ctx", probe.Context)
			}
			var shown struct {
				Info map[string]any `json:"model_info"`
			}
			post(t, root+"/api/show", map[string]any{"model": name}, &shown)
			if id := shown.Info["tokenizer.ggml.bos_token_id"]; id != 2.0 {
				t.Errorf("the token prepended to prompts is %v, want 2, <bos>", id)
			}
			a := compare(t, served, here, liveRequests(t, here, backends.Chat))
			t.Logf("%s over chat: %s", name, a)

			var texts []backends.Request
			for _, r := range liveRequests(t, here, backends.Raw) {
				if len(r.Labels) == 0 {
					texts = append(texts, r)
				}
			}
			a = compare(t, served, here, texts)
			t.Logf("%s over raw completions: %s", name, a)
			if a.texts < *livePrompts {
				t.Errorf("only %d texts were compared", a.texts)
			}
		})
	}
}
