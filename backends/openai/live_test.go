package openai

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/local"
	"infnet/harness/dataset/builtin"
)

// Real servers serve the quickstart's models, each where it is on the PATH, and
// their answers are set beside those of backends/local on the same folder. `just
// test-servers` runs these tests.
var livePrompts = flag.Int("live-prompts", 12, "prompts of each built-in dataset that are asked of real servers")

// within is how far log-probabilities of generated tokens and probabilities of
// labels may lie apart: the servers hold weights and caches in 16 bits, and
// their GELU is a table of 16-bit values.
const within = 1e-2

// openLocal opens a copy in this process.
func openLocal(t *testing.T, folder string) *local.Model {
	t.Helper()
	m, err := local.OpenFS(os.DirFS(folder),
		backends.Config{Model: backends.ModelID{ID: "m", Kind: backends.Local}, Settings: &backends.FolderConfig{}})
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
		n := 0
		for _, r := range builtinRequests(t, name, 40**livePrompts, func(g builtin.Source) backends.Request {
			r := backends.Request{Mode: mode}
			for _, l := range g.Labels {
				r.Labels = append(r.Labels, l.Word)
			}
			if len(r.Labels) == 0 {
				r.MaxTokens, r.Stop = g.MaxTokens, []string{"\n"}
			}
			return r
		}) {
			tokens, err := here.CountTokens(r.Prompt)
			if err != nil {
				t.Fatal(err)
			}
			if tokens+r.MaxTokens > backendtest.ServerWindow-2 {
				continue
			}
			out = append(out, r)
			if n++; n == *livePrompts {
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
	refused                int     // answers of which the server left log-probabilities out, and that are none
	ties                   int     // texts that depart where two tokens were as probable
}

func (a *agreement) String() string {
	return fmt.Sprintf("%d prompts: max |Δp| of %d labels %.2g (%d not reported), max |Δ log p| of %d tokens %.2g, %d "+
		"texts of which %d depart at a tie; %d refused",
		a.prompts, a.labels, a.label, a.unseen, a.tokens, a.logprob, a.texts, a.ties, a.refused)
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
				t.Errorf("%q: label %q is bounded by %v, and has %v", r.Prompt, r.Labels[i], bound,
					math.Exp(want.Labels[i].Logprob))
			}
		}
		a.labels++
		a.label = max(a.label, math.Abs(pg[i]-pw[i]))
		if math.Abs(pg[i]-pw[i]) > within {
			t.Errorf("%q: label %q has probability %v served, %v here", r.Prompt, r.Labels[i], pg[i], pw[i])
		}
	}
	if len(r.Labels) > 0 && got.Text != want.Text &&
		math.Abs(slices.Max(pw)-pw[slices.Index(r.Labels, got.Text)]) > within {
		t.Errorf("%q: the answer is %q served, %q here", r.Prompt, got.Text, want.Text)
	}
	for i := range min(len(got.Tokens), len(want.Tokens)) {
		x, y := got.Tokens[i], want.Tokens[i]
		if x.End || y.End {
			break
		}
		if x.Text != y.Text {
			break // the texts say whether that is allowed
		}
		a.tokens++
		a.logprob = max(a.logprob, math.Abs(x.Logprob-y.Logprob))
		if math.Abs(x.Logprob-y.Logprob) > within {
			t.Errorf("%q: token %d %q has log-probability %v served, %v here", r.Prompt, i, x.Text, x.Logprob, y.Logprob)
		}
	}
	if len(r.Labels) == 0 {
		a.texts++
		switch {
		case got.Text == want.Text:
		case tied(got.Text, want):
			a.ties++
		default:
			t.Errorf("%q: the text is %q served, %q here", r.Prompt, got.Text, want.Text)
		}
	}
}

// tied reports whether a text departs from an answer where that answer's two
// best tokens were as close as servers' numbers are: either is right.
func tied(text string, want backends.Answer) bool {
	said := ""
	for _, token := range want.Tokens {
		if said += token.Text; strings.HasPrefix(text, said) && !token.End {
			continue
		}
		return len(token.Top) == 2 && token.Top[0].Logprob-token.Top[1].Logprob <= 2*within
	}
	return false
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
		if len(raw[i].Labels) == 0 {
			raw[i].TopLogprobs = 2 // to see ties
		}
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
		if f := got[i].Failure; f != nil && strings.Contains(f.Message, "a part of the character") &&
			slices.ContainsFunc(want[i].Tokens, func(t backends.Token) bool { return t.Text == "" }) {
			a.refused++ // llama.cpp: tokens within a character
			continue
		}
		if f := backends.Check(r, got[i]); f != nil || want[i].Failure != nil {
			t.Errorf("%q: served %v, here %v", r.Prompt, f, want[i].Failure)
			continue
		}
		if got[i].Usage.Prompt != want[i].Usage.Prompt {
			t.Errorf("%q: %v tokens served, %v here, <bos> included", r.Prompt, got[i].Usage.Prompt, want[i].Usage.Prompt)
		}
		a.set(t, r, got[i], want[i])
	}
	return a
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

// Ollama: over chat, answers, label probabilities and token log-probabilities
// are those of backends/local; over raw completions, which come without
// log-probabilities, the texts are.
func TestOllama(t *testing.T) {
	for _, name := range []string{"tiny-student", "tiny-master"} {
		t.Run(name, func(t *testing.T) {
			folder := backendtest.ServerFolder(t, "../../experiments/models/"+name)
			root := startOllama(t, map[string]string{name: folder})
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

// The llama.cpp server: over chat and over raw completions, answers, label
// probabilities and token log-probabilities are those of backends/local, by
// every label mode that it offers.
func TestLlamaServer(t *testing.T) {
	for _, name := range []string{"tiny-student", "tiny-master"} {
		t.Run(name, func(t *testing.T) {
			folder := backendtest.ServerFolder(t, "../../experiments/models/"+name)
			root := startLlama(t, folder)
			here := openLocal(t, folder)
			served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.TopLogprobs = 4096 })
			probe, err := served.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("what it offers:\n%+v", probe)
			if probe.Server != "llama.cpp" || !probe.Chat.Offered || !probe.Raw.Offered || !probe.Tokenize {
				t.Errorf("what it offers is not what its page says")
			}
			for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
				reqs := liveRequests(t, here, mode)
				a := compare(t, served, here, reqs)
				t.Logf("%s, %s: %s", name, mode, a)
				if a.unseen > 0 {
					t.Errorf("%d labels were not reported, although all %d tokens were asked for", a.unseen, 4096)
				}
				by := open(t, root+"/v1", func(c *backends.OpenAIConfig) {
					c.Labels, c.TopLogprobs = backends.LabelsTopLogprobs, 4096
				})
				a = compare(t, by, here, reqs[:2**livePrompts]) // the classifications
				t.Logf("%s, %s, labels by %s: %s", name, mode, backends.LabelsTopLogprobs, a)
			}
		})
	}
}
