package kernel

import (
	"math"
	"unsafe"
)

// The exponential: x = n·ln2 + r with |r| ≤ ln2/2, e^r as a polynomial, 2^n by
// adding n to the exponent. The coefficients of (e^r - 1 - r)/r² were fitted by
// iteratively reweighted least squares to the smallest greatest relative error
// of e^r, which is 5e-9 before rounding to float32.
const (
	expLow  = -87.3    // below: 0
	expHigh = 88       // above: e^88
	expBias = 12582912 // 1.5·2^23: adding it rounds to the nearest integer
	log2e   = 1.4426950408889634
	ln2High = 0.693359375 // ln2 in two parts; n·ln2High is exact
	ln2Low  = -2.12194440e-4
	expC0   = 0.4999999403953552
	expC1   = 0.1666651964187622
	expC2   = 0.041668400168418884
	expC3   = 0.008368837647140026
	expC4   = 0.0013814348494634032
)

// gelu(x) = x / (1 + exp(x·(geluA + geluB·x²))): the same function as with
// tanh, since (1 + tanh u)/2 = 1/(1 + e^-2u).
const (
	geluA = -1.5957691216057308 // -2·sqrt(2/π)
	geluB = geluA * 0.044715
)

// expGo returns e^x for x ≤ 88 with a relative error below 2e-7, 0 below
// -87.3, NaN for NaN.
func expGo(x float32) float32 {
	if x < expLow {
		return 0
	}
	if x > expHigh {
		x = expHigh
	}
	t := float32(x*log2e) + expBias
	n := t - expBias
	r := x - float32(n*ln2High)
	r = r - float32(n*ln2Low)
	p := float32(r*expC4) + expC3
	p = float32(p*r) + expC2
	p = float32(p*r) + expC1
	p = float32(p*r) + expC0
	p = float32(p*float32(r*r)) + r
	p = p + 1
	return math.Float32frombits(math.Float32bits(p) + math.Float32bits(t)<<23)
}

// Exp returns e^x in the runtime's arithmetic: relative error below 2e-7 up to
// x = 88, 0 below -87.3.
func Exp(x float32) float32 { return expGo(x) }

func gemmGo(dst *float32, ldc int, a *float32, lda int, b *float32, k, m int) {
	c, x, w := unsafe.Slice(dst, (m-1)*ldc+Width), unsafe.Slice(a, (m-1)*lda+k), unsafe.Slice(b, k*Width)
	for i := range m {
		row, out := x[i*lda:i*lda+k], c[i*ldc:i*ldc+Width]
		for j := 0; j < Width; j += 8 {
			var s0, s1, s2, s3, s4, s5, s6, s7 float32
			for l, v := range row {
				p := w[l*Width+j : l*Width+j+8 : l*Width+j+8]
				s0 = float32(v*p[0]) + s0
				s1 = float32(v*p[1]) + s1
				s2 = float32(v*p[2]) + s2
				s3 = float32(v*p[3]) + s3
				s4 = float32(v*p[4]) + s4
				s5 = float32(v*p[5]) + s5
				s6 = float32(v*p[6]) + s6
				s7 = float32(v*p[7]) + s7
			}
			o := out[j : j+8 : j+8]
			o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7] = s0, s1, s2, s3, s4, s5, s6, s7
		}
	}
}

// tree adds sixteen partial sums: distance 8, 4, 2, 1.
func tree(s *[lanes]float32) float32 {
	for d := lanes / 2; d > 0; d /= 2 {
		for i := range d {
			s[i] += s[i+d]
		}
	}
	return s[0]
}

func sumsqGo(x *float32, n int) float32 {
	var s [lanes]float32
	for i, v := range unsafe.Slice(x, n) {
		s[i%lanes] = float32(v*v) + s[i%lanes]
	}
	return tree(&s)
}

func maximumGo(x *float32, n int) float32 {
	m := *x
	for _, v := range unsafe.Slice(x, n) {
		if v > m {
			m = v
		}
	}
	return m
}

