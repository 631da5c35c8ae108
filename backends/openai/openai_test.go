package openai

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
)

var three = []string{" positive", " negative", " neutral"}

func TestConformance(t *testing.T) {
	for name, f := range flavours {
		if f.ChatTop < 0 {
			continue // gives no log-probabilities; TestWithoutLogprobs
		}
		t.Run(name, func(t *testing.T) {
			var reqs []backends.Request
			for i := range 4 {
				p := fmt.Sprintf("text %d:", i)
				reqs = append(reqs,
					backends.Request{Model: testID, Mode: backends.Chat, Prompt: p, Labels: three},
					backends.Request{Model: testID, Mode: backends.Chat, Prompt: p, MaxTokens: 5, TopLogprobs: 2},
					backends.Request{Model: testID, Mode: backends.Chat, Prompt: p, MaxTokens: 9, Stop: []string{" the", " cat"}})
				if f.RawTop > 0 {
					reqs = append(reqs,
						backends.Request{Model: testID, Mode: backends.Raw, Prompt: p, Labels: three},
						backends.Request{Model: testID, Mode: backends.Raw, Prompt: p, MaxTokens: 5, TopLogprobs: 3})
				}
			}
			_, url := serve(t, f)
			backendtest.Run(t, func(t *testing.T) backends.Model { return open(t, url) }, backendtest.Options{
				Requests: reqs, Takes: []backends.Part{backends.SystemPart, backends.ExamplesPart, backends.SamplingPart},
				Bad: []backends.Request{
					{Model: testID, Mode: backends.Chat, MaxTokens: 3},
					{Model: testID, Mode: backends.Chat, Prompt: "p"},
					{Model: testID, Mode: "telepathy", Prompt: "p", MaxTokens: 3},
					{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", "a"}},
					{Model: testID, Mode: backends.Chat, Prompt: "p", Labels: []string{" a", " "}},
				},
			})
		})
	}
}

// The capabilities each flavour has, by its definition in fake_test.go.
func TestProbe(t *testing.T) {
	for _, test := range []struct {
		flavour   string
		want      Probe
		chat, raw backends.LabelMode
	}{
		{"vllm", Probe{Server: "vllm", Version: "1.2.3", Context: 4096, Chat: Offer{true, true, 20},
			Raw: Offer{true, true, 20}, Tokenize: true,
			TokenIDs: true}, backends.LabelsTokenIDs, backends.LabelsTokenIDs},
		{"llama.cpp", Probe{Server: "llama.cpp", Version: "b1", Context: 2048, Chat: Offer{true, true, 20},
			Raw: Offer{true, true, 20}, Tokenize: true}, backends.LabelsTopLogprobs, backends.LabelsTopLogprobs},
		{"tgi", Probe{Server: "tgi", Version: "3.3.4", Context: 4096, Chat: Offer{true, true, 5}, Raw: Offer{Answers: true},
			Tokenize: true}, backends.LabelsTopLogprobs, backends.LabelsText},
		{"ollama", Probe{Server: "ollama", Version: "1.2.3", Context: 4096, Chat: Offer{true, true, 20},
			Raw: Offer{Answers: true}}, backends.LabelsTopLogprobs, backends.LabelsText},
		{"openai", Probe{Server: "openai", Context: 4096, Chat: Offer{true, true, 20}}, backends.LabelsTopLogprobs,
			backends.LabelsText},
		{"hosted", Probe{Context: 4096, Chat: Offer{Answers: true}}, backends.LabelsText, backends.LabelsText},
	} {
		t.Run(test.flavour, func(t *testing.T) {
			s, url := serve(t, flavours[test.flavour])
			m := open(t, url)
			got, err := m.Probe(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			calls := s.Calls()
			notes := got.Notes
			got.Notes, test.want.Models = nil, []string{"m"}
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", test.want) || got.mode(backends.Chat) != test.chat ||
				got.mode(backends.Raw) != test.raw {
				t.Errorf("probe\n%v\nwant\n%v\nnotes %q", got, test.want, notes)
			}
			if again, err := m.Probe(t.Context()); err != nil || again.Fingerprint() != got.Fingerprint() || calls > 25 {
				t.Errorf("the second probe: %v; the first took %d calls, want at most 25", err, calls)
			}
		})
	}
}

// Every way to classify gives the softmax over the labels' first tokens of the
// fake model's own distribution; a label that cannot be had is bounded.
func TestClassify(t *testing.T) {
	type mode = backends.LabelMode
	for _, test := range []struct {
		flavour string
		labels  mode
		mode    backends.Mode
		k       int
	}{
		{"vllm", backends.LabelsTokenIDs, backends.Raw, 20},
		{"vllm", backends.LabelsTokenIDs, backends.Chat, 20},
		{"vllm", backends.LabelsTopLogprobs, backends.Raw, 20},
		{"vllm", backends.LabelsAuto, backends.Chat, 20},
		{"llama.cpp", backends.LabelsTopLogprobs, backends.Chat, 15},
		{"llama.cpp", backends.LabelsAuto, backends.Raw, 30},
		{"tgi", backends.LabelsAuto, backends.Chat, 5},
		{"ollama", backends.LabelsAuto, backends.Chat, 20},
		{"openai", backends.LabelsAuto, backends.Chat, 10},
	} {
		t.Run(fmt.Sprint(test.flavour, " ", test.labels, " ", test.mode), func(t *testing.T) {
			_, url := serve(t, flavours[test.flavour])
			m := open(t, url, func(c *backends.OpenAIConfig) { c.Labels, c.TopLogprobs = test.labels, test.k })
			full := 0
			everything := test.labels != backends.LabelsTopLogprobs && strings.HasPrefix(test.flavour, "vllm") || test.k == 30
			for i := range 30 {
				r := backends.Request{Model: testID, Mode: test.mode, Prompt: fmt.Sprintf("q%d:", i), Labels: three}
				a := ask(t, m, r)
				if a.Failure != nil {
					if test.k < 30 && !everything && strings.Contains(a.Failure.Message, "none of the 3 labels") {
						continue
					}
					t.Fatal(a.Failure)
				}
				lp := labelTruth(r)
				on := 0.0
				for _, l := range lp {
					on += math.Exp(l)
				}
				if mass, ok := a.Mass(); !ok || mass.Low > on+1e-6 || mass.High < on-1e-6 ||
					everything && mass.High-mass.Low > 1e-9 {
					t.Errorf("%q: the mass on the labels is %v, known %v; the model has %v", r.Prompt, mass, ok, on)
				}
				seen, shift := 0, math.NaN()
				for j, l := range a.Labels {
					if l.Seen && math.IsNaN(shift) {
						shift = l.Logprob - lp[j]
					}
				}
				for j, l := range a.Labels {
					switch {
					case l.Seen && test.mode == backends.Raw && math.Abs(l.Logprob-lp[j]-shift) > 1e-5:
						t.Errorf("%q label %q: %v, want %v", r.Prompt, r.Labels[j], l.Logprob, lp[j]+shift)
					case l.Seen:
						seen++
					case l.Logprob < lp[j]-1e-6:
						t.Errorf("%q label %q is bounded by %v but has %v", r.Prompt, r.Labels[j], l.Logprob, lp[j])
					}
				}
				if seen == len(three) {
					full++
				}
			}
			if everything && full != 30 {
				t.Errorf("%d of 30 answers see all labels, want all", full)
			}
			if full == 0 && test.k > 5 { // of 5 alternatives hardly all six forms
				t.Error("no answer saw all labels")
			}
		})
	}
}

// labelTruth is the fake model's log-probability of each label, both forms
// added up in a chat.
func labelTruth(r backends.Request) (lps []float64) {
	text := r.Prompt
	if r.Mode == backends.Chat {
		text = "<u>" + r.Prompt + "<m>"
	}
	all := truth(text)
	for _, l := range r.Labels {
		p := 0.0
		for i := range vocabulary {
			if word(i) == l || " "+word(i) == l {
				p += math.Exp(all[i])
			}
		}
		lps = append(lps, math.Log(p))
	}
	return lps
}

func TestGenerate(t *testing.T) {
	for _, name := range []string{"vllm", "tgi", "llama.cpp", "ollama"} {
		for _, mode := range []backends.Mode{backends.Chat, backends.Raw} {
			if mode == backends.Raw && flavours[name].RawTop < 0 {
				continue
			}
			t.Run(name+" "+string(mode), func(t *testing.T) {
				_, url := serve(t, flavours[name])
				m := open(t, url)
				ended := 0
				for i := range 40 {
					r := backends.Request{Model: testID, Mode: mode, Prompt: fmt.Sprintf("g%d:", i), MaxTokens: 12}
					a := ask(t, m, r)
					if a.Failure != nil {
						t.Fatal(a.Failure)
					}
					text := r.Prompt
					if mode == backends.Chat {
						text = "<u>" + text + "<m>"
					}
					for j, tok := range a.Tokens {
						all := truth(text)
						best := 0
						for k := range all {
							if all[k] > all[best] {
								best = k
							}
						}
						if tok.Logprob != all[best] || tok.End != (vocabulary[best] == "<e>") || tok.Text != word(best) {
							t.Fatalf("%s token %d: %+v, want %q %v", r.Prompt, j, tok, word(best), all[best])
						}
						if tok.End {
							ended++
						}
						text += word(best)
					}
					if !strings.HasSuffix(strings.TrimSuffix(text, "<e>"), a.Text) {
						t.Errorf("text %q, tokens say %q", a.Text, text)
					}
				}
				if flavours[name].EOS && ended == 0 {
					t.Error("no end token was recognised")
				}
			})
		}
	}
}

// A probe that fails is shared by all who wait for it and then forgotten; a
// caller who gives up spoils it for nobody.
func TestProbeFails(t *testing.T) {
	var calls atomic.Int32
	good := &fake{Flavour: flavours["vllm"]}
	url := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" && calls.Add(1) == 1 {
			time.Sleep(100 * time.Millisecond)
			reply(w, 503, map[string]any{"error": map[string]any{"message": "Loading model"}})
			return
		}
		good.ServeHTTP(w, r)
	}) + "/v1"
	m := open(t, url)
	left, leave := context.WithCancel(t.Context())
	leave()
	if _, err := m.Probe(left); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	calls.Store(0)
	var reqs []backends.Request
	for i := range 8 {
		reqs = append(reqs, backends.Request{Model: testID, Mode: backends.Chat, Prompt: fmt.Sprint("p", i), MaxTokens: 1})
	}
	as, err := m.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	loading := 0
	for _, a := range as {
		if f := a.Failure; f != nil && f.Status == 503 && f.Temporary() {
			loading++
		}
	}
	if loading == 0 {
		t.Error("while it loads: no temporary failure")
	}
	as, err = m.Answer(t.Context(), reqs)
	if err != nil || as[0].Failure != nil {
		t.Errorf("afterwards: %v, %v", err, as[0].Failure)
	}
}

