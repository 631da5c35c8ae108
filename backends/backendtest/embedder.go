package backendtest

import (
	"math"
	"slices"
	"testing"
	"time"

	"infnet/backends"
)

// EmbedderOptions say what to ask an embedder.
type EmbedderOptions struct {
	Texts []string      // at least 4, all different, of different vectors
	Unit  bool          // vectors have length 1
	Hint  time.Duration // how long Embed may take to return after its context is done; 0 = 10 s
}

// awkward texts that every embedder takes.
var awkward = []string{"", " ", "\n", "line\nbreak\r\n", "\x00", "caf\u00e9 \u4f60\u597d \U0001F600",
	string(slices.Repeat([]byte("long "), 4000))}

// RunEmbedder tests an embedder. open is called once per subtest and must
// return equal embedders.
func RunEmbedder(t *testing.T, open func(t *testing.T) backends.Embedder, o EmbedderOptions) {
	t.Helper()
	if len(o.Texts) < 4 {
		t.Fatalf("backendtest: %d texts, want at least 4", len(o.Texts))
	}
	// finite numbers, of the length asked for
	sound := func(t *testing.T, what string, v []float32, dim int, unit bool) {
		t.Helper()
		if len(v) != dim || dim == 0 {
			t.Errorf("%s: %d numbers, want %d", what, len(v), dim)
		}
		sum := 0.0
		for _, x := range v {
			sum += float64(x) * float64(x)
		}
		if math.IsNaN(sum) || math.IsInf(sum, 0) {
			t.Errorf("%s: not all numbers are finite", what)
		}
		if unit && math.Abs(sum-1) > 1e-5 {
			t.Errorf("%s: squared length %v, want 1", what, sum)
		}
	}
	t.Run("shape", func(t *testing.T) {
		vs := all(t, open(t).Embed, o.Texts)
		for i, v := range vs {
			sound(t, o.Texts[i], v, len(vs[0]), o.Unit)
			for j := range i {
				if slices.Equal(v, vs[j]) {
					t.Errorf("texts %d and %d have the same vector", i, j)
				}
			}
		}
	})
	t.Run("awkward texts", func(t *testing.T) { // a vector each; only an empty text's need not have length 1
		vs := all(t, open(t).Embed, append(slices.Clone(awkward), o.Texts[0]))
		for i, v := range vs {
			sound(t, "an awkward text", v, len(vs[len(vs)-1]), o.Unit && i == len(awkward))
		}
	})
	c := contract[string, []float32]{
		open:  func(t *testing.T) asker[string, []float32] { return open(t).Embed },
		items: append(slices.Clone(o.Texts), "two\nlines"),
		differ: func(a, b []float32) string {
			if slices.Equal(a, b) {
				return ""
			}
			return "another vector"
		},
		spoil: func(text *string) { *text = "spoilt" },
		clone: slices.Clone[[]string],
		hint:  o.Hint,
	}
	c.run(t)
	t.Run("many", c.many)
}
