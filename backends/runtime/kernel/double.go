package kernel

import "math"

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
