package bart

import (
	"os"
	"slices"
	"testing"

	"infnet/backends/backendtest"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// Weights of 16 bits stay so in memory and give the scores of the same weights
// in float32, to the bit.
func TestStoredFormatChangesNoBit(t *testing.T) {
	pairs, _ := expected(t)
	for format, dtype := range map[number.Format]safetensors.DType{number.BFloat16: safetensors.BF16,
		number.Float16: safetensors.F16} {
		var scores [][]float64
		for _, as := range []safetensors.DType{dtype, safetensors.F32} {
			s, err := OpenFS(backendtest.Stored(t, os.DirFS("testdata/tiny"), format, as), 2)
			if err != nil {
				t.Fatal(err)
			}
			l := s.net.decoder.layers[0]
			for i, got := range []number.Format{s.net.head.Format(), l.self.query.matrix.Format(), l.cross.out.matrix.Format(),
				l.up.matrix.Format(), l.down.matrix.Format()} {
				if as == dtype && got != format {
					t.Errorf("matrix %d of a %s checkpoint is kept in format %d", i, dtype, got)
				}
			}
			out, err := s.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			scores = append(scores, out)
		}
		if !slices.Equal(scores[0], scores[1]) {
			t.Errorf("%s: other scores than in float32", dtype)
		}
	}
}
