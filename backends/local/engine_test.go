package local

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"infnet/backends"
	"infnet/backends/runtime/kernel"
)

// fixture is what testdata/make_fixtures.py computed in float64.
type fixture struct {
	Cases []struct {
		IDs      []int32
		At       []int
		Logits   []float64
		Greedy   []int32
		Logprobs []float64
	}
	Labels []struct {
		Prompt   string
		Labels   []string
		Logprobs []float64
	}
}

// folders are the models with fixtures: two with random weights, those of all families, and the
// quickstart's pair.
func folders() map[string]string {
	out := map[string]string{
		"testdata/tiny": "testdata/tiny/expected.json", "testdata/mixed": "testdata/mixed/expected.json",
		"../../experiments/models/tiny-student": "testdata/tiny-student.json",
		"../../experiments/models/tiny-master":  "testdata/tiny-master.json",
	}
	for _, f := range families {
		out[folderOf(f)] = folderOf(f) + "/expected.json"
	}
	return out
}

func load(t testing.TB, path string, threads int) *Model {
	t.Helper()
	if _, err := os.Stat(filepath.Join(path, "config.json")); err != nil {
		t.Skipf("no model: %v", err)
	}
	m, err := OpenFS(os.DirFS(path),
		backends.Config{Model: backends.ModelID{ID: filepath.Base(path), Kind: backends.Local},
			Settings: &backends.FolderConfig{Threads: threads}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// jobOf makes a generation from token ids.
func jobOf(tokens []int32, n int) *job {
	return &job{request: &backends.Request{Mode: backends.Raw, MaxTokens: n}, answer: &backends.Answer{}, tokens: tokens}
}

// Logits, greedy tokens and log-probabilities against numpy in float64, and of the families against the
// transformers library in float32 (version in the file; testdata/make_families.py), prompts beyond the
// sliding windows and the lengths of training included.
func TestAgainstTheReference(t *testing.T) {
	const tolerance = 1e-4
	for folder, file := range folders() {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			if _, err := os.Stat(file); err != nil {
				t.Fatalf("%v: run testdata/make_fixtures.py %s %s", err, folder, file)
			}
			if worst := compare(t, load(t, folder, 1), file); worst > tolerance {
				t.Errorf("largest error %.3g, want at most %g (new weights? run testdata/make_fixtures.py %s %s)", worst, tolerance,
					folder, file)
			}
		})
	}
}

// compare checks greedy tokens against a fixture and returns the largest
// difference of a logit or a log-probability.
func compare(t *testing.T, m *Model, file string) float64 {
	t.Helper()
	m.eos = nil // the fixtures' continuations go on after an end token
	var want fixture
	if b, err := os.ReadFile(file); err != nil {
		t.Fatal(err)
	} else if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	w := newWorker(m.net)
	width := kernel.Round(m.net.Shape.Vocabulary)
	for _, c := range want.Cases {
		j := jobOf(c.IDs, len(c.Greedy))
		j.cache = m.net.NewCache(j.positions())
		logits := make([]float32, width)
		err := w.prefill(t.Context(), []*job{j}, 0, func(_ int, hidden []float32) {
			m.net.Head.Mul(logits, width, hidden, m.net.Pad, 1, 0, m.net.Shape.Vocabulary)
		})
		if err != nil {
			t.Fatal(err)
		}
		far := 0.0
		for i, id := range c.At {
			far = max(far, math.Abs(float64(logits[id])-c.Logits[i]))
		}
		if err := w.run(t.Context(), m, []*job{j}, prefix{}); err != nil {
			t.Fatal(err)
		}
		if worst = max(worst, far); !slices.Equal(j.fresh, c.Greedy) {
			t.Errorf("prompt of %d tokens: generated %v, want %v (largest error of a logit: %.2g)", len(c.IDs), j.fresh,
				c.Greedy, far)
			continue
		}
		for i, lp := range c.Logprobs {
			worst = max(worst, math.Abs(j.logprobs[i]-lp))
		}
	}
	for _, c := range want.Labels {
		as, err := m.Answer(t.Context(), []backends.Request{{Mode: backends.Raw, Prompt: c.Prompt, Labels: c.Labels}})
		if err != nil || as[0].Failure != nil {
			t.Fatal(err, as[0].Failure)
		}
		for i, lp := range c.Logprobs {
			worst = max(worst, math.Abs(as[0].Labels[i].Logprob-lp))
		}
	}
	if len(want.Cases) < 8 || len(want.Labels) < 3 {
		t.Fatalf("only %d prompts and %d of labels", len(want.Cases), len(want.Labels))
	}
	t.Logf("%d prompts: largest error %.2g", len(want.Cases), worst)
	return worst
}
