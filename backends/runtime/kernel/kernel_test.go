package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"infnet/backends/runtime/number"
)

func random(rng *rand.Rand, n int, scale float64) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * scale)
	}
	return x
}

// bits compares bit patterns; the sign and payload of a NaN do not matter.
func bits(t *testing.T, what string, want, got []float32) {
	t.Helper()
	for i := range want {
		if math.IsNaN(float64(want[i])) && math.IsNaN(float64(got[i])) {
			continue
		}
		if math.Float32bits(want[i]) != math.Float32bits(got[i]) {
			t.Fatalf("%s: element %d is %v (%#x), want %v (%#x)", what, i, got[i], math.Float32bits(got[i]), want[i],
				math.Float32bits(want[i]))
		}
	}
}

// Every variant gives the bits of the portable one, at every row count around the block sizes, whole or added part by
// part of a panel, and writes nothing outside its rows.
func TestPanelVariantsAgree(t *testing.T) {
	was := best
	defer func() { best = was }()
	rng := rand.New(rand.NewPCG(1, 3))
	for _, v := range variants() {
		best = v
		for _, m := range []int{1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 19, 23} {
			for _, k := range []int{1, 2, 7, 32, 65, blockDepth - 1, blockDepth, blockDepth + 1, 3*blockDepth + 5} {
				lda, ldc := k+3, Width+5
				a, b := random(rng, m*lda, 1), random(rng, k*Width, 1)
				want := random(rng, m*ldc, 1)
				got := append([]float32(nil), want...)
				portable.gemm(&want[0], ldc, &a[0], lda, &b[0], k, m)
				Panel(got, ldc, a, lda, b, k, m)
				bits(t, fmt.Sprintf("%s m=%d k=%d", v.name, m, k), want, got)
			}
		}
	}
}

// The portable product is the plain sum in order of k.
func TestPanelOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	const m, k = 5, 33
	a, b, got := random(rng, m*k, 1), random(rng, k*Width, 1), make([]float32, m*Width)
	Panel(got, Width, a, k, b, k, m)
	want := make([]float32, m*Width)
	for i := range m {
		for j := range Width {
			for l := range k {
				want[i*Width+j] += float32(a[i*k+l] * b[l*Width+j])
			}
		}
	}
	bits(t, best.name, want, got)
}

func TestRowVariantsAgree(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	negZero := float32(math.Copysign(0, -1))
	special := []float32{0, negZero, 1e-40, -1e-40, -87.3, -87.30001, -88, -200, 88, 89, 500, -500, 13, -13, 14, -14,
		float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN())}
	nothing := make([]float32, 4096)
	for i := range nothing {
		nothing[i] = negZero // adds nothing to -0 either
	}
	for _, v := range variants() {
		for _, n := range []int{16, 32, 48, 192, 4096} {
			for _, scale := range []float64{0.01, 1, 30} {
				x, w, y := random(rng, n, scale), random(rng, n, 1), random(rng, n, scale)
				clone := func(x []float32) []float32 { return append([]float32(nil), x...) }
				one := func(name string, f func(o *ops) []float32) {
					bits(t, fmt.Sprintf("%s %s n=%d scale=%v", v.name, name, n, scale), f(&portable), f(&v))
				}
				one("sumsq", func(o *ops) []float32 { return []float32{o.sumsq(&x[0], n)} })
				one("maximum", func(o *ops) []float32 { return []float32{o.maximum(&x[0], n)} })
				one("scale", func(o *ops) []float32 { d := clone(y); o.scale(&d[0], &x[0], &w[0], 0.7, n); return d })
				one("addScale", func(o *ops) []float32 { d := clone(y); o.addScale(&d[0], &x[0], &w[0], 0.7, n); return d })
				one("rotate", func(o *ops) []float32 { d := clone(y); o.rotate(&d[0], &x[0], &w[0], &y[0], n/2/8*8); return d })
				one("expSum", func(o *ops) []float32 { d := clone(x); s := o.expSum(&d[0], 3, n); return append(d, s) })
				one("sum", func(o *ops) []float32 { return []float32{o.sum(&x[0], n)} })
				one("add", func(o *ops) []float32 { d := clone(y); o.add(&d[0], &x[0], n); return d })
				one("geluBias", func(o *ops) []float32 { d := clone(y); o.geluBias(&d[0], &x[0], &w[0], n); return d })
				z := clone(x)
				copy(z, special)
				one("geluBias, special", func(o *ops) []float32 {
					d := clone(y)
					o.geluBias(&d[0], &z[0], &nothing[0], n)
					return d
				})
				one("expSum, special", func(o *ops) []float32 { d := clone(z); o.expSum(&d[0], 0, n); return d })
				one("geluMul", func(o *ops) []float32 { d := clone(y); o.geluMul(&d[0], &x[0], &w[0], n); return d })
				one("siluMul", func(o *ops) []float32 { d := clone(y); o.siluMul(&d[0], &x[0], &w[0], n); return d })
				one("siluMul, special", func(o *ops) []float32 { d := clone(y); o.siluMul(&d[0], &z[0], &w[0], n); return d })
				one("geluMul, special", func(o *ops) []float32 { d := clone(y); o.geluMul(&d[0], &z[0], &w[0], n); return d })
			}
		}
	}
}

