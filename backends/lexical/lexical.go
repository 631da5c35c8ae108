// Package lexical embeds texts without a model: hashed words, pairs of words
// and character n-grams, in pure Go. It owns that one embedder and its
// version.
//
// The cosine of two of its vectors measures overlap of words and parts of words, not meaning: "a
// film I loved" and "a film I hated" are close, "cheap" and "inexpensive" are not. It lets a study
// run without a download. Tables name it, and no correctness rule should depend on it.
package lexical

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"infnet/backends"
	"infnet/harness/calc"
)

// Name, Revision and Dimension identify the embedder. The revision changes
// with any change to a vector.
const (
	Name      = "lexical"
	Revision  = "lexical-1"
	Dimension = 512
)

// Embedder embeds texts by their words and characters. The zero value is ready
// and safe for concurrent use.
type Embedder struct{}

// ID names the embedder in keys and tables.
func ID() backends.ModelID {
	return backends.ModelID{ID: Name, Revision: Revision, Kind: backends.Lexical}
}

// Embed returns one vector of Dimension numbers and length 1 per text, in
// order. A text without a letter or digit gets the zero vector. A text's
// vector depends on that text alone. The only error is the context's.
func (Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i] = Vector(t)
	}
	return out, nil
}

// Vector embeds one text. After Unicode compatibility composition (NFKC) and
// lower-casing, a word is a run of letters, marks and digits. The features
// are of two families: words and pairs of neighbouring words; and the
// character 3-, 4- and 5-grams of each word with its boundaries marked. A
// feature that occurs c times weighs 1 + ln c, and adds its weight to the
// component that its hash picks, with the sign that its hash picks. Each family
// is brought to length 1, the two are added, and the sum brought to length 1.
func Vector(text string) []float32 {
	// K. Weinberger and others, "Feature hashing for large scale multitask
	// learning", ICML 2009: signed hashing keeps inner products unbiased.
	ws := words(text)
	sum := make([]float64, Dimension)
	for _, family := range [][]string{wordFeatures(ws), characterFeatures(ws)} {
		for i, v := range unit(hashed(family)) {
			sum[i] += v
		}
	}
	out := make([]float32, Dimension)
	for i, v := range unit(sum) {
		out[i] = float32(v)
	}
	return out
}

func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(text)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r)
	})
}

func wordFeatures(ws []string) []string {
	out := make([]string, 0, 2*len(ws))
	for i, w := range ws {
		out = append(out, "w "+w)
		if i > 0 {
			out = append(out, "p "+ws[i-1]+" "+w)
		}
	}
	return out
}

func characterFeatures(ws []string) []string {
	var out []string
	for _, w := range ws {
		rs := []rune("<" + w + ">")
		for n := 3; n <= 5; n++ {
			for i := 0; i+n <= len(rs); i++ {
				out = append(out, "c "+string(rs[i:i+n]))
			}
		}
	}
	return out
}

// hashed adds up the features' weights. Features are taken in the order of
// their hashes, so that the same text gives the same bits.
func hashed(features []string) []float64 {
	out := make([]float64, Dimension)
	hashes := make([]uint64, len(features))
	for i, f := range features {
		hashes[i] = hash(f)
	}
	slices.Sort(hashes)
	for i := 0; i < len(hashes); {
		j := i
		for j < len(hashes) && hashes[j] == hashes[i] {
			j++
		}
		weight := 1 + calc.Log(float64(j-i))
		if hashes[i]>>63 == 1 {
			weight = -weight
		}
		out[hashes[i]%Dimension] += weight
		i = j
	}
	return out
}

// hash is FNV-1a of 64 bits, its bits then mixed so that the low ones (the
// component) and the high one (the sign) depend on all of the text.
func hash(s string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 1099511628211
	}
	// The finaliser of SplitMix64 (G. Steele, D. Lea and C. Flood, 2014).
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

// unit brings a vector to length 1, leaving the zero vector alone.
func unit(v []float64) []float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x)
	}
	if sum == 0 {
		return v
	}
	length := math.Sqrt(sum)
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x / length
	}
	return out
}

// Driver opens the built-in embedder.
func Driver() backends.Driver {
	return backends.Driver{Kind: backends.Lexical, Embedder: func(c backends.Config) (backends.Embedder, error) {
		if c.Model != ID() {
			return nil, fmt.Errorf("embedder %q revision %q: this program has %q revision %q", c.Model.ID, c.Model.Revision,
				Name, Revision)
		}
		return Embedder{}, nil
	}}
}
