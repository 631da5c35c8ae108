package openai

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"infnet/backends/backendtest"
)

// startOllama serves model folders by name until the test ends, with its files in
// the test's own folder, their prompts as they are, and returns its root URL.
func startOllama(t *testing.T, folders map[string]string) string {
	t.Helper()
	binary := backendtest.ServerProgram(t, "ollama",
		"https://ollama.com/download, or go install github.com/ollama/ollama@v0.17.4")
	address, home := freeAddress(t), t.TempDir()
	env := []string{"HOME=" + home, "OLLAMA_HOST=" + address, "OLLAMA_MODELS=" + filepath.Join(home, "models")}
	start(t, command(t, env, binary, "serve"), "http://"+address+"/api/version")
	for name, folder := range folders {
		modelfile := filepath.Join(home, name)
		text := "FROM " + folder + "\nTEMPLATE {{ .Prompt }}\nPARAMETER repeat_penalty 1\nPARAMETER num_ctx " +
			"512\nPARAMETER num_thread 1\n"
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

// startLlama serves one model folder by the llama.cpp server until the test ends,
// prompts as they are, and returns its root URL.
func startLlama(t *testing.T, folder string) string {
	t.Helper()
	const how = "https://github.com/ggml-org/llama.cpp, whose convert_hf_to_gguf.py must be on the PATH too"
	binary := backendtest.ServerProgram(t, "llama-server", how)
	convert := backendtest.ServerProgram(t, "convert_hf_to_gguf.py", how)
	file := filepath.Join(t.TempDir(), "model.gguf")
	if out, err := exec.CommandContext(t.Context(), convert, folder, "--outfile", file, "--outtype",
		"f16").CombinedOutput(); err != nil {
		t.Skipf("%s does not work here (it is a Python program with packages of its own): %v\n%s", convert, err, out)
	}
	host, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	root := "http://" + net.JoinHostPort(host, port)
	start(t, command(t, nil, binary, "-m", file, "--host", host, "--port", port, "-c", "2048", "-np", "4", "-t", "1",
		"--jinja", "--chat-template", "{{ messages[0]['content'] }}"), root+"/health")
	return root
}

// startVLLM serves one model folder by vLLM in float32 until the test ends, under the
// folder's name, prompts as they are, and returns its root URL. It takes
// minutes to start on a CPU.
func startVLLM(t *testing.T, folder string) string {
	t.Helper()
	binary := backendtest.ServerProgram(t, "vllm",
		"pip install vllm; or set INFNET_VLLM to the root URL of one that serves "+
			"a model of the quickstart")
	template := filepath.Join(t.TempDir(), "bare.jinja")
	if err := os.WriteFile(template, []byte("{{ bos_token }}{{ messages[0]['content'] }}"), 0o600); err != nil {
		t.Fatal(err)
	}
	host, port, err := net.SplitHostPort(freeAddress(t))
	if err != nil {
		t.Fatal(err)
	}
	root := "http://" + net.JoinHostPort(host, port)
	env := []string{"VLLM_CPU_KVCACHE_SPACE=1", "VLLM_NO_USAGE_STATS=1", "DO_NOT_TRACK=1", "HF_HUB_OFFLINE=1"}
	startWithin(t, 10*time.Minute,
		command(t, env, binary, "serve", folder, "--served-model-name", filepath.Base(folder), "--host", host, "--port", port,
			"--dtype", "float32", "--generation-config", "vllm", "--max-logprobs", "20", "--seed", "0", "--enforce-eager",
			"--chat-template", template), root+"/health")
	return root
}

// freeAddress is a loopback address that nobody listens on.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start runs a server until the test ends, and waits until it answers.
func start(t *testing.T, server *exec.Cmd, alive string) {
	t.Helper()
	startWithin(t, 2*time.Minute, server, alive)
}

func startWithin(t *testing.T, limit time.Duration, server *exec.Cmd, alive string) {
	t.Helper()
	log := &bytes.Buffer{}
	server.Stdout, server.Stderr = log, log
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if resp, err := http.Get(alive); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	t.Fatalf("the server does not answer at %s within %v:\n%s", alive, limit, log)
}

// command makes a server's command, which ends with the test.
func command(t *testing.T, env []string, name string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, name, args...)
	c.Env = append(os.Environ(), env...)
	t.Cleanup(func() {
		cancel()
		if c.Process != nil {
			_ = c.Wait()
		}
	})
	return c
}
