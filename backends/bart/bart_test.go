package bart

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends"
)

func tiny(t *testing.T, threads int) *Scorer {
	t.Helper()
	s, err := OpenFS(os.DirFS("testdata/tiny"), threads)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// expected are scores of the reference implementation: testdata/make_bart.py,
// which says with which versions.
func expected(t *testing.T) (pairs []backends.Pair, scores []float64) {
	t.Helper()
	data, err := os.ReadFile("testdata/scores.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Rows []struct {
			Source, Target string
			Score          float64
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	for _, r := range file.Rows {
		pairs, scores = append(pairs, backends.Pair{Source: r.Source, Target: r.Target}), append(scores, r.Score)
	}
	return pairs, scores
}

func TestScoresEqualTheReferences(t *testing.T) {
	pairs, want := expected(t)
	got, err := tiny(t, 0).Score(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) || len(want) < 50 {
		t.Fatalf("%d scores of %d pairs", len(got), len(want))
	}
	worst, spread := 0.0, 0.0
	for i := range got {
		worst = max(worst, math.Abs(got[i]-want[i]))
		spread = max(spread, math.Abs(want[i]-want[0]))
	}
	if worst > 1e-5 {
		t.Errorf("scores differ by up to %g, want 1e-5", worst)
	}
	if spread < 1 {
		t.Errorf("the expected scores span %g: they tell nothing", spread)
	}
}

// A score is the same to the bit alone, in company and on any number of
// threads.
func TestScoresDoNotDependOnTheirCompany(t *testing.T) {
	pairs, _ := expected(t)
	together, err := tiny(t, 3).Score(context.Background(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	one := tiny(t, 1)
	for i, p := range pairs {
		alone, err := one.Score(context.Background(), []backends.Pair{p})
		if err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(alone[0]) != math.Float64bits(together[i]) {
			t.Fatalf("pair %d scores %v alone and %v in company", i, alone[0], together[i])
		}
	}
}

func TestScoreStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := tiny(t, 2).Score(ctx, []backends.Pair{{Source: "a", Target: "b"}}); err == nil {
		t.Error("a cancelled call scores")
	}
	if got, err := tiny(t, 2).Score(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("no pairs: %v, %v", got, err)
	}
}

// What is wrong with a folder is named.
func TestOpenNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct {
		name string
		file string
		edit func(string) string
		want string
	}{
		{name: "no tokenizer", file: "tokenizer.json", want: "tokenizer.json"},
		{name: "no weights", file: "model.safetensors", want: "safetensors"},
		{name: "another family", file: "config.json",
			edit: func(s string) string { return strings.Replace(s, `"bart"`, `"t5"`, -1) }, want: `model_type is "t5"`},
		{name: "a missing key", file: "config.json",
			edit: func(s string) string { return strings.Replace(s, `"d_model"`, `"width"`, 1) }, want: "d_model is missing"},
		{name: "heads that do not divide", file: "config.json", edit: func(s string) string {
			return strings.Replace(s, `"encoder_attention_heads": 4`, `"encoder_attention_heads": 5`, 1)
		}, want: "no multiple of 5 heads"},
		{name: "more layers than tensors", file: "config.json",
			edit: func(s string) string { return strings.Replace(s, `"decoder_layers": 3`, `"decoder_layers": 4`, 1) },
			want: "decoder.layers.3"},
	} {
		dir := t.TempDir()
		for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors"} {
			data, err := os.ReadFile(filepath.Join("testdata/tiny", name))
			if err != nil {
				t.Fatal(err)
			}
			if name == c.file {
				if c.edit == nil {
					continue
				}
				text := c.edit(string(data))
				if text == string(data) {
					t.Fatalf("%s: nothing was changed", c.name)
				}
				data = []byte(text)
			}
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := OpenFS(os.DirFS(dir), 1)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error about %q", c.name, err, c.want)
		}
	}
}
