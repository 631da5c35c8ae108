package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// specials are numbers on which implementations differ when they differ.
func specials() []float32 {
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	return []float32{0, float32(math.Copysign(0, -1)), 1e-40, -1e-40, 1, -1, 3.915, -3.915, 3.9150002, 88, -87.3,
		-87.31, 1e30, -1e30, math.MaxFloat32, -math.MaxFloat32, inf, -inf, nan, 0.5, 1e-20, -1e-20, 2, 7}
}

// Every variant gives the portable bits, at every length around a vector's, on
// ordinary and special numbers, in place and not.
func TestVectorVariantsAgree(t *testing.T) {
	was := best
	defer func() { best = was }()
	rng := rand.New(rand.NewPCG(21, 22))
	for _, v := range variants() {
		for _, n := range []int{0, 1, 7, 8, 9, 15, 16, 17, 31, 257} {
			x, y := random(rng, n, 3), random(rng, n, 3)
			s := specials()
			for i := 0; i < n && n > 16; i++ {
				x[i] = s[i%len(s)]
				y[i] = s[i/len(s)%len(s)]
			}
			run := func(o ops, f func(dst, a, b []float32)) []float32 {
				best = o
				dst := make([]float32, n)
				f(dst, x, y)
				inPlace := slices.Clone(x)
				f(inPlace, inPlace, y)
				bits(t, fmt.Sprintf("%s n=%d in place", o.name, n), dst, inPlace)
				return dst
			}
			for op := range binaries {
				f := func(dst, a, b []float32) { op.Apply(dst, a, b) }
				bits(t, fmt.Sprintf("%s binary %d n=%d", v.name, op, n), run(portable, f), run(v, f))
			}
			for op := range unaries {
				f := func(dst, a, _ []float32) { op.Apply(dst, a) }
				bits(t, fmt.Sprintf("%s unary %d n=%d", v.name, op, n), run(portable, f), run(v, f))
			}
			c := Adam{0.1, 0.999, 0.001, 0.3, 1e-8, 2e-5, 0.99999}
			adam := func(o ops) []float32 {
				best = o
				w, m, v2 := slices.Clone(y), slices.Clone(y), slices.Clone(x)
				for range 3 {
					c.Step(w, x, m, v2)
				}
				return slices.Concat(w, m, v2)
			}
			bits(t, fmt.Sprintf("%s adam n=%d", v.name, n), adam(portable), adam(v))
		}
	}
}

// The operations are what they say, and the error function has its stated error, against the
// standard library in float64.
func TestVectorAccuracy(t *testing.T) {
	x := []float32{2.25, -3, 0.1, 1e-30, 7, 0.3, 12, -0.4, 5}
	y := []float32{2, 0.5, -3, 4, 1e10, 0.7, 1, 3, -9}
	got := make([]float32, len(x))
	for op, want := range []func(a, b float32) float32{
		Plus:  func(a, b float32) float32 { return a + b },
		Minus: func(a, b float32) float32 { return a - b },
		Times: func(a, b float32) float32 { return a * b },
		Over:  func(a, b float32) float32 { return a / b },
	} {
		Binary(op).Apply(got, x, y)
		for i := range x {
			if got[i] != want(x[i], y[i]) {
				t.Errorf("operation %d of %v and %v: %v", op, x[i], y[i], got[i])
			}
		}
	}
	worst := 0.0
	for v := float32(1e-30); v < 8; v = v*1.00007 + 1e-6 {
		for _, x := range []float32{v, -v} {
			want := math.Erf(float64(x))
			worst = max(worst, math.Abs(float64(Erf(x))-want)/math.Abs(want))
		}
	}
	if worst > 4e-7 || Erf(50) != 1 || Erf(-50) != -1 {
		t.Errorf("relative error of erf: %.3g, stated 4e-7; far out %v, %v", worst, Erf(50), Erf(-50))
	}
	t.Logf("%.3g", worst)
}
