package bart

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends/backendtest"
	"infnet/backends/runtime/number"
	"infnet/backends/runtime/safetensors"
)

// Every SIMD width gives the bits of the portable code, with token vectors scaled and as they are: the
// SHA-256 of the scores of all pairs with weights in float16, written by the first version of the forward
// pass, which the reference's scores (TestScoresEqualTheReferences) hold to 1e-5. Weights of 16 bits give the bits
// of the same weights in float32.
func TestGoldenBits(t *testing.T) {
	pairs, _ := expected(t)
	for scaled, want := range map[string]string{
		"true":  "5c12aec49388801c8f4b2cbb15cd1047a0eaddf6cdf72fbc3e6ac1ae95357444",
		"false": "6c2453ff2d2b5347238ca8bfa7fd64a66b304dc46d1b0de0401ace5f93da469a",
	} {
		bits := func(folder fstest.MapFS) string {
			config := strings.Replace(string(folder["config.json"].Data), "\"scale_embedding\": true",
				"\"scale_embedding\": "+scaled, 1)
			folder["config.json"] = &fstest.MapFile{Data: []byte(config)}
			s, err := OpenFS(folder, 2)
			if err != nil {
				t.Fatal(err)
			}
			scores, err := s.Score(t.Context(), pairs)
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			binary.Write(h, binary.LittleEndian, scores)
			return hex.EncodeToString(h.Sum(nil))
		}
		from := os.DirFS("testdata/tiny")
		for format, dtype := range map[number.Format]safetensors.DType{number.BFloat16: safetensors.BF16,
			number.Float16: safetensors.F16} {
			as := bits(backendtest.Stored(t, from, format, dtype))
			if wide := bits(backendtest.Stored(t, from, format, safetensors.F32)); as != wide {
				t.Errorf("scaled %s: %s in %s, %s in float32", scaled, as, dtype, wide)
			}
			if dtype == safetensors.F16 && as != want {
				t.Errorf("scaled %s: %s, want %s", scaled, as, want)
			}
		}
	}
}
