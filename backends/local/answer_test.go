package local

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/runtime/transformer"
)

var update = flag.Bool("update", false, "write the golden files")

var colours = []string{" positive", " negative", " blue"}

// mixed are requests of both kinds, most of which share a beginning.
func mixed() []backends.Request {
	var out []backends.Request
	for i, text := range []string{"the film is good", "a dull story , a fine cast", "what is the answer ?", "", "the plot",
		strings.Repeat("the film is bad and the plot is bad . ", 3)} {
		r := backends.Request{Mode: backends.Raw, Prompt: "review : the film " + text + "\nanswer :"}
		if i == 3 {
			r.Prompt = ""
		}
		class, said := r, r
		class.Labels = colours[:2+i%2]
		said.MaxTokens, said.TopLogprobs = 1+2*i, i%3
		out = append(out, class, said)
	}
	return out
}

func TestConformance(t *testing.T) {
	backendtest.Run(t, func(t *testing.T) backends.Model { return load(t, "testdata/tiny", 2) }, backendtest.Options{
		// to nothing at all this model says only tokens without a text, which is no answer
		Requests: slices.Delete(mixed(), 7, 8),
		Bad: []backends.Request{
			{Mode: backends.Raw, Prompt: "the film"},
			{Mode: backends.Raw, Prompt: "the film", MaxTokens: 1000},
			{Mode: "talk", Prompt: "the film", MaxTokens: 1},
			{Mode: backends.Raw, Prompt: "the film", Labels: []string{" good", ""}},
			{Mode: backends.Raw, Prompt: "the film", Labels: []string{" good", " good cast"}},
			{Mode: backends.Raw, Prompt: "the fil", Labels: []string{"m", " blue"}},
			{Mode: backends.Raw, Prompt: "the film", MaxTokens: 1, TopLogprobs: -1},
		},
		Hint: 5 * time.Second, Takes: []backends.Part{backends.SamplingPart},
	})
}

func ask(t *testing.T, m *Model, reqs ...backends.Request) []backends.Answer {
	t.Helper()
	as, err := m.Answer(t.Context(), reqs)
	if err != nil {
		t.Fatal(err)
	}
	return as
}

// The same bits alone, in any batch, with and without the shared prefix, on one thread and on several, in every family;
// also for prompts of more tokens than a chunk and than the window.
func TestSameBits(t *testing.T) {
	for _, name := range append([]string{"random"}, families...) {
		t.Run(name, func(t *testing.T) {
			repeats, n, open := 12, 12, func(threads int) *Model { return load(t, folderOf(name), threads) }
			if name == "random" {
				repeats, n = 40, 24
				open = func(threads int) *Model {
					return openRandom(t, dims{40, 3, 4, 2, 8, 56, 1200, 1500, 24, 2}, threads)
				}
			}
			long := strings.Repeat("The plot is thin, but the two leads make you forgive it. ", repeats)
			var reqs []backends.Request
			for i := range n {
				r := backends.Request{Mode: backends.Raw, Prompt: long[:i*i*3%len(long)] + "\nanswer :",
					Labels: []string{" positive", " negative"}}
				switch {
				case i%3 == 2:
					r.Labels, r.MaxTokens, r.TopLogprobs = nil, 1+i%7, 2
				case i%4 == 1 && name == "random":
					r.Prompt = long + long[:i*20] + "\nanswer :"
				}
				reqs = append(reqs, r)
			}
			one, three, apart := open(1), open(3), open(3)
			apart.noPrefix = true
			want, cached, longest := ask(t, one, reqs...), 0, 0
			for i, a := range want {
				if a.Failure != nil {
					t.Fatalf("request %d: %v", i, a.Failure)
				}
				n, _ := a.Usage.Prompt.Known()
				cached, longest = cached+a.Usage.Cached, max(longest, n)
			}
			if cached == 0 && len(one.tokens.before) > 0 || longest <= one.net.Shape.Window ||
				name == "random" && longest <= 2*transformer.ChunkRows {
				t.Fatalf("%d tokens shared, the longest prompt has %d and the window %d: nothing is compared", cached, longest,
					one.net.Shape.Window)
			}
			for _, c := range []struct {
				how  string
				m    *Model
				size int
			}{{"alone", one, 1}, {"three threads", three, len(reqs)}, {"in sevens", three, 7},
				{"no shared prefix", apart, len(reqs)}} {
				for i := 0; i < len(reqs); i += c.size {
					for k, a := range ask(t, c.m, reqs[i:min(i+c.size, len(reqs))]...) {
						if why := backendtest.Differ(want[i+k], a); why != "" {
							t.Errorf("%s, request %d: %s", c.how, i+k, why)
						}
					}
				}
			}
		})
	}
}

// Every architecture and SIMD width gives the bits of the golden file, which
// was written by the portable code.
func TestGoldenBits(t *testing.T) {
	var b strings.Builder
	all := []string{"testdata/tiny", "testdata/mixed"}
	for _, f := range families {
		all = append(all, folderOf(f))
	}
	for _, folder := range all {
		h, masses := sha256.New(), sha256.New()
		for _, a := range ask(t, load(t, folder, 2), mixed()...) {
			for _, l := range a.Labels {
				binary.Write(h, binary.LittleEndian, l.Logprob)
			}
			if m := a.LabelMass; m != nil {
				binary.Write(masses, binary.LittleEndian, *m)
			}
			for _, tok := range a.Tokens {
				binary.Write(h, binary.LittleEndian, tok.Logprob)
				for _, o := range tok.Top {
					binary.Write(h, binary.LittleEndian, o.Logprob)
				}
			}
			h.Write([]byte(a.Text))
		}
		fmt.Fprintf(&b, "%s %s\n", folder, hex.EncodeToString(h.Sum(nil)))
		fmt.Fprintf(&b, "%s, masses %s\n", folder, hex.EncodeToString(masses.Sum(nil)))
	}
	const golden = "testdata/bits.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("bits of all answers:\n%swant\n%s", &b, want)
	}
}

