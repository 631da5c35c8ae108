package openai

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"infnet/backends"
)

// Ollama: over chat, answers, label probabilities and token log-probabilities
// are those of backends/local; over raw completions, which come without
// log-probabilities, the texts are.
func TestOllama(t *testing.T) {
	binary := program(t, "ollama", "https://ollama.com/download, or go install github.com/ollama/ollama@v0.17.4")
	for _, name := range []string{"tiny-student", "tiny-master"} {
		t.Run(name, func(t *testing.T) {
			folder := liveFolder(t, name)
			root := startOllama(t, binary, map[string]string{name: folder})
			here := openLocal(t, folder)
			served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.Served = name })
			probe, err := served.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("what it offers:\n%s", probe)
			if probe.Server != "ollama" || !probe.Chat.Offered || probe.Chat.Top < 20 || probe.ChatLabels != backends.LabelsTopLogprobs {
				t.Fatalf("the server is no Ollama with 20 log-probabilities: %+v", probe)
			}
			if probe.Raw.Offered || !probe.Raw.Answers {
				t.Errorf("raw completions: %+v, want answers without log-probabilities; if that is new, the page of Ollama is wrong", probe.Raw)
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
			t.Logf("%s over raw completions: %d texts are equal", name, a.texts)
			if a.texts < *livePrompts {
				t.Errorf("only %d texts were compared", a.texts)
			}
		})
	}
}

// startOllama serves model folders by name until the test ends, with its files
// in the test's own folder, and returns its root URL.
func startOllama(t *testing.T, binary string, folders map[string]string) string {
	t.Helper()
	address, home := freeAddress(t), t.TempDir()
	env := []string{"HOME=" + home, "OLLAMA_HOST=" + address, "OLLAMA_MODELS=" + filepath.Join(home, "models")}
	start(t, command(t, env, binary, "serve"), "http://"+address+"/api/version")
	for name, folder := range folders {
		modelfile := filepath.Join(home, name)
		text := "FROM " + folder + "\nTEMPLATE {{ .Prompt }}\nPARAMETER repeat_penalty 1\nPARAMETER num_ctx 512\nPARAMETER num_thread 1\n"
		if err := os.WriteFile(modelfile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		create := exec.CommandContext(t.Context(), binary, "create", name, "-f", modelfile)
		create.Env = append(os.Environ(), env...)
		if out, err := create.CombinedOutput(); err != nil {
			t.Fatalf("ollama create: %v\n%s", err, out)
		}
	}
	return "http://" + address
}
