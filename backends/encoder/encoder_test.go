package encoder

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
)

func open(t testing.TB, folder string, cfg backends.FolderConfig) *Embedder {
	t.Helper()
	e, err := OpenFS(os.DirFS(folder), cfg)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func readFixture(t testing.TB, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

type reference struct {
	Texts  []string
	Models map[string][]struct {
		IDs    []int32
		Last   []float64 // the last token's vector
		Vector []float64
	}
}

// difference is the largest between two vectors.
func difference(want []float64, got []float32) float64 {
	if len(want) != len(got) {
		return math.Inf(1)
	}
	worst := 0.0
	for i, v := range got {
		worst = max(worst, math.Abs(float64(v)-want[i]))
	}
	return worst
}

// Random weights in the three layouts, whatever pools them, against
// transformers and sentence-transformers (versions in the file), by
// testdata/make_fixtures.py. The weights are larger than a trained model's, so
// that no part stays in its linear range.
func TestEqualToTheReference(t *testing.T) {
	var want reference
	readFixture(t, "expected.json", &want)
	for _, name := range []string{"bert", "distilbert", "mpnet"} {
		t.Run(name, func(t *testing.T) {
			e := open(t, filepath.Join("testdata", name), backends.FolderConfig{})
			got, err := e.Embed(t.Context(), want.Texts)
			if err != nil {
				t.Fatal(err)
			}
			worst, worstLast := 0.0, 0.0
			for i, w := range want.Models[name] {
				ids := e.tokens.Encode(want.Texts[i], e.longest)
				if !slices.Equal(ids, w.IDs) {
					t.Errorf("%.40q: ids %v, want %v", want.Texts[i], ids, w.IDs)
					continue
				}
				states, err := e.net.NewWorker().Whole(t.Context(), [][]int32{ids}, nil)
				if err != nil {
					t.Fatal(err)
				}
				last := difference(w.Last, states[len(states)-e.net.Pad:][:e.net.Shape.Hidden])
				d := difference(w.Vector, got[i])
				if d > 2e-5 || last > 1e-4 {
					t.Errorf("%.40q: the vector is %.2g from the reference's, the last token's %.2g", want.Texts[i], d, last)
				}
				worst, worstLast = max(worst, d), max(worstLast, last)
			}
			t.Logf("largest differences: vectors %.2g, last token %.2g", worst, worstLast)
		})
	}
}

func TestLimits(t *testing.T) {
	if e := open(t, "testdata/bert", backends.FolderConfig{MaxTokens: 10}); e.longest != 10 {
		t.Errorf("%d tokens at most, want 10", e.longest)
	}
	_, err := OpenFS(os.DirFS("testdata/bert"), backends.FolderConfig{MaxTokens: 1000})
	if err == nil || !strings.Contains(err.Error(), "the table of positions ends at 96") {
		t.Errorf("error %v", err)
	}
	if _, err = OpenFS(os.DirFS("testdata/bert"), backends.FolderConfig{Threads: -1}); err == nil {
		t.Error("no error of a negative number of threads")
	}
	e := open(t, "testdata/mpnet", backends.FolderConfig{})
	if v, err := e.Embed(t.Context(), nil); len(v) != 0 || err != nil {
		t.Errorf("%v, %v of no text", v, err)
	}
}

func TestConformance(t *testing.T) {
	for _, name := range []string{"bert", "mpnet"} {
		t.Run(name, func(t *testing.T) {
			backendtest.RunEmbedder(t, func(t *testing.T) backends.Embedder {
				return open(t, filepath.Join("testdata", name), backends.FolderConfig{})
			},
				backendtest.EmbedderOptions{Texts: []string{"a film", "a book", "the play", "two\nlines now",
					"five words and one more"}, Unit: true})
		})
	}
}
