package openai

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/local"
)

// A real Ollama, started here on loopback, serves one of the quickstart's
// models; its answers are those of backends/local on the same folder, within
// 1e-2 (its weights are F16), for prompts shorter than the sliding window.
func TestOllama(t *testing.T) {
	binary, err := exec.LookPath("ollama")
	if err != nil {
		t.Skip("no ollama on the PATH: nothing was asked of a real server")
	}
	if testing.Short() {
		t.Skip("-short: no server is started")
	}
	folder, err := filepath.Abs("../../experiments/models/tiny-student")
	if err != nil {
		t.Fatal(err)
	}
	served := open(t, startOllama(t, binary, folder), func(c *backends.OpenAIConfig) { c.Served = "tiny" })
	probe, err := served.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("what it offers:\n%s", probe)
	if probe.Server != "ollama" || !probe.Chat.Offered || probe.Chat.Top < 2 {
		t.Fatalf("the server is no Ollama with log-probabilities")
	}
	here, err := local.Open(backends.Config{Model: backends.ModelID{ID: "tiny", Kind: backends.Local}, Local: &backends.LocalConfig{Path: folder}})
	if err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"a dull film", "a wonderful day", "nothing works here", "she likes the new phone"} {
		class := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "Review: " + text + "\nAnswer:", Labels: []string{" negative", " positive"}}
		said := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "Review: " + text + "\nAnswer:", MaxTokens: 4}
		for _, r := range []backends.Request{class, said} {
			raw := r
			raw.Mode = backends.Raw // the served template is the bare prompt
			want, err := here.Answer(t.Context(), []backends.Request{raw})
			if err != nil {
				t.Fatal(err)
			}
			got := ask(t, served, r)
			if f := backends.Check(r, got); f != nil || want[0].Failure != nil {
				t.Errorf("prompt %d: served %v, here %v", i, f, want[0].Failure)
				continue
			}
			if why := far(got, want[0]); why != "" {
				t.Errorf("prompt %d: %s\nserved %+v\nhere   %+v", i, why, got, want[0])
			}
		}
	}
}

// far says how two answers differ by more than 1e-2 in a probability or a
// token's log-probability.
func far(a, b backends.Answer) string {
	pa, pb := softmax(a.Labels), softmax(b.Labels)
	for i := range pa {
		if math.Abs(pa[i]-pb[i]) > 1e-2 {
			return fmt.Sprintf("label %d has probability %v and %v", i, pa[i], pb[i])
		}
	}
	for i := range min(len(a.Tokens), len(b.Tokens)) {
		x, y := a.Tokens[i], b.Tokens[i]
		if x.End || y.End {
			break // Ollama reports no end token
		}
		if x.Text != y.Text || math.Abs(x.Logprob-y.Logprob) > 1e-2 {
			return fmt.Sprintf("token %d is %q %v and %q %v", i, x.Text, x.Logprob, y.Text, y.Logprob)
		}
	}
	return ""
}

func softmax(ls []backends.LabelScore) []float64 {
	out, sum := make([]float64, len(ls)), 0.0
	for i, l := range ls {
		if l.Seen {
			out[i] = math.Exp(l.Logprob)
			sum += out[i]
		}
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// startOllama serves a model folder as "tiny" until the test ends, with its
// files in the test's own folder, and returns the base URL.
func startOllama(t *testing.T, binary, folder string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	_ = l.Close()
	home := t.TempDir()
	env := append(os.Environ(), "HOME="+home, "OLLAMA_HOST="+address, "OLLAMA_MODELS="+filepath.Join(home, "models"))
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, binary, "serve")
	server.Env = env
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cancel()
		_ = server.Wait()
	})
	up := false
	for deadline := time.Now().Add(time.Minute); !up && time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if resp, err := http.Get("http://" + address + "/api/version"); err == nil {
			_ = resp.Body.Close()
			up = true
		}
	}
	if !up {
		t.Fatal("ollama serve does not answer within a minute")
	}
	modelfile := filepath.Join(home, "Modelfile")
	text := "FROM " + folder + "\nTEMPLATE {{ .Prompt }}\nPARAMETER repeat_penalty 1\nPARAMETER num_ctx 512\n"
	if err := os.WriteFile(modelfile, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	create := exec.CommandContext(t.Context(), binary, "create", "tiny", "-f", modelfile)
	create.Env = env
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("ollama create: %v\n%s", err, out)
	}
	return "http://" + address + "/v1"
}
