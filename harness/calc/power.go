package calc

import "math"

// Exp returns e^x, within 0.52 units in the last place where it is normal.
func Exp(x float64) float64 { return expOf(x, 0) }

// expOf returns e^(x+low), |low| far below |x|.
//
//	x = (parts·k + j)·ln 2/parts + r,   e^x = 2^k · 2^(j/parts) · e^r
func expOf(x, low float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case x > 709.782712893384: // the largest x whose power is finite
		return math.Inf(1)
	case x < -745.1332191019412: // below half the smallest number
		return 0
	}
	const shift = 0x1.8p52 // adding it rounds to a whole number
	n := (float64(x*(parts/math.Ln2)) + shift) - shift
	r := (x - float64(n*(ln2High/parts))) - float64(n*(ln2Low/parts)) + low
	square := float64(r * r)
	p := r + float64(square*(0.5+float64(r*(1./6+float64(r*(1./24+float64(r*(1./120))))))))
	t, k := &power[int(n)&(parts-1)], int(n)>>7
	v := t.hi + (t.lo + float64(t.hi*p))
	if k < -1021 || k > 1022 { // the last step may leave the normal numbers
		return v * scale(k/2) * scale(k-k/2)
	}
	return v * scale(k)
}

// scale returns 2^k, −1022 ≤ k ≤ 1023.
func scale(k int) float64 { return math.Float64frombits(uint64(k+1023) << 52) }

// Pow returns x^y within 0.6 units in the last place, so that a power that is
// a number is that number. Special cases are those of math.Pow.
func Pow(x, y float64) float64 {
	if x <= 0 || y == 0 || x == 1 || math.IsInf(x, 0) || math.IsNaN(x) || math.IsInf(y, 0) || math.IsNaN(y) {
		if x < 0 && !math.IsInf(x, 0) && y == math.Trunc(y) && !math.IsInf(y, 0) && y != 0 {
			if math.Mod(y, 2) != 0 {
				return -Pow(-x, y)
			}
			return Pow(-x, y)
		}
		return math.Pow(x, y) // 0, 1, ±Inf or NaN: nothing is computed
	}
	l := logOfPositive(x)
	p := product(y, l.hi)
	if math.Abs(p.hi) > 1000 || p.hi == 0 {
		return Exp(p.hi)
	}
	e := sum(p.hi, p.lo+float64(y*l.lo))
	return expOf(e.hi, e.lo)
}

// Cbrt returns the cube root of x ≥ 0; that of a whole cube is whole.
func Cbrt(x float64) float64 {
	r := Pow(x, 1./3)
	if whole := math.Round(r); float64(whole*whole*whole) == x {
		return whole
	}
	return r
}

// Log returns ln x within 0.51 units in the last place; −Inf at 0, NaN below it.
func Log(x float64) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return math.Log(x) // no arithmetic: ±Inf or NaN
	}
	return logOfPositive(x).value()
}

// Log1p returns ln(1+x).
func Log1p(x float64) float64 {
	if !(x > -1) || x > math.MaxFloat64 || x == 0 {
		return math.Log1p(x) // no arithmetic: 0, ±Inf or NaN
	}
	return log1p(x).value()
}

// Log2 returns the binary logarithm; that of a power of two is whole.
func Log2(x float64) float64 { return inBase(x, inLog2) }

// Log10 returns the decimal logarithm; that of a power of ten is whole.
func Log10(x float64) float64 { return inBase(x, inLog1) }

func inBase(x float64, perNatural pair) float64 {
	if !(x > 0) || x > math.MaxFloat64 {
		return math.Log(x)
	}
	return logOfPositive(x).times(perNatural).value()
}

// log1p returns ln(1+x) for finite x > −1.
func log1p(x float64) pair {
	s := sum(1, x)
	l := logOfPositive(s.hi)
	return sum(l.hi, l.lo+s.lo/s.hi)
}

// logOfPositive returns ln x for finite x > 0, with about 68 bits.
//
//	x = 2^k·m,   √½ ≤ m < √2,   r = m·i/cells − 1 with i = cells/m rounded
//	ln x = k·ln 2 − ln(i/cells) + ln(1+r),   |r| < 0.003
func logOfPositive(x float64) pair {
	const rootHalf = 0x3fe6a09e00000000 // the bits of √½, roughly
	k := 0.0
	if x < 0x1p-1022 {
		x, k = x*0x1p60, -60
	}
	bits := math.Float64bits(x)
	above := int64(bits-rootHalf) >> 52
	k += float64(above)
	m := math.Float64frombits(bits - uint64(above)<<52)
	i := int(cells/m + 0.5)
	scaled := product(m, float64(i)/cells)
	r := sum(scaled.hi-1, scaled.lo)
	square := product(r.hi, r.hi)
	x = r.hi
	rest := 1./3 - float64(x*(1./4-float64(x*(1./5-float64(x*(1./6-float64(x*(1./7-float64(x*(1./8))))))))))
	rest = float64(float64(x*square.hi)*rest) - float64(square.lo/2) + (r.lo - float64(x*r.lo))
	t := &logOf[i-leastCell]
	a := sum(float64(k*ln2High), t.hi)
	b := sum(a.hi, x)
	c := sum(b.hi, float64(-square.hi/2))
	return sum(c.hi, a.lo+b.lo+c.lo+(rest+(t.lo+float64(k*ln2Low))))
}

// Sin returns the sine of x, |x| ≤ 1e5, within 1e-16.
func Sin(x float64) float64 { return turned(x, 0) }

// Cos returns the cosine of x, |x| ≤ 1e5, within 1e-16.
func Cos(x float64) float64 { return turned(x, 1) }

// turned returns sin(x + quarters·π/2), by the series of the nearer of sine and cosine.
func turned(x float64, quarters int) float64 {
	const first, second = 0x1.921fb54p+00, 0x1.10b46p-30 // of π/2, with few bits each
	n := math.RoundToEven(float64(x * (2 / math.Pi)))
	r := ((x - float64(n*first)) - float64(n*second)) - float64(n*(math.Pi/2-first-second))
	square, total := float64(r*r), 0.0
	quarter := (int(n) + quarters) & 3
	for k := 18 - 1 + (quarter & 1); k > 1; k -= 2 { // Σ (−1)^j r^k/k!, Horner's way
		total = float64((1+total)*square) / float64(-k*(k-1))
	}
	if quarter&1 == 0 {
		total = r + float64(r*total)
	} else {
		total++
	}
	if quarter > 1 {
		return -total
	}
	return total
}