// Stated errors of the polynomials, against the float64 library functions.
func TestAccuracy(t *testing.T) {
	var worstExp, worstGelu, worstSilu, worstExact float64
	for x := float32(-87.2); x < 88; x += 0.0007 {
		want := math.Exp(float64(x))
		worstExp = max(worstExp, math.Abs(float64(Exp(x))-want)/want)
	}
	up := make([]float32, 16)
	for i := range up {
		up[i] = 1
	}
	for x := -20.0; x < 20; x += 0.0013 {
		g := make([]float32, 16)
		g[0] = float32(x)
		v := float64(g[0])
		GeluMul(g, g, up)
		want := v / 2 * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(v+0.044715*v*v*v)))
		worstGelu = max(worstGelu, math.Abs(float64(g[0])-want)/max(1, math.Abs(v)))
		g[0] = float32(x)
		SiluMul(g, g, up)
		want = v / (1 + math.Exp(-v))
		worstSilu = max(worstSilu, math.Abs(float64(g[0])-want)/max(1, math.Abs(v)))
	}
	x, zero := make([]float32, 16), make([]float32, 16)
	for v := -40.0; v < 40; v += 0.00071 {
		x[0] = float32(v)
		y := float64(x[0])
		GeluBias(x, x, zero)
		worstExact = max(worstExact, math.Abs(float64(x[0])-y/2*math.Erfc(-y/math.Sqrt2))/max(1, math.Abs(y)))
	}
	if worstExact > 2e-7 {
		t.Errorf("error of the exact gelu relative to max(1,|x|): %.3g, stated 2e-7", worstExact)
	}
	if worstExp > 2e-7 {
		t.Errorf("relative error of exp: %.3g, stated 2e-7", worstExp)
	}
	if worstGelu > 3e-7 {
		t.Errorf("error of gelu relative to max(1,|x|): %.3g, stated 3e-7", worstGelu)
	}
	if worstSilu > 3e-7 {
		t.Errorf("error of silu relative to max(1,|x|): %.3g, stated 3e-7", worstSilu)
	}
	t.Logf("exp %.3g, gelu %.3g, silu %.3g, exact gelu %.3g", worstExp, worstGelu, worstSilu, worstExact)
}

func TestSoftmaxAndNorm(t *testing.T) {
	x := make([]float32, Width)
	copy(x, []float32{1, 2, 3, 99})
	m, sum := Softmax(x, 3) // the fourth number is beyond n
	want := math.Exp(-2) + math.Exp(-1) + 1
	if m != 3 || math.Abs(float64(sum)-want) > 1e-6 || x[3] != 0 || x[31] != 0 {
		t.Errorf("softmax of 1,2,3: max %v sum %v rest %v, want 3, %v, 0", m, sum, x[3], want)
	}
	y, w := make([]float32, Width), make([]float32, Width)
	copy(y, []float32{3, 4}) // mean square of two numbers: 12.5
	w[0], w[1] = 1, 2
	Norm(y, y, w, 2, 0)
	if r := math.Sqrt(12.5); math.Abs(float64(y[0])-3/r) > 1e-6 || math.Abs(float64(y[1])-8/r) > 1e-6 || y[2] != 0 {
		t.Errorf("norm of 3,4 = %v", y[:3])
	}
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

// packed is a matrix of w, n rows of k numbers.
func packed(w []float32, n, k int) *Matrix {
	m := NewMatrix(n, k, number.Float32)
	for i := range n {
		m.SetRow(i, number.Slice{Wide: w[i*k : (i+1)*k]})
	}
	return m
}