func expSumGo(x *float32, max float32, n int) float32 {
	var s [lanes]float32
	xs := unsafe.Slice(x, n)
	for i, v := range xs {
		e := expGo(v - max)
		xs[i] = e
		s[i%lanes] += e
	}
	return tree(&s)
}

func scaleGo(dst, x, w *float32, r float32, n int) {
	d, xs, ws := unsafe.Slice(dst, n), unsafe.Slice(x, n), unsafe.Slice(w, n)
	for i, v := range xs {
		d[i] = float32(v*r) * ws[i]
	}
}

func addScaleGo(dst, x, w *float32, r float32, n int) {
	d, xs, ws := unsafe.Slice(dst, n), unsafe.Slice(x, n), unsafe.Slice(w, n)
	for i, v := range xs {
		d[i] = float32(float32(v*r)*ws[i]) + d[i]
	}
}

func geluMulGo(dst, gate, up *float32, n int) {
	d, g, u := unsafe.Slice(dst, n), unsafe.Slice(gate, n), unsafe.Slice(up, n)
	for i, x := range g {
		e := expGo(x * (float32(float32(x*x)*geluB) + geluA))
		d[i] = x / (1 + e) * u[i]
	}
}

func siluMulGo(dst, gate, up *float32, n int) {
	d, g, u := unsafe.Slice(dst, n), unsafe.Slice(gate, n), unsafe.Slice(up, n)
	for i, x := range g {
		d[i] = x / (1 + expGo(-x)) * u[i]
	}
}

func rotateGo(dst, x, cos, sin *float32, half int) {
	d, v := unsafe.Slice(dst, 2*half), unsafe.Slice(x, 2*half)
	c, s := unsafe.Slice(cos, half), unsafe.Slice(sin, half)
	for i := range half {
		a, b := v[i], v[i+half]
		d[i] = float32(a*c[i]) - float32(b*s[i])
		d[i+half] = float32(b*c[i]) + float32(a*s[i])
	}
}

// The float64 functions behind position tables and log-probabilities. The
// standard library's may fuse multiplications and additions on some
// architectures; these round every operation, so the last bit is the same
// everywhere. Absolute errors stay below 1e-14 in the ranges stated.

// Ln returns the natural logarithm of a positive, finite, normal x.
func Ln(x float64) float64 {
	m, e := math.Frexp(x) // exact
	if m < math.Sqrt2/2 {
		m, e = 2*m, e-1
	}
	// ln m = 2·artanh(s), s = (m-1)/(m+1), |s| ≤ 0.172
	s := (m - 1) / (m + 1)
	q, sum := float64(s*s), 0.0
	for k := 21; k >= 1; k -= 2 {
		sum = float64(sum*q) + 1/float64(k)
	}
	return float64(float64(e)*math.Ln2) + float64(2*s*sum)
}

// Power returns base^(-x) for base > 0 and a result within float64's normal
// range.
func Power(base, x float64) float64 {
	y := -float64(x * Ln(base))
	n := math.Floor(float64(y*math.Log2E) + 0.5)
	r := y - float64(n*0x1.62e42feep-1) - float64(n*0x1.a39ef35793c76p-33)
	sum := 1.0
	for k := 16; k >= 1; k-- {
		sum = 1 + float64(float64(r*sum)/float64(k))
	}
	return math.Ldexp(sum, int(n))
}

// SinCos returns the sine and cosine of x radians, 0 ≤ x ≤ 2^20.
func SinCos(x float64) (sin, cos float64) {
	n := math.Floor(float64(x*(2/math.Pi)) + 0.5)
	r := x - float64(n*0x1.921fb544p0) - float64(n*0x1.0b4611a626331p-34)
	q := float64(r * r)
	s, c := 1.0, 1.0
	for k := 20.0; k >= 2; k -= 2 {
		s = 1 - float64(float64(q*s)/float64(k*(k+1)))
		c = 1 - float64(float64(q*c)/float64(k*(k-1)))
	}
	s = float64(s * r)
	switch int64(n) & 3 {
	case 0:
		return s, c
	case 1:
		return c, -s
	case 2:
		return -s, -c
	}
	return -c, s
}