func TestGeneration(t *testing.T) {
	m := load(t, "testdata/tiny", 1)
	r := backends.Request{Mode: backends.Raw, Prompt: "the film is", MaxTokens: 8, TopLogprobs: 3}
	whole := ask(t, m, r)[0]
	if len(whole.Tokens) != 8 || whole.Usage.Completion != backends.Counted(8) {
		t.Fatalf("%d tokens, usage %+v, want 8: the random model says no end token here", len(whole.Tokens), whole.Usage)
	}
	for i, tok := range whole.Tokens {
		if len(tok.Top) != 3 || tok.Top[0].Logprob != tok.Logprob || tok.Top[1].Logprob > tok.Logprob ||
			tok.Top[2].Logprob > tok.Top[1].Logprob {
			t.Errorf("token %d (%q %v): alternatives %v, want three in falling order, the token's own first", i, tok.Text,
				tok.Logprob, tok.Top)
		}
	}
	// all alternatives together are certain
	r.TopLogprobs = 100000
	sum := 0.0
	first := ask(t, m, r)[0].Tokens[0]
	for _, o := range first.Top {
		sum += math.Exp(o.Logprob)
	}
	if len(first.Top) != m.net.Shape.Vocabulary || math.Abs(sum-1) > 1e-5 {
		t.Errorf("%d alternatives of probability %v, want %d and 1", len(first.Top), sum, m.net.Shape.Vocabulary)
	}
	r.TopLogprobs = 0
	// the fourth token as end token
	texts := func(a backends.Answer, n int) string {
		s := ""
		for _, tok := range a.Tokens[:n] {
			s += tok.Text
		}
		return s
	}
	w := newWorker(m.net)
	j := jobOf(m.raw(r.Prompt).encode(m.tokens), 8)
	if err := w.run(t.Context(), m, []*job{j}, prefix{}); err != nil {
		t.Fatal(err)
	}
	at := slices.Index(j.fresh, j.fresh[3])
	m.eos = []int32{j.fresh[3]}
	if a := ask(t, m, r)[0]; len(a.Tokens) != at+1 || !a.Tokens[at].End || a.Text != texts(whole, at) {
		t.Errorf("ended by token %d: %+v, want %d tokens and the text %q", j.fresh[3], a, at+1, texts(whole, at))
	}
	m.eos = nil
	// stop strings: the earliest wins, the text excludes it
	text := texts(whole, 8)
	half := len(texts(whole, 4))
	r.Stop = []string{"never said", text[half:]}
	if a := ask(t, m, r)[0]; a.Text != text[:strings.Index(text, text[half:])] || len(a.Tokens) > 8 {
		t.Errorf("stopped by %q: text %q of %q", text[half:], a.Text, text)
	}
}

func TestTruncation(t *testing.T) {
	m := load(t, "testdata/tiny", 1) // context 96
	long := strings.Repeat("the film is bad and the plot is bad . ", 30) + "\nanswer :"
	all := m.raw(long).encode(m.tokens)
	a := ask(t, m, backends.Request{Mode: backends.Raw, Prompt: long, Labels: colours})[0]
	if a.Failure != nil || a.Usage.Prompt != backends.Counted(96) || a.Truncated != len(all)-96 {
		t.Errorf("classification: %v, usage %+v, truncated %d of %d, want 96 left", a.Failure, a.Usage, a.Truncated, len(all))
	}
	g := ask(t, m, backends.Request{Mode: backends.Raw, Prompt: long, MaxTokens: 10})[0]
	if g.Failure != nil || g.Usage.Prompt != backends.Counted(86) || g.Truncated != len(all)-86 {
		t.Errorf("generation: %v, usage %+v, truncated %d, want 86 left", g.Failure, g.Usage, g.Truncated)
	}
	got, _, f := m.raw(long).fit(slices.Clone(all), 20)
	if f != nil || got[0] != 2 || !slices.Equal(got[1:], all[len(all)-19:]) {
		t.Errorf("fitted to 20: %v, %v, want <bos> and the last 19", got, f)
	}
	chat := chatted(t, m, backends.Request{Prompt: long})
	if _, _, f := chat.fit(chat.encode(m.tokens), 8); f == nil || f.Cause != backends.TooLong {
		t.Errorf("chat fitted to 8: failure %v, want too-long", f)
	}
}

func TestCheckLabels(t *testing.T) {
	m := load(t, "testdata/tiny", 1)
	for _, c := range []struct {
		name, prompt string
		labels       []string
		want         string
	}{
		{"fine", "the film :", colours, ""},
		{"same first token", "the film :", []string{" blue", " good", " good cast"},
			`labels " good" and " good cast" both begin with the token " good"`},
		{"merges", "the fil", []string{"m"}, `label "m" merges with the end of the prompt`},
		{"empty", "the film :", []string{" good", ""}, "label 1 is empty"},
	} {
		err := m.CheckLabels(c.prompt, c.labels)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}
