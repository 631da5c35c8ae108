package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestDenseVariantsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	negZero := float32(math.Copysign(0, -1))
	special := []float32{0, negZero, 1e-40, -1e-40, 13, -13, 14, -14, 1e30, -1e30, float32(math.Inf(1)),
		float32(math.Inf(-1)), float32(math.NaN()), 0.5, -0.5, 1}
	for _, v := range variants() {
		for _, n := range []int{16, 32, 48, 384, 4096} {
			for _, scale := range []float64{0.01, 1, 30} {
				x, w, y := random(rng, n, scale), random(rng, n, 1), random(rng, n, scale)
				clone := func(x []float32) []float32 { return append([]float32(nil), x...) }
				one := func(name string, f func(o *ops) []float32) {
					t.Helper()
					bits(t, fmt.Sprintf("%s %s n=%d scale=%v", v.name, name, n, scale), f(&portable), f(&v))
				}
				one("sum", func(o *ops) []float32 { return []float32{o.sum(&x[0], n)} })
				one("add", func(o *ops) []float32 { d := clone(y); o.add(&d[0], &x[0], n); return d })
				one("geluBias", func(o *ops) []float32 { d := clone(y); o.geluBias(&d[0], &x[0], &w[0], n); return d })
				zero := make([]float32, n)
				for i := range zero {
					zero[i] = negZero // adds nothing to -0 either
				}
				z := clone(x)
				copy(z, special)
				one("geluBias, special", func(o *ops) []float32 { d := clone(y); o.geluBias(&d[0], &z[0], &zero[0], n); return d })
			}
		}
	}
}

// The stated error of the exact GELU, against the float64 library function.
func TestGeluAccuracy(t *testing.T) {
	x, zero := make([]float32, 16), make([]float32, 16)
	worst := 0.0
	for v := -40.0; v < 40; v += 0.00071 {
		x[0] = float32(v)
		y := float64(x[0])
		GeluBias(x, x, zero)
		want := y / 2 * math.Erfc(-y/math.Sqrt2)
		worst = max(worst, math.Abs(float64(x[0])-want)/max(1, math.Abs(y)))
	}
	if worst > 2e-7 {
		t.Errorf("error of gelu relative to max(1,|x|): %.3g, stated 2e-7", worst)
	}
	t.Logf("%.3g", worst)
}

// Against the definition in float64, padding and all.
func TestLayerNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, d := range []int{1, 5, 32, 40, 384} {
		n := Round(d)
		x, w, b := make([]float32, n), make([]float32, n), make([]float32, n)
		copy(x, random(rng, d, 3))
		copy(w, random(rng, d, 1))
		copy(b, random(rng, d, 1))
		mean, variance := 0.0, 0.0
		for _, v := range x[:d] {
			mean += float64(v) / float64(d)
		}
		for _, v := range x[:d] {
			variance += (float64(v) - mean) * (float64(v) - mean) / float64(d)
		}
		got := make([]float32, n)
		LayerNorm(got, x, w, b, d, 1e-5)
		for i := range n {
			want := 0.0
			if i < d {
				want = (float64(x[i])-mean)/math.Sqrt(variance+1e-5)*float64(w[i]) + float64(b[i])
			}
			if math.Abs(float64(got[i])-want) > 3e-6 {
				t.Errorf("d=%d: element %d is %v, want %v", d, i, got[i], want)
			}
		}
	}
}
