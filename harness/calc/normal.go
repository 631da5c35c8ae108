package calc

import "math"

// The table of e^(x²)·erfc(x): the first terms of its Taylor series around
// every sixteenth from 0 to 6.
const (
	nodes = 16
	last  = 6
	terms = 13
)

var scaledErfc = func() (t [last*nodes + 1][terms]float64) {
	const slope = 2 / (math.SqrtPi)
	for j := range t {
		x := float64(float64(j) / nodes)
		c := &t[j]
		c[0] = erfcFraction(x, 3000)
		if x < 0.5 { // e^(x²) − slope·Σ 2^n·x^(2n+1)/(2n+1)!!
			term, total := x, x
			for n := 1.0; n < 40; n++ {
				term = float64(term * (2 * x * x / (float64(2*n) + 1)))
				total += term
			}
			c[0] = Exp(x*x) - float64(slope*total)
		}
		c[1] = float64(2*x*c[0]) - slope // f′ = 2x·f − 2/√π, and so on
		for n := 2; n < terms; n++ {
			c[n] = 2 * (float64(x*c[n-1]) + c[n-2]) / float64(n)
		}
	}
	return t
}()

// erfcFraction returns e^(x²)·erfc(x), x > 0, by the continued fraction of NIST
// DLMF 7.9.1 cut after some levels.
func erfcFraction(x float64, levels int) float64 {
	f := x
	for n := levels; n > 0; n-- {
		f = x + float64(float64(n)/2)/f
	}
	return 1 / (math.SqrtPi * f)
}

// Erfc returns 1 − erf(x), within 4 units in the last place.
func Erfc(x float64) float64 {
	switch {
	case x < 0:
		return 2 - Erfc(-x)
	case x > 27.3: // below half the smallest number
		return 0
	case math.IsNaN(x):
		return x
	}
	square := product(x, x)
	e := expOf(-square.hi, -square.lo)
	if x > last {
		return e * erfcFraction(x, 30)
	}
	j := int(float64(x*nodes) + 0.5)
	h, c := x-float64(float64(j)/nodes), &scaledErfc[j]
	f := c[terms-1]
	for n := terms - 2; n >= 0; n-- {
		f = c[n] + float64(f*h)
	}
	return e * f
}

// NormalBelow returns Φ(z), the standard normal distribution function.
func NormalBelow(z float64) float64 { return float64(Erfc(-z/math.Sqrt2) / 2) }

// NormalQuantile returns the z with Φ(z) = p, 0 < p < 1.
func NormalQuantile(p float64) float64 {
	if p > 0.5 {
		return -NormalQuantile(1 - p)
	}
	// ln Φ is concave, and Φ(z) ≤ ½·e^(−z²/2) puts the start below the
	// root: Newton's method rises to it.
	z := -math.Sqrt(max(0, -2*Log(2*p)))
	for range 100 {
		v := NormalBelow(z)
		step := float64(Log(v/p) * v * math.Sqrt(2*math.Pi) * Exp(z*z/2))
		z -= step
		if math.Abs(step) <= 1e-10*math.Abs(z) { // the next step is below rounding
			break
		}
	}
	return z
}
