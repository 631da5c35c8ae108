package bart

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"testing"
	"testing/fstest"

	"infnet/backends/backendtest"
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
			backendtest.Edit(t, folder, "config.json", `"scale_embedding": true`, `"scale_embedding": `+scaled)
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
		backendtest.StoredBits(t, os.DirFS("testdata/tiny"), bits, want)
	}
}
