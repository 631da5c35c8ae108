package backendtest

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"testing/fstest"

	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// A client is tested against the real server, or the test says that it was not: nothing here downloads or installs one.

// ServerWindow is the sliding window of the quickstart's models, in tokens. Ollama's
// sees one key more, so prompts and answers are compared that stay within it.
const ServerWindow = 64

// ServerFolder copies a Gemma 3 folder, with three changes for servers that only support the published
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
func ServerFolder(t *testing.T, from string) string {
	t.Helper()
	folder := Stored(t, os.DirFS(from), number.BFloat16, safetensors.F32)
	var c map[string]any
	if err := json.Unmarshal(folder["config.json"].Data, &c); err != nil {
		t.Fatal(err)
	}
	c["rope_theta"] = c["rope_local_base_freq"]
	b, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	const tokens = `{"added_tokens":[{"id":0,"content":"<pad>","special":true},{"id":1,"content":"<eos>","special":true},` +
		`{"id":2,"content":"<bos>","special":true},{"id":3,"content":"<unk>","special":true}]}`
	folder["config.json"], folder["tokenizer.json"] = &fstest.MapFile{Data: b}, &fstest.MapFile{Data: []byte(tokens)}
	to := filepath.Join(t.TempDir(), filepath.Base(from))
	if err := os.CopyFS(to, folder); err != nil {
		t.Fatal(err)
	}
	return to
}

// ServerProgram finds a server's program, or skips the test and says what would have
// been tried.
func ServerProgram(t *testing.T, name, how string) string {
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
