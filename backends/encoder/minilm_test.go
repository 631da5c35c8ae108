package encoder

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"infnet/backends"
)

// realTexts are the 200 texts that make_fixtures.py takes.
func realTexts(t testing.TB, data string) []string {
	t.Helper()
	var out []string
	for _, p := range []struct {
		file, key string
		n         int
	}{
		{"sst2", "text", 50}, {"agnews", "text", 40}, {"squad", "context", 30}, {"squad", "question", 30},
		{"wmt14", "target", 20}, {"emotion", "text", 20}, {"fakenews", "text", 10},
	} {
		f, err := os.Open(filepath.Join(data, p.file+".jsonl.gz"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		r := bufio.NewReader(z)
		for range p.n {
			line, err := r.ReadBytes('\n')
			if err != nil && err != io.EOF {
				t.Fatal(err)
			}
			var row map[string]any
			if err := json.Unmarshal(line, &row); err != nil {
				t.Fatal(err)
			}
			text, _ := row[p.key].(string)
			out = append(out, text)
		}
	}
	return out
}

// minilm opens the real all-MiniLM-L6-v2, or skips.
func minilm(t testing.TB, threads int) *Embedder {
	t.Helper()
	folder := os.Getenv("INFNET_MINILM")
	if folder == "" {
		t.Skip("set INFNET_MINILM to a folder of all-MiniLM-L6-v2 to try the real weights")
	}
	return open(t, folder, backends.FolderConfig{Threads: threads})
}

// The real weights on real texts, against sentence-transformers: every eighth
// component of every vector.
func TestRealMiniLM(t *testing.T) {
	e := minilm(t, 0)
	data := os.Getenv("INFNET_DATA")
	if data == "" {
		t.Skip("set INFNET_DATA to the folder of datasets to try their texts")
	}
	var want struct {
		Texts, Weights string
		Every          int
		Vectors        [][]float64
	}
	readFixture(t, "minilm.json", &want)
	texts := realTexts(t, data)
	if h := sha256.Sum256([]byte(strings.Join(texts, "\x00"))); hex.EncodeToString(h[:]) != want.Texts {
		t.Skipf("the texts in %s are others than those the fixture was made of", data)
	}
	weights, err := os.ReadFile(filepath.Join(os.Getenv("INFNET_MINILM"), "model.safetensors"))
	if err != nil {
		t.Fatal(err)
	}
	if h := sha256.Sum256(weights); hex.EncodeToString(h[:]) != want.Weights {
		t.Skip("INFNET_MINILM holds other weights than those the fixture was made with")
	}
	got, err := e.Embed(context.Background(), texts)
	if err != nil {
		t.Fatal(err)
	}
	worst := 0.0
	for i, w := range want.Vectors {
		var some []float32
		for j := 0; j < len(got[i]); j += want.Every {
			some = append(some, got[i][j])
		}
		d := difference(w, some)
		if d > 1e-5 {
			t.Errorf("%.40q: %.2g from the reference", texts[i], d)
		}
		worst = max(worst, d)
	}
	t.Logf("largest difference over %d texts: %.2g", len(texts), worst)
}
