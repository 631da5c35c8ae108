package encoder

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"infnet/backends"
	"infnet/backends/backendtest"
)

// Every architecture, activation, format and SIMD width gives the bits of the portable code: the
// SHA-256 of the vectors of all texts with weights in float16, written by the first version of the forward
// pass, which the reference's vectors (TestEqualToTheReference) hold to 2e-5. Weights of 16 bits give the
// bits of the same weights in float32, each time on another number of threads.
func TestGoldenBits(t *testing.T) {
	var ref reference
	readFixture(t, "expected.json", &ref)
	texts := ref.Texts
	for i := range 30 {
		texts = append(texts, strings.Repeat("now and then ", i))
	}
	for _, c := range []struct{ folder, activation, want string }{
		{"bert", "gelu", "26cd33b53b7ed2902de0b787005d0d35e2deff4513b3cf28d483d5a07e727b11"},
		{"bert", "relu", "dadda48cadf2bf1ee372f02e69757f2d92143b178a9918700234148fb0e29441"},
		{"distilbert", "gelu", "75473602e43a00d33a30441baf09142806f430c58f5caabc3967399b67b1ac90"},
		{"mpnet", "gelu", "e20c2f028b59c5ad390b751890f79eb711fae92cf8f24b9e66fb03eee397082c"},
	} {
		threads := 0
		bits := func(folder fstest.MapFS) string {
			backendtest.Edit(t, folder, "config.json", `"gelu"`, `"`+c.activation+`"`)
			threads++
			e, err := OpenFS(folder, backends.FolderConfig{Threads: threads})
			if err != nil {
				t.Fatal(err)
			}
			vectors, err := e.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			h := sha256.New()
			for _, v := range vectors {
				binary.Write(h, binary.LittleEndian, v)
			}
			return hex.EncodeToString(h.Sum(nil))
		}
		backendtest.StoredBits(t, os.DirFS("testdata/"+c.folder), bits, c.want)
	}
}
