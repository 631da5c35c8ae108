// Package servers starts real model servers on loopback for tests, each where its program is on the
// PATH, and prepares the quickstart's models for them. It downloads nothing and installs nothing; a
// test whose server is missing is skipped with a message that names it.
//
// Its opinion: a client is tested against the real server, or the test says that it was not.
package servers

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// Window is the sliding window of the quickstart's models, in tokens. Ollama's
// sees one key more, so prompts and answers are compared that stay within it.
const Window = 64

// Folder copies a Gemma 3 folder, with three changes for servers that only support the published
// sizes. A comparison must use the copy on both sides.
//
//   - Ollama 0.17 and llama.cpp hard-code that every sixth layer is global; the
//     quickstart's models have one in three. Within the window, all the
//     difference between the two kinds of layer is the base of their rotary
//     embeddings, so the copy has one base for both.
//   - Ollama finds the number of <bos> in tokenizer.json alone, which the
//     quickstart's models lack; without it, it prepends token 0.
//   - The weights are BF16. Ollama would serve them so, and round activations to
//     8 bits; F32 weights it serves as F16, with 11 bits.
func Folder(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(to, "config.json")
	b, err := os.ReadFile(config)
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	c["rope_theta"] = c["rope_local_base_freq"]
	if b, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	const tokens = `{"added_tokens":[{"id":0,"content":"<pad>","special":true},{"id":1,"content":"<eos>","special":true},` +
		`{"id":2,"content":"<bos>","special":true},{"id":3,"content":"<unk>","special":true}]}`
	for path, text := range map[string]string{config: string(b), filepath.Join(to, "tokenizer.json"): tokens} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	widen(t, filepath.Join(to, "model.safetensors"))
	return to
}

// Widened copies a folder of BF16 weights in one file, with the weights in F32,
// and with its prompts beginning with <bos>, or whatever it is called, where
// its tokenizer_config.json leaves that to tokenizer.json: Ollama looks for
// add_bos_token alone.
func Widened(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	widen(t, filepath.Join(to, "model.safetensors"))
	path := filepath.Join(to, "tokenizer_config.json")
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var c map[string]any
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatal(err)
	}
	if _, said := c["add_bos_token"]; !said {
		c["add_bos_token"] = true
	}
	if b, err = json.Marshal(c); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return to
}

// widen rewrites a file of BF16 tensors in F32: the same numbers.
func widen(t *testing.T, path string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	n := binary.LittleEndian.Uint64(b)
	header, data := map[string]map[string]any{}, b[8+n:]
	if err := json.Unmarshal(b[8:8+n], &header); err != nil {
		t.Fatal(err)
	}
	for name, tensor := range header {
		if name == "__metadata__" {
			continue
		}
		if tensor["dtype"] != "BF16" {
			t.Fatalf("%s: tensor %s is %v, want BF16", path, name, tensor["dtype"])
		}
		at := tensor["data_offsets"].([]any)
		tensor["dtype"], tensor["data_offsets"] = "F32", []float64{2 * at[0].(float64), 2 * at[1].(float64)}
	}
	head, err := json.Marshal(header)
	if err != nil {
		t.Fatal(err)
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(head)))
	out = append(out, head...)
	for i := 0; i < len(data); i += 2 {
		out = append(out, 0, 0, data[i], data[i+1]) // BF16 is the upper half of F32
	}
	if err := os.WriteFile(path, out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// Ollama serves model folders by name until the test ends, with its files in
// the test's own folder, their prompts as they are, and returns its root URL.
func Ollama(t *testing.T, folders map[string]string) string {
	t.Helper()
	binary := Program(t, "ollama", "https://ollama.com/download, or go install github.com/ollama/ollama@v0.17.4")
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

// Llama serves one model folder by the llama.cpp server until the test ends,
// prompts as they are, and returns its root URL.
func Llama(t *testing.T, folder string) string {
	t.Helper()
	const how = "https://github.com/ggml-org/llama.cpp, whose convert_hf_to_gguf.py must be on the PATH too"
	binary, convert := Program(t, "llama-server", how), Program(t, "convert_hf_to_gguf.py", how)
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

// VLLM serves one model folder by vLLM in float32 until the test ends, under the
// folder's name, prompts as they are, and returns its root URL. It takes
// minutes to start on a CPU.
func VLLM(t *testing.T, folder string) string {
	t.Helper()
	binary := Program(t, "vllm", "pip install vllm; or set INFNET_VLLM to the root URL of one that serves a model of "+
		"the quickstart")
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

// Program finds a server's program, or skips the test and says what would have
// been tried.
func Program(t *testing.T, name, how string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		t.Skipf("no %s on the PATH: nothing was asked of a real server (%s)", name, how)
	}
	if testing.Short() {
		t.Skip("-short: no server is started")
	}
	return path
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
