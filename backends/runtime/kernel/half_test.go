package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infnet/backends/runtime/number"
)

var halfFormats = map[string]number.Format{"bfloat16": number.BFloat16, "float16": number.Float16}

// Every variant's product with a panel of 16-bit numbers has the bits of the portable float32 product
// with the numbers widened beforehand, at every row count around the blocks, and writes nothing else.
func TestHalfPanelVariantsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, v := range variants() {
		for name, f := range halfFormats {
			ours := v.halves(f)
			for m := 1; m <= 19; m++ {
				for _, k := range []int{1, 2, 7, 32, 65} {
					lda, ldc := k+3, Width+5
					a, b, wide := random(rng, m*lda, 1), make([]uint16, k*Width), make([]float32, k*Width)
					for i := range b {
						b[i] = uint16(rng.Uint32())
					}
					widenPanel(f, &wide[0], &b[0], k)
					want := random(rng, m*ldc, 1)
					got := slices.Clone(want)
					portable.gemm(&want[0], ldc, &a[0], lda, &wide[0], k, m)
					ours.gemm(&got[0], ldc, &a[0], lda, &b[0], k, m)
					bits(t, fmt.Sprintf("%s %s m=%d k=%d", v.name, name, m, k), want, got)
				}
			}
		}
	}
}

// A matrix of 16-bit numbers gives the bits of its widened twin: products of any rows and range of
// outputs, and its rows.
func TestHalfMatrixIsItsWideTwin(t *testing.T) {
	was := best
	defer func() { best = was }()
	rapid.Check(t, func(t *rapid.T) {
		best = rapid.SampledFrom(variants()).Draw(t, "variant")
		f := rapid.SampledFrom([]number.Format{number.BFloat16, number.Float16}).Draw(t, "format")
		n, k := rapid.IntRange(1, 100).Draw(t, "n"), rapid.IntRange(1, 70).Draw(t, "k")
		rows := rapid.IntRange(0, 40).Draw(t, "rows")
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		w := number.Make(f, n*k)
		for i := range w.Halves {
			w.Halves[i] = uint16(rng.Uint32())&0xbfff | 0x2000 // finite in both formats
		}
		floats := make([]float32, n*k)
		w.Copy(floats)
		narrow, wide, widened := NewMatrix(n, k, f), packed(floats, n, k), NewMatrix(n, k, number.Float32)
		for i := range n {
			narrow.SetRow(i, w.Sub(i*k, (i+1)*k))
			widened.SetRow(i, w.Sub(i*k, (i+1)*k))
		}
		if !narrow.Equal(wide) || !wide.Equal(narrow) || !wide.Equal(widened) {
			t.Fatal("the rows differ")
		}
		from := rapid.IntRange(0, (n-1)/Width).Draw(t, "from") * Width
		x, ldc := random(rng, max(1, rows*k), 1), Round(n-from)
		got, want := make([]float32, rows*ldc+1), make([]float32, rows*ldc+1)
		narrow.Mul(got, ldc, x, k, rows, from, n)
		wide.Mul(want, ldc, x, k, rows, from, n)
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%s: number %d is %v, want %v", best.name, i, got[i], want[i])
			}
		}
	})
}
