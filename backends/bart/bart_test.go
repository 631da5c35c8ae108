package bart

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
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
	got, err := tiny(t, 0).Score(t.Context(), pairs)
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
	together, err := tiny(t, 3).Score(t.Context(), pairs)
	if err != nil {
		t.Fatal(err)
	}
	one := tiny(t, 1)
	for i, p := range pairs {
		alone, err := one.Score(t.Context(), []backends.Pair{p})
		if err != nil {
			t.Fatal(err)
		}
		if math.Float64bits(alone[0]) != math.Float64bits(together[i]) {
			t.Fatalf("pair %d scores %v alone and %v in company", i, alone[0], together[i])
		}
	}
}

func TestScoreStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := tiny(t, 2).Score(ctx, []backends.Pair{{Source: "a", Target: "b"}}); err == nil {
		t.Error("a cancelled call scores")
	}
	if got, err := tiny(t, 2).Score(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no pairs: %v, %v", got, err)
	}
}

// What is wrong with a folder is named.
func TestOpenNamesWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ file, from, to, want string }{ // from "" = there is no such file
		{"tokenizer.json", "", "", "tokenizer.json"},
		{"model.safetensors", "", "", "safetensors"},
		{"config.json", `"model_type": "bart"`, `"model_type": "t5"`, `model_type is "t5"`},
		{"config.json", `"d_model"`, `"width"`, "d_model is missing"},
		{"config.json", `"encoder_attention_heads": 4`, `"encoder_attention_heads": 5`, "no multiple of 5 heads"},
		{"config.json", `"decoder_layers": 3`, `"decoder_layers": 4`, "decoder.layers.3"},
	} {
		folder := backendtest.Folder(t, os.DirFS("testdata/tiny"))
		if c.from == "" {
			delete(folder, c.file)
		} else {
			backendtest.Edit(t, folder, c.file, c.from, c.to)
		}
		if _, err := OpenFS(folder, 1); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an error about %q", c.to, err, c.want)
		}
	}
}

// widened is the tiny folder with one more token in its tokenizer than the
// network has vectors, as facebook/bart-large-cnn has it (vocab_size 50264, and
// <mask> with the id 50264). token has a place for the id.
func widened(t *testing.T, before, token string) fs.FS {
	t.Helper()
	folder := backendtest.Folder(t, os.DirFS("testdata/tiny"))
	c, err := readConfig(folder)
	if err != nil {
		t.Fatal(err)
	}
	backendtest.Edit(t, folder, "tokenizer.json", before, before+fmt.Sprintf(token, *c.Vocabulary)+",")
	return folder
}

// An added token without a vector changes no score, and is read as <unk>.
func TestTokensTheNetworkDoesNotHave(t *testing.T) {
	s, err := OpenFS(widened(t, `"added_tokens": [`, `{"id": %d, "content": "<extra>", "special": true}`), 1)
	if err != nil {
		t.Fatal(err)
	}
	ordinary := backends.Pair{Source: "The bridge closed.", Target: "The river rose."}
	got, err := s.Score(t.Context(), []backends.Pair{ordinary, {Source: "a<extra>b", Target: "<extra>"}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := tiny(t, 1).Score(t.Context(), []backends.Pair{ordinary, {Source: "a<unk>b", Target: "<unk>"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got, want) {
		t.Errorf("scores %v, want %v as without the token", got, want)
	}
}

// A tokenizer whose ordinary tokens have no vector is another model's.
func TestTokenizerOfAnotherModel(t *testing.T) {
	_, err := OpenFS(widened(t, `"vocab": {`, `"zzz": %d`), 1)
	if err == nil || !strings.Contains(err.Error(), "are they of one model?") {
		t.Errorf("%v", err)
	}
}
