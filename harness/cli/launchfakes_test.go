//go:build linux

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends/backendtest/fakeengine"
)

// Every engine that has a fake is started, asked in the way that it offers, and stopped, from cold to tables.
func TestLaunchEveryEngine(t *testing.T) {
	labels := map[string]string{"vllm": "token-ids", "sglang": "top-logprobs", "llama-server": "top-logprobs",
		"ollama": "top-logprobs"}
	for _, name := range fakeengine.Names() {
		t.Run(name, func(t *testing.T) {
			launchStudy(t, 20, "", "")
			programs := t.TempDir()
			if err := fakeengine.Install(programs, name); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH"))
			t.Setenv(fakeengine.Settings, "words=_red,_green,_blue,_grey,red,green,blue,grey slow=100ms lags=200ms")
			text, err := os.ReadFile("study.toml")
			if err != nil {
				t.Fatal(err)
			}
			study := strings.ReplaceAll(string(text), `engine = "vllm"`, `engine = "`+name+`"`)
			study = strings.Replace(study, "[[cascades]]\n", "[[cascades]]\ndatasets = [\"colours\"]\n", 1)
			if name == "ollama" { // which gives raw completions no log-probabilities
				study = strings.Replace(study, "backend = \"one\"\n", "backend = \"one\"\nmode = \"chat\"\n", 1)
			}
			if name == "llama-server" { // which gives as many alternatives as asked for, and no label is unseen
				study = strings.ReplaceAll(study, `kind = "openai"`, "kind = \"openai\"\ntop_logprobs = 200")
			}
			if err := os.WriteFile("study.toml", []byte(study), 0o666); err != nil {
				t.Fatal(err)
			}
			infnet(t, ExitOK, "run", "study.toml")
			shown := tables(t)
			for _, want := range []string{"labels asked by " + labels[name], "started as "} {
				if !strings.Contains(shown, want) {
					t.Errorf("no %q in the tables:\n%s", want, shown)
				}
			}
			if strings.Contains(shown, "not confirmed") {
				t.Error("it is not confirmed who answered")
			}
			for _, model := range []string{"student", "master"} {
				log, err := os.ReadFile(filepath.Join("runs/servers/servers", model+".log"))
				if err != nil || len(log) == 0 {
					t.Errorf("no log of %s: %v", model, err)
				}
			}
		})
	}
}
