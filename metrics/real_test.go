package metrics_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"infnet/metrics"
)

// TestRealTextsGiveTheSameDigests compares, on real text, the stem of every
// word and the tokens and chrF counts of many lines with those of the
// reference tools, as digests: the texts themselves are not in this repository.
func TestRealTextsGiveTheSameDigests(t *testing.T) {
	folder := os.Getenv("INFNET_DATA")
	if folder == "" {
		t.Skip("INFNET_DATA is not set: it names the folder with the real datasets")
	}
	var want struct {
		Words, Lines        int
		Stems, Tokens, ChrF string
	}
	b, err := os.ReadFile("testdata/real.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	r := realText{words: map[string]bool{}, tokens: sha256.New(), chrf: sha256.New()}
	for _, d := range []struct {
		name   string
		fields []string
	}{
		{"agnews", []string{"text"}}, {"emotion", []string{"text"}}, {"fakenews", []string{"text"}},
		{"squad", []string{"question", "context"}}, {"sst2", []string{"text"}}, {"wmt14", []string{"source", "target"}},
	} {
		r.read(t, filepath.Join(folder, d.name+".jsonl.gz"), d.fields)
	}
	stems := sha256.New()
	for _, w := range slices.Sorted(maps.Keys(r.words)) {
		fmt.Fprintf(stems, "%s\t%s\n", w, metrics.Stem(w))
	}
	digest := func(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }
	if len(r.words) != want.Words || digest(stems) != want.Stems {
		t.Errorf("%d words with stems %s, want %d with %s", len(r.words), digest(stems), want.Words, want.Stems)
	}
	if r.lines != want.Lines || digest(r.tokens) != want.Tokens {
		t.Errorf("%d lines with tokens %s, want %d with %s", r.lines, digest(r.tokens), want.Lines, want.Tokens)
	}
	if digest(r.chrf) != want.ChrF {
		t.Errorf("chrF counts %s, want %s", digest(r.chrf), want.ChrF)
	}
}

type realText struct {
	words        map[string]bool
	lines        int
	tokens, chrf hash.Hash
	last         string
}

func (r *realText) read(t *testing.T, file string, fields []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	rows := json.NewDecoder(z)
	for i := 0; ; i++ {
		var row map[string]any
		if err := rows.Decode(&row); err == io.EOF {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields {
			r.line(row[field].(string), i)
		}
	}
}

func (r *realText) line(text string, row int) {
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9')
	}) {
		r.words[w] = true
	}
	if row < 300 {
		r.lines++
		fmt.Fprintf(r.tokens, "%s\n%s\n", strings.Join(metrics.RougeTokens(text), " "),
			strings.Join(metrics.Tokens13a(text), " "))
	}
	if row < 200 {
		counts := fmt.Sprint(metrics.ChrFStatistics(text, []string{r.last}))
		fmt.Fprintln(r.chrf, strings.Trim(counts, "[]"))
		r.last = text
	}
}
