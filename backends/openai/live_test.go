package openai

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/local"
	"infnet/harness/dataset/builtin"
	"infnet/harness/task"
)

// Real servers, each started here on loopback where its program is on the
// PATH, serve the quickstart's models; their answers are set beside those of
// backends/local on the same folder. `just test-servers` runs them.
//
// Three things of the folders are changed for both sides, since the servers know
// Gemma 3 in its published sizes alone:
//
//   - Ollama 0.17 hard-codes that every sixth layer is global; the tiny models
//     have one in three. In prompts shorter than the window, all the difference
//     between the two kinds of layer is the base of their rotary embeddings, so
//     the copies have one base for both.
//   - Ollama finds the number of <bos> in tokenizer.json alone, which the tiny
//     models lack; without it, it prepends token 0.
//   - The weights are BF16. Ollama would serve them so, and round activations to
//     8 bits; F32 weights it serves as F16, with 11 bits.
var livePrompts = flag.Int("live-prompts", 12, "prompts of each built-in dataset that are asked of real servers")

// within is how far log-probabilities of generated tokens and probabilities of
// labels may lie apart: the servers hold weights and caches in 16 bits, and
// their GELU is a table of 16-bit values.
const within = 1e-2

// window is the tiny models' sliding window in tokens.
const window = 64

// liveFolder copies one of the quickstart's models with the three changes.
func liveFolder(t *testing.T, name string) string {
	t.Helper()
	from, to := filepath.Join("../../experiments/models", name), filepath.Join(t.TempDir(), name)
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

// openLocal opens a copy in this process.
func openLocal(t *testing.T, folder string) *local.Model {
	t.Helper()
	m, err := local.Open(backends.Config{Model: backends.ModelID{ID: "m", Kind: backends.Local}, Local: &backends.LocalConfig{Path: folder}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// liveRequests are prompts of the built-in datasets that stay, with their
// answers, within the window.
func liveRequests(t *testing.T, here *local.Model, mode backends.Mode) (out []backends.Request) {
	t.Helper()
	for _, name := range []string{"reviews", "tickets", "lookup", "phrasebook"} {
		g, err := builtin.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		examples, err := g.Examples(builtin.Study, 42, 40**livePrompts)
		if err != nil {
			t.Fatal(err)
		}
		template, err := task.ParseTemplate(g.Prompt)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, e := range examples {
			prompt, err := template.Prompt(e)
			if err != nil {
				t.Fatal(err)
			}
			r := backends.Request{Model: testID, Mode: mode, Prompt: prompt}
			for _, l := range g.Labels {
				r.Labels = append(r.Labels, l.Word)
			}
			if len(r.Labels) == 0 {
				r.MaxTokens, r.Stop = g.MaxTokens, []string{"\n"}
			}
			tokens, err := here.CountTokens(prompt)
			if err != nil {
				t.Fatal(err)
			}
			if tokens+r.MaxTokens > window-2 {
				continue
			}
			if out = append(out, r); len(out) > 0 {
				n++
			}
			if n == *livePrompts {
				break
			}
		}
		if n == 0 {
			t.Fatalf("no prompt of %s is short enough", name)
		}
	}
	return out
}

// agreement is how answers of a server lie beside those of this process.
type agreement struct {
	mu                     sync.Mutex
	prompts, labels, texts int     // compared
	tokens                 int     // compared
	label, logprob         float64 // largest distances: of a label's probability, of a token's log-probability
	unseen                 int     // labels that the server did not report
}

func (a *agreement) String() string {
	return fmt.Sprintf("%d prompts: max |Δp| of %d labels %.2g (%d not reported), max |Δ log p| of %d tokens %.2g",
		a.prompts, a.labels, a.label, a.unseen, a.tokens, a.logprob)
}

// set sets one answer beside the other. An answer may differ only where the
// two most probable ways are as close as the distance allowed.
func (a *agreement) set(t *testing.T, r backends.Request, got, want backends.Answer) {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.prompts++
	pg, pw := softmax(got.Labels), softmax(want.Labels)
	for i := range pg {
		if !got.Labels[i].Seen { // bounded: no less than what it is
			a.unseen++
			if bound := math.Exp(got.Labels[i].Logprob); bound < math.Exp(want.Labels[i].Logprob)*(1-within) {
				t.Errorf("%q: label %q is bounded by %v, and has %v", r.Prompt, r.Labels[i], bound, math.Exp(want.Labels[i].Logprob))
			}
		}
		a.labels++
		a.label = max(a.label, math.Abs(pg[i]-pw[i]))
		if math.Abs(pg[i]-pw[i]) > within {
			t.Errorf("%q: label %q has probability %v served, %v here", r.Prompt, r.Labels[i], pg[i], pw[i])
		}
	}
	if len(r.Labels) > 0 && got.Text != want.Text && math.Abs(slices.Max(pw)-pw[slices.Index(r.Labels, got.Text)]) > within {
		t.Errorf("%q: the answer is %q served, %q here", r.Prompt, got.Text, want.Text)
	}
	for i := range min(len(got.Tokens), len(want.Tokens)) {
		x, y := got.Tokens[i], want.Tokens[i]
		if x.End || y.End {
			break
		}
		if x.Text != y.Text {
			if math.Abs(x.Logprob-y.Logprob) > within { // near ties alone may fall out differently
				t.Errorf("%q: token %d is %q served, %q here", r.Prompt, i, x.Text, y.Text)
			}
			return
		}
		a.tokens++
		a.logprob = max(a.logprob, math.Abs(x.Logprob-y.Logprob))
		if math.Abs(x.Logprob-y.Logprob) > within {
			t.Errorf("%q: token %d %q has log-probability %v served, %v here", r.Prompt, i, x.Text, x.Logprob, y.Logprob)
		}
	}
	if len(r.Labels) == 0 {
		a.texts++
		if got.Text != want.Text {
			t.Errorf("%q: the text is %q served, %q here", r.Prompt, got.Text, want.Text)
		}
	}
}

// softmax is over the labels seen.
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

// compare asks a server and this process the same; here everything is raw, as
// the served template is the bare prompt.
func compare(t *testing.T, served *Model, here *local.Model, reqs []backends.Request) *agreement {
	t.Helper()
	raw := slices.Clone(reqs)
	for i := range raw {
		raw[i].Mode = backends.Raw
	}
	want, err := here.Answer(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	got, err := served.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	a := &agreement{}
	for i, r := range reqs {
		if f := backends.Check(r, got[i]); f != nil || want[i].Failure != nil {
			t.Errorf("%q: served %v, here %v", r.Prompt, f, want[i].Failure)
			continue
		}
		if got[i].Usage.Prompt != want[i].Usage.Prompt {
			t.Errorf("%q: %d tokens served, %d here, <bos> included", r.Prompt, got[i].Usage.Prompt, want[i].Usage.Prompt)
		}
		a.set(t, r, got[i], want[i])
	}
	return a
}

// program finds a server's program, or skips the test and says what would have
// been tried.
func program(t *testing.T, name, how string) string {
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
	log := &bytes.Buffer{}
	server.Stdout, server.Stderr = log, log
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 10 * time.Second
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(2 * time.Minute); time.Now().Before(deadline); time.Sleep(100 * time.Millisecond) {
		if resp, err := http.Get(alive); err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
	}
	_ = server.Process.Kill()
	_ = server.Wait()
	t.Fatalf("the server does not answer at %s within two minutes:\n%s", alive, log)
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

// post asks a route of the server's own.
func post(t *testing.T, url string, body, into any) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(url, "application/json", bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %s", resp.StatusCode, text)
	}
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
}
