package finetune

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends/runtime/safetensors"
	"infnet/harness/router"
)

// tiny opens a fixture, with dropout, to be trained fast.
func tiny(t testing.TB, name, cache string) *Learner {
	t.Helper()
	l, err := Open(Options{Name: name, Folder: os.DirFS("testdata/" + name), Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	l.arch.dropHidden, l.arch.dropAttention, l.arch.dropHead = 0.1, 0.1, 0.1
	l.rate, l.epochs = 2e-3, 3
	return l
}

// task is to tell "good" from "bad" in short texts, or from the answer when
// there is one.
func task(n int, answered bool) router.Task {
	t := router.Task{Answered: answered, Seed: 7, Name: "test", Threads: 1}
	for i := range n {
		word := []string{"bad", "good"}[i%2]
		s := router.Sample{ID: fmt.Sprintf("%03d", i), Query: strings.Repeat("the film ", i%3) + "was very " + word}
		if answered {
			s.Query, s.Answer = strings.Repeat("the film ", i%3), word
		}
		t.Samples, t.Labels = append(t.Samples, s), append(t.Labels, float64(i%2))
	}
	return t
}

func TestLearnsWordsAndAnswers(t *testing.T) {
	for _, tt := range []struct {
		name     string
		answered bool
	}{{"bert", false}, {"distilbert", true}} {
		t.Run(tt.name, func(t *testing.T) {
			l, k := tiny(t, tt.name, ""), task(96, tt.answered)
			l.epochs = 8
			var lines []string
			k.Logf = func(f string, a ...any) { lines = append(lines, fmt.Sprintf(f, a...)) }
			s, report, err := l.Fit(t.Context(), k)
			if err != nil {
				t.Fatal(err)
			}
			if report.Held.Accuracy < 0.9 || report.Held.Records != 15 || report.Ones != 48 || report.Digest == "" {
				t.Errorf("%+v", report)
			}
			if len(lines) != report.Passes || report.Epochs > report.Passes {
				t.Errorf("%d lines of %d epochs, the best %d", len(lines), report.Passes, report.Epochs)
			}
			p, err := s.Score(t.Context(), k.Samples[:2])
			if err != nil || !(p[0] < 0.3 && p[1] > 0.7) {
				t.Errorf("P(bad) = %v, P(good) = %v, %v", p[0], p[1], err)
			}
		})
	}
}

// The order of the records and the number of threads change no bit of what is
// learned; nor does the company in which a text is scored.
func TestWhatIsLearnedDependsOnTheTaskAlone(t *testing.T) {
	l, k := tiny(t, "bert", ""), task(30, false)
	s, report, err := l.Fit(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	back := k
	back.Threads, back.Samples, back.Labels = 3, slices.Clone(k.Samples), slices.Clone(k.Labels)
	slices.Reverse(back.Samples)
	slices.Reverse(back.Labels)
	_, again, err := l.Fit(t.Context(), back)
	if err != nil || again.Digest != report.Digest {
		t.Errorf("in another order, on 3 threads: digest %s, want %s (%v)", again.Digest, report.Digest, err)
	}
	other := k
	other.Seed++
	if _, report2, err := l.Fit(t.Context(), other); err != nil || report2.Digest == report.Digest {
		t.Errorf("another seed learns the same (%v)", err)
	}
	all, err := s.Score(t.Context(), k.Samples)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		alone, err := s.Score(t.Context(), k.Samples[i:i+1])
		if err != nil || math.Float64bits(alone[0]) != math.Float64bits(all[i]) {
			t.Errorf("record %d scores %v alone, %v in company (%v)", i, alone[0], all[i], err)
		}
	}
}

func TestCheckpoints(t *testing.T) {
	dir := t.TempDir() + "/cache"
	l, k := tiny(t, "distilbert", dir), task(24, true)
	s, report, err := l.Fit(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	want, _ := s.Score(t.Context(), k.Samples)
	k.Progress = func(int, int) { t.Error("trained again") }
	s, again, err := l.Fit(t.Context(), k)
	if err != nil || fmt.Sprint(again) != fmt.Sprint(report) && again.Digest != report.Digest {
		t.Fatalf("%v: %v, want %v", err, again, report)
	}
	if got, _ := s.Score(t.Context(), k.Samples); !slices.Equal(got, want) {
		t.Error("other scores from the checkpoint")
	}
	// A damaged checkpoint is trained anew.
	path := l.path(k, ".safetensors")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text[len(text)-1] ^= 1
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	steps := 0
	k.Progress = func(int, int) { steps++ }
	if _, again, err := l.Fit(t.Context(), k); err != nil || steps == 0 || again.Digest != report.Digest {
		t.Errorf("%d steps, %v", steps, err)
	}
	// Another answer is another task.
	k.Samples[0].Answer = "awful"
	if l.name(k) == strings.TrimSuffix(path[len(dir)+len("/encoder-"):], ".safetensors") {
		t.Error("the key does not see the answers")
	}
}

func TestCancelledAndOneSided(t *testing.T) {
	l, k := tiny(t, "bert", ""), task(80, false)
	ctx, cancel := context.WithCancel(t.Context())
	k.Progress = func(done, _ int) {
		if done == 2 {
			cancel()
		}
	}
	if _, _, err := l.Fit(ctx, k); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	one := task(30, false)
	for i := range one.Labels {
		one.Labels[i] = 1
	}
	if _, _, err := l.Fit(t.Context(), one); err == nil || !strings.Contains(err.Error(), "one label") {
		t.Errorf("one label: %v", err)
	}
	// Fewer records than can be held out from are still learned.
	few := task(4, false)
	if _, report, err := l.Fit(t.Context(), few); err != nil {
		t.Errorf("four records: %v %v", report, err)
	}
}

func TestRefusedFolders(t *testing.T) {
	files := func() fstest.MapFS {
		m := fstest.MapFS{}
		for _, name := range []string{"config.json", "vocab.txt", "model.safetensors"} {
			text, err := os.ReadFile("testdata/bert/" + name)
			if err != nil {
				t.Fatal(err)
			}
			m[name] = &fstest.MapFile{Data: text}
		}
		return m
	}
	swap := func(m fstest.MapFS, old, new string) {
		text := bytes.ReplaceAll(m["config.json"].Data, []byte(old), []byte(new))
		if bytes.Equal(text, m["config.json"].Data) {
			t.Fatalf("config.json has no %s", old)
		}
		m["config.json"] = &fstest.MapFile{Data: text}
	}
	for _, tt := range []struct {
		name   string
		change func(fstest.MapFS)
		want   string
	}{
		{"no config", func(m fstest.MapFS) { delete(m, "config.json") }, "config.json"},
		{"no tokenizer", func(m fstest.MapFS) { delete(m, "vocab.txt") }, "tokenizer"},
		{"no weights", func(m fstest.MapFS) { delete(m, "model.safetensors") }, "model.safetensors"},
		{"another architecture", func(m fstest.MapFS) { swap(m, `"bert"`, `"gpt2"`) }, `"gpt2"`},
		{"a layer too many", func(m fstest.MapFS) { swap(m, `"num_hidden_layers": 2`, `"num_hidden_layers": 3`) },
			`tensor "encoder.layer.2.attention.self.query.weight" is missing (16 of the 57`},
		{"another width", func(m fstest.MapFS) { swap(m, `"intermediate_size": 256`, `"intermediate_size": 512`) },
			"intermediate.dense.weight"},
		{"relu", func(m fstest.MapFS) { swap(m, `"gelu"`, `"relu"`) }, "activation"},
		{"all dropped", func(m fstest.MapFS) { swap(m, `"hidden_dropout_prob": 0.0`, `"hidden_dropout_prob": 1.0`) },
			"dropout"},
		{"not a number", func(m fstest.MapFS) { poison(t, m) }, "not finite"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := files()
			tt.change(m)
			_, err := Open(Options{Name: "mine", Folder: m})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"mine"`) {
				t.Errorf("%v: want %q", err, tt.want)
			}
		})
	}
}

// poison writes the weights again with a number that is none.
func poison(t *testing.T, m fs.FS) {
	f, err := safetensors.Open(m)
	if err != nil {
		t.Fatal(err)
	}
	l, err := Open(Options{Name: "whole", Folder: m})
	if err != nil {
		t.Fatal(err)
	}
	var out []safetensors.Tensor
	for i, s := range l.arch.slots() {
		out = append(out, safetensors.Tensor{Name: s.name, DType: safetensors.F32, Shape: s.shape,
			Data: slices.Clone(l.weights[i])})
	}
	out[7].Data[3] = float32(math.NaN())
	var b bytes.Buffer
	if err := errors.Join(f.Close(), safetensors.Write(&b, out)); err != nil {
		t.Fatal(err)
	}
	m.(fstest.MapFS)["model.safetensors"] = &fstest.MapFile{Data: b.Bytes()}
}

// DistilBERT's matrix products for 100 tokens, by hand: 6 layers of
// 2·100·(4·768² + 2·768·3072) + 4·100²·768, and the head 2·768² + 4·768.
func TestPrice(t *testing.T) {
	a := arch{}
	a.Hidden, a.FeedForward, a.Layers = 768, 3072, 6
	if got, want := a.flops(100), 6*(2*100*7077888.+4*10000*768)+2*589824+4*768; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	l, k := tiny(t, "bert", ""), task(10, true)
	l.epochs = Epochs
	p, err := l.Price(t.Context(), k.Samples, true, []int{100, 200}, 1e9)
	if err != nil {
		t.Fatal(err)
	}
	each := 0.0
	for _, s := range k.Samples {
		each += l.arch.flops(len(l.encode(s, true).IDs)) / 10
	}
	if want := 20 * each * 300 * (0.85*3 + 0.15); math.Abs(p.FLOPs/want-1) > 1e-12 ||
		math.Abs(p.Time.Seconds()-want/1e9) > 1e-6 {
		t.Errorf("%+v, want %v", p, want)
	}
}

// Labels that have nothing to do with the texts: the loss on the records held
// out soon rises, training stops three epochs after its best, and the best is
// kept.
func TestStopsAndKeepsTheBest(t *testing.T) {
	l, k := tiny(t, "distilbert", ""), task(64, false)
	l.epochs = Epochs
	for i := range k.Labels {
		k.Labels[i] = float64(i * i % 7 % 2)
	}
	best := math.Inf(1)
	k.Logf = func(_ string, a ...any) { best = min(best, a[len(a)-1].(float64)) }
	_, report, err := l.Fit(t.Context(), k)
	if err != nil {
		t.Fatal(err)
	}
	if report.Passes != report.Epochs+patience || report.Passes == Epochs || report.Held.Loss != best {
		t.Errorf("%d epochs, the best %d with a loss of %v: %+v", report.Passes, report.Epochs, best, report)
	}
}
