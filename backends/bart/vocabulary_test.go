package bart

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends"
)

// widened is the tiny folder with one more token in its tokenizer than the
// network has vectors, as facebook/bart-large-cnn has it (vocab_size 50264, and
// <mask> with the id 50264).
func widened(t *testing.T, edit func(tokenizer string, next int) string) fs.FS {
	t.Helper()
	dir := t.TempDir()
	var next int
	for _, name := range []string{"config.json", "tokenizer.json", "model.safetensors"} {
		data, err := os.ReadFile(filepath.Join("testdata/tiny", name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "config.json" {
			c, err := readConfig(os.DirFS("testdata/tiny"))
			if err != nil {
				t.Fatal(err)
			}
			next = *c.Vocabulary
		}
		if name == "tokenizer.json" {
			text := edit(string(data), next)
			if text == string(data) {
				t.Fatal("nothing was changed")
			}
			data = []byte(text)
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return os.DirFS(dir)
}

func addedToken(text string, next int) string {
	return strings.Replace(text, `"added_tokens": [`,
		fmt.Sprintf(`"added_tokens": [{"id": %d, "content": "<extra>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},`, next), 1)
}

// An added token without a vector changes no score, and is read as <unk>.
func TestTokensTheNetworkDoesNotHave(t *testing.T) {
	s, err := OpenFS(widened(t, addedToken), 1)
	if err != nil {
		t.Fatal(err)
	}
	ordinary := backends.Pair{Source: "The bridge closed.", Target: "The river rose."}
	got, err := s.Score(context.Background(), []backends.Pair{ordinary, {Source: "a<extra>b", Target: "<extra>"}})
	if err != nil {
		t.Fatal(err)
	}
	want, err := tiny(t, 1).Score(context.Background(), []backends.Pair{ordinary, {Source: "a<unk>b", Target: "<unk>"}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("pair %d scores %v, want %v as without the token", i, got[i], want[i])
		}
	}
}

// A tokenizer whose ordinary tokens have no vector is another model's.
func TestTokenizerOfAnotherModel(t *testing.T) {
	_, err := OpenFS(widened(t, func(text string, next int) string {
		return strings.Replace(text, `"vocab": {`, fmt.Sprintf(`"vocab": {"zzz": %d,`, next), 1)
	}), 1)
	if err == nil || !strings.Contains(err.Error(), "are they of one model?") {
		t.Errorf("%v", err)
	}
}