// A hosted model without log-probabilities can be a master, not a student.
func TestWithoutLogprobs(t *testing.T) {
	_, url := serve(t, flavours["hosted"])
	for _, m := range []*Model{open(t, url), open(t, url, func(c *backends.OpenAIConfig) { c.NoLogprobs = true })} {
		if none, err := m.Unscored(t.Context(), backends.Chat); err != nil || !none {
			t.Errorf("Unscored() = %v, %v, want true", none, err)
		}
		g := backends.Request{Model: testID, Mode: backends.Chat, Prompt: "hello", MaxTokens: 4}
		a := ask(t, m, g)
		if f := backends.Check(g, a); f != nil || !a.NoLogprobs || a.Text == "" || len(a.Tokens) != 0 {
			t.Errorf("generation %+v: %v", a, f)
		}
		if f := backends.CheckStudent(g, a); f == nil || f.Temporary() ||
			!strings.Contains(f.Message, "last model of a cascade") {
			t.Errorf("as a student: %v, want a lasting refusal", f)
		}
		said := 0
		for i := range 40 {
			r := backends.Request{Model: testID, Mode: backends.Chat, Prompt: fmt.Sprint("c", i),
				Labels: []string{" positive", " negative", " qvx", " the", " cat"}}
			a := ask(t, m, r)
			if a.Failure != nil {
				if a.Failure.Temporary() || !strings.Contains(a.Failure.Message, "none of the 5 labels") {
					t.Errorf("failure %v", a.Failure)
				}
				continue
			}
			said++
			if f := backends.Check(r, a); f != nil || !a.NoLogprobs {
				t.Errorf("classification %+v: %v", a, f)
			}
			for j, l := range a.Labels {
				if l.Seen != (r.Labels[j] == a.Text) || l.Logprob != 0 {
					t.Errorf("label %q: %+v in an answer %q", r.Labels[j], l, a.Text)
				}
			}
		}
		if said == 0 {
			t.Error("no answer named a label")
		}
	}
}
