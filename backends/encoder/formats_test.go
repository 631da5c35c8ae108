package encoder

import (
	"os"
	"slices"
	"testing"

	"infnet/backends"
	"infnet/backends/backendtest"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// Weights of 16 bits stay so in memory, the vectors of words included, and give
// the bits of the same weights in float32.
func TestStoredFormatChangesNoBit(t *testing.T) {
	texts := []string{"a", "the film is good", "one two three four five six seven eight nine ten eleven twelve", ""}
	for _, name := range []string{"bert", "distilbert", "mpnet"} {
		t.Run(name, func(t *testing.T) {
			folder := os.DirFS("testdata/" + name)
			for format, dtype := range map[number.Format]safetensors.DType{number.BFloat16: safetensors.BF16,
				number.Float16: safetensors.F16} {
				var vectors [][][]float32
				for _, as := range []safetensors.DType{dtype, safetensors.F32} {
					e, err := OpenFS(backendtest.Stored(t, folder, format, as), backends.EncoderConfig{Threads: 2})
					if err != nil {
						t.Fatal(err)
					}
					n := e.net
					for i, got := range []number.Format{n.words.Format, n.layers[0].qkv.Format(), n.layers[0].out.Format(),
						n.layers[0].up.Format(), n.layers[0].down.Format()} {
						if as == dtype && got != format {
							t.Errorf("matrix %d of a %s checkpoint is kept in format %d", i, dtype, got)
						}
					}
					v, err := e.Embed(t.Context(), texts)
					if err != nil {
						t.Fatal(err)
					}
					vectors = append(vectors, v)
				}
				for i := range texts {
					if !slices.Equal(vectors[0][i], vectors[1][i]) {
						t.Errorf("%s: text %d has another vector than in float32", dtype, i)
					}
				}
			}
		})
	}
}
