package openai

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/local"
	"infnet/harness/dataset"
	"infnet/harness/dataset/builtin"
	"infnet/harness/task"
)

// vllm is a real vLLM: the one that INFNET_VLLM names (its root, as in http://127.0.0.1:8000), serving one of the
// quickstart's models under the name of its folder.
func vllm(t *testing.T) (root, name string) {
	t.Helper()
	if root = os.Getenv("INFNET_VLLM"); root == "" {
		t.Skip("set INFNET_VLLM to the root URL of a vLLM that serves one of the quickstart's models")
	}
	reply, err := http.Get(root + "/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	var list struct{ Data []struct{ ID string } }
	if err := json.NewDecoder(reply.Body).Decode(&list); err != nil || len(list.Data) != 1 {
		t.Fatalf("INFNET_VLLM=%s serves %d models, want one of the quickstart's: %v", root, len(list.Data), err)
	}
	return root, list.Data[0].ID
}

// classifications are n records of each of two built-in classifications. Those
// that do not suit have the labels of the other, of which many are improbable.
func classifications(t *testing.T, n int, mode backends.Mode, suit bool) (out []backends.Request) {
	t.Helper()
	words := map[string][]string{}
	for _, name := range []string{"reviews", "tickets"} {
		g, err := builtin.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range g.Labels {
			words[name] = append(words[name], l.Word)
		}
	}
	if !suit {
		words["reviews"], words["tickets"] = words["tickets"], words["reviews"]
	}
	for _, name := range []string{"reviews", "tickets"} {
		out = append(out, builtinRequests(t, name, n, func(builtin.Source) backends.Request {
			return backends.Request{Mode: mode, Labels: words[name]}
		})...)
	}
	return out
}

// builtinRequests are n records of a built-in task as requests of testID, which
// form is the rest of.
func builtinRequests(t *testing.T, name string, n int,
	form func(builtin.Source) backends.Request) (out []backends.Request) {
	t.Helper()
	g, err := builtin.Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	examples, err := g.Examples(builtin.Study, 42, n)
	if err != nil {
		t.Fatal(err)
	}
	template, err := task.ParseTemplate(g.Prompt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range examples {
		r := form(g)
		r.Model = testID
		if r.Prompt, err = template.Prompt(&dataset.Set{Examples: examples}, i); err != nil {
			t.Fatal(err)
		}
		out = append(out, r)
	}
	return out
}

// A real vLLM by every label mode, in raw and in chat, beside backends/local on
// the same weights: 200 records each. In float32 both compute the same, so
// probabilities are held to 1e-4.
func TestVLLM(t *testing.T) {
	root, name := vllm(t)
	here := openLocal(t, "../../experiments/models/"+name)
	for _, mode := range []backends.Mode{backends.Raw, backends.Chat} {
		for _, suit := range []bool{true, false} {
			reqs := classifications(t, 100, mode, suit)
			want := answersOf(t, here, reqs)
			for _, labels := range []backends.LabelMode{backends.LabelsAuto, backends.LabelsTokenIDs,
				backends.LabelsTopLogprobs} {
				served := open(t, root+"/v1", func(c *backends.OpenAIConfig) {
					c.Served, c.Labels, c.Concurrency = name,
						labels, 8
				})
				got, err := served.Answer(t.Context(), reqs)
				if err != nil {
					t.Fatal(err)
				}
				v := besideHere(reqs, got, want)
				what := fmt.Sprintf("%s by %s, labels that suit: %v", mode, labels, suit)
				t.Logf("%s: %s", what, v)
				if v.usage > 0 || v.bounds > 0 || suit && v.failed > 0 {
					t.Errorf("%s: %d failed (%s), %d with another count of tokens, %d with a bound that does not hold", what, v.failed,
						v.why, v.usage, v.bounds)
				}
				complete := labels != backends.LabelsTopLogprobs
				if !suit && strings.HasPrefix(v.why, string(backends.NoLabel)) {
					v.failed = 0 // by its own token, the model says none of the labels: refused, as it should be
				}
				if complete && v.failed+v.unseen > 0 || v.far > 1e-4 && (complete || suit) {
					t.Errorf("%s: %d failed (%s), %d records with labels not reported, probabilities off by up to %.2g", what,
						v.failed, v.why, v.unseen, v.far)
				}
			}
		}
	}
	served := open(t, root+"/v1", func(c *backends.OpenAIConfig) { c.Served = name })
	p, err := served.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\nwhat it offers:\n%+v", p)
	if p.Server != "vllm" || p.mode(backends.Raw) != backends.LabelsTokenIDs ||
		p.mode(backends.Chat) != backends.LabelsTokenIDs || p.Raw.Top != 20 || p.Chat.Top != 20 {
		t.Error("what it offers is not what its page says")
	}
}

// answersOf asks this process; its prompts are raw, as the served template is
// the bare prompt. In a chat a label counts with and without its blank.
func answersOf(t *testing.T, here *local.Model, reqs []backends.Request) []backends.Answer {
	t.Helper()
	raw := make([]backends.Request, len(reqs))
	for i, r := range reqs {
		if r.Mode == backends.Chat {
			for _, l := range reqs[i].Labels {
				r.Labels = append(slices.Clip(r.Labels), strings.TrimSpace(l))
			}
		}
		r.Mode = backends.Raw
		raw[i] = r
	}
	out, err := here.Answer(t.Context(), raw)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range reqs {
		a := &out[i]
		if a.Failure != nil {
			t.Fatalf("%q: %v", r.Prompt, a.Failure)
		}
		if n := len(r.Labels); len(a.Labels) > n {
			for k := range n {
				a.Labels[k].Logprob = logAdd(a.Labels[k].Logprob, a.Labels[n+k].Logprob)
			}
			a.Labels = a.Labels[:n]
			best := slices.MaxFunc(a.Labels, func(x, y backends.LabelScore) int { return cmp.Compare(x.Logprob, y.Logprob) })
			a.Text = r.Labels[slices.Index(a.Labels, best)]
		}
	}
	return out
}

// gap is how served classifications lie beside those of this process.
type gap struct {
	records, failed, unseen int
	why                     string  // of one that failed
	far                     float64 // largest distance of a label's probability
	classes                 int     // records of another class
	usage                   int     // records with another count of prompt tokens
	bounds                  int     // labels not reported whose bound is below what they have
}

func (b gap) String() string {
	return fmt.Sprintf("%d records: %d failed, %d with labels not reported, max |Δp| %.2g, %d of another class, %d of "+
		"another length", b.records, b.failed, b.unseen, b.far, b.classes, b.usage)
}

func besideHere(reqs []backends.Request, got, want []backends.Answer) (b gap) {
	for i, r := range reqs {
		b.records++
		if f := backends.Check(r, got[i]); f != nil {
			b.failed, b.why = b.failed+1, f.Error()
			continue
		}
		pg, pw, lost := softmax(got[i].Labels), softmax(want[i].Labels), false
		for k, l := range got[i].Labels {
			b.far = max(b.far, math.Abs(pg[k]-pw[k]))
			if !l.Seen {
				lost = true
				best := 0
				for j := range pw {
					if pw[j] > pw[best] {
						best = j
					}
				}
				// A bound holds relative to a label that was seen.
				if got[i].Labels[best].Seen &&
					l.Logprob-got[i].Labels[best].Logprob < want[i].Labels[k].Logprob-want[i].Labels[best].Logprob-1e-3 {
					b.bounds++
				}
			}
		}
		if lost {
			b.unseen++
		}
		if strings.TrimSpace(got[i].Text) != strings.TrimSpace(want[i].Text) {
			b.classes++
		}
		if got[i].Usage.Prompt != want[i].Usage.Prompt {
			b.usage++
		}
	}
	return b
}
