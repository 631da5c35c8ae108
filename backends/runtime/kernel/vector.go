package kernel

import (
	"fmt"
	"math"
	"unsafe"
)

// Operations on each number of vectors of any length: what training needs. The destination may be an
// operand.

// Binary is an operation on pairs of numbers.
type Binary uint8

const (
	Plus Binary = iota
	Minus
	Times
	Over
	binaries
)

// Apply writes a and b joined, number by number.
func (o Binary) Apply(dst, a, b []float32) {
	n := equal(len(dst), len(a), len(b))
	if whole := n &^ (lanes/2 - 1); whole > 0 {
		best.binary[o](&dst[0], &a[0], &b[0], whole)
		dst, a, b, n = dst[whole:], a[whole:], b[whole:], n-whole
	}
	if n > 0 {
		portable.binary[o](&dst[0], &a[0], &b[0], n)
	}
}

// Unary is a function of a number.
type Unary uint8

const (
	Negative      Unary = iota
	Root                // the square root, correctly rounded
	Exponential         // as Exp
	ErrorFunction       // as Erf
	unaries
)

// Apply writes the function of every number of x.
func (u Unary) Apply(dst, x []float32) {
	n := equal(len(dst), len(x), len(x))
	if whole := n &^ (lanes/2 - 1); whole > 0 {
		best.unary[u](&dst[0], &x[0], whole)
		dst, x, n = dst[whole:], x[whole:], n-whole
	}
	if n > 0 {
		portable.unary[u](&dst[0], &x[0], n)
	}
}

// Adam is a step of the optimiser AdamW in float32, for one weight w with its gradient g:
//
//	m ← m + Rise1·(g − m);  v ← Keep2·v + (Rise2·g)·g
//	w ← Keep·w − Size·(m / (√v/Root + Epsilon))
type Adam struct{ Rise1, Keep2, Rise2, Root, Epsilon, Size, Keep float32 }

// Step changes w, m and v.
func (c Adam) Step(w, g, m, v []float32) {
	n := equal(len(w), len(g), len(m))
	if len(v) != n {
		panic(fmt.Sprintf("kernel.Adam: %d weights, %d second moments", n, len(v)))
	}
	if whole := n &^ (lanes/2 - 1); whole > 0 {
		best.adam(&w[0], &g[0], &m[0], &v[0], &c, whole)
		w, g, m, v, n = w[whole:], g[whole:], m[whole:], v[whole:], n-whole
	}
	if n > 0 {
		adamGo(&w[0], &g[0], &m[0], &v[0], &c, n)
	}
}

func equal(a, b, c int) int {
	if a != b || b != c {
		panic(fmt.Sprintf("kernel: vectors of %d, %d, %d numbers", a, b, c))
	}
	return a
}

func plusGo(dst, a, b *float32, n int) {
	d, y := unsafe.Slice(dst, n), unsafe.Slice(b, n)
	for i, v := range unsafe.Slice(a, n) {
		d[i] = v + y[i]
	}
}

func minusGo(dst, a, b *float32, n int) {
	d, y := unsafe.Slice(dst, n), unsafe.Slice(b, n)
	for i, v := range unsafe.Slice(a, n) {
		d[i] = v - y[i]
	}
}

func timesGo(dst, a, b *float32, n int) {
	d, y := unsafe.Slice(dst, n), unsafe.Slice(b, n)
	for i, v := range unsafe.Slice(a, n) {
		d[i] = v * y[i]
	}
}

func overGo(dst, a, b *float32, n int) {
	d, y := unsafe.Slice(dst, n), unsafe.Slice(b, n)
	for i, v := range unsafe.Slice(a, n) {
		d[i] = v / y[i]
	}
}

func negativeGo(dst, x *float32, n int) {
	d := unsafe.Slice(dst, n)
	for i, v := range unsafe.Slice(x, n) {
		d[i] = -v
	}
}

func rootGo(dst, x *float32, n int) {
	d := unsafe.Slice(dst, n)
	for i, v := range unsafe.Slice(x, n) {
		d[i] = float32(math.Sqrt(float64(v)))
	}
}

func exponentialGo(dst, x *float32, n int) {
	d := unsafe.Slice(dst, n)
	for i, v := range unsafe.Slice(x, n) {
		d[i] = expGo(v)
	}
}

// The error function: x·P(x²)/Q(x²) up to |x| = 3.915, from where on it is 1, and no more than 1. The
// coefficients were fitted by iteratively reweighted least squares to the smallest greatest relative
// error, which is 5.2e-8 before rounding to float32.
const (
	erfEnd = 3.915
	erfP0  = 1.1283791065216064
	erfP1  = 0.19993193447589874
	erfP2  = 0.05057433247566223
	erfP3  = 0.003701880108565092
	erfP4  = 0.00014185351028572768
	erfP5  = -1.9577773855417036e-06
	erfP6  = 1.99229326369732e-08
	erfQ1  = 0.5105167031288147
	erfQ2  = 0.11500149220228195
	erfQ3  = 0.014353816397488117
	erfQ4  = 0.0009560922626405954
)

// Erf returns the error function, odd, with a relative error below 4e-7; NaN for NaN.
func Erf(x float32) float32 {
	if x > erfEnd {
		x = erfEnd
	}
	if x < -erfEnd {
		x = -erfEnd
	}
	t := x * x
	p := float32(t*erfP6) + erfP5
	p = float32(p*t) + erfP4
	p = float32(p*t) + erfP3
	p = float32(p*t) + erfP2
	p = float32(p*t) + erfP1
	p = float32(p*t) + erfP0
	q := float32(t*erfQ4) + erfQ3
	q = float32(q*t) + erfQ2
	q = float32(q*t) + erfQ1
	q = float32(q*t) + 1
	y := p * x / q
	if y > 1 {
		y = 1
	}
	if y < -1 {
		y = -1
	}
	return y
}

func erfGo(dst, x *float32, n int) {
	d := unsafe.Slice(dst, n)
	for i, v := range unsafe.Slice(x, n) {
		d[i] = Erf(v)
	}
}

func adamGo(w, g, m, v *float32, c *Adam, n int) {
	ws, gs, ms, vs := unsafe.Slice(w, n), unsafe.Slice(g, n), unsafe.Slice(m, n), unsafe.Slice(v, n)
	for i, g := range gs {
		ms[i] += float32(c.Rise1 * (g - ms[i]))
		vs[i] = float32(c.Keep2*vs[i]) + float32(float32(c.Rise2*g)*g)
		by := float32(math.Sqrt(float64(vs[i])))/c.Root + c.Epsilon
		ws[i] = float32(ws[i]*c.Keep) - float32(c.Size*(ms[i]/by))
	}
}
