// Package servers prepares the quickstart's models for real model servers in tests, and finds the servers' programs. It
// downloads nothing and installs nothing; a test whose server is missing is skipped with a message that names it.
//
// Its opinion: a client is tested against the real server, or the test says that it was not.
package servers

import (
	"encoding/binary"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
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
