package calc

import "math"

// stirling returns what Stirling's formula leaves of ln Γ(x), x > 0:
//
//	ln Γ(x) = (x−½)·ln x − x + ½·ln 2π + stirling(x)
func stirling(x float64) float64 {
	// M. Abramowitz and I. A. Stegun, Handbook of Mathematical Functions, 6.1.41.
	first, risen := x, 1.0
	for ; x < 8; x++ {
		risen *= x
	}
	y := 1 / float64(x*x)
	s := horner(y, 1./12, -1./360, 1./1260, -1./1680, 1./1188, -691./360360, 1./156,
		-3617./122400, 43867./244188, -174611./125400) / x
	if risen == 1 {
		return s
	}
	return s + (bare(x) - bare(first) - Log(risen)) // Γ(x+n) = Γ(x)·x·(x+1)···
}

// horner returns c₀ + c₁·x + c₂·x² + …
func horner(x float64, c ...float64) (v float64) {
	for i := len(c) - 1; i >= 0; i-- {
		v = c[i] + float64(v*x)
	}
	return v
}

// bare is Stirling's formula without its correction.
func bare(x float64) float64 { return float64((x-0.5)*Log(x)) - x }

// LogGamma returns ln Γ(x) for x > 0, within 4e-15 or, where that is more, 2e-15 of it.
func LogGamma(x float64) float64 {
	if x == 1 || x == 2 {
		return 0
	}
	return bare(x) + 0.5*log2Pi + stirling(x)
}

const log2Pi = 1.83787706640934548356065947281123527972279494727556682563430308 // ln 2π

// LogBeta returns ln B(a,b) for a, b > 0.
func LogBeta(a, b float64) float64 { return LogGamma(a) + LogGamma(b) - LogGamma(a+b) }

// LogChoose returns the logarithm of n over k, 0 ≤ k ≤ n.
func LogChoose(n, k int) float64 {
	return LogGamma(float64(n+1)) - LogGamma(float64(k+1)) - LogGamma(float64(n-k+1))
}

// Digamma returns ψ(x), the derivative of ln Γ, for x > 0.
func Digamma(x float64) float64 {
	// Abramowitz and Stegun, 6.3.5 and 6.3.18.
	down := 0.0
	for ; x < 16; x++ {
		down += 1 / x
	}
	y := 1 / float64(x*x)
	return Log(x) - 0.5/x - float64(y*horner(y, 1./12, -1./120, 1./252, -1./240, 1./132, -691./32760)) - down
}

// Trigamma returns ψ′(x) for x > 0.
func Trigamma(x float64) float64 {
	// Abramowitz and Stegun, 6.4.6 and 6.4.12.
	up := 0.0
	for ; x < 16; x++ {
		up += 1 / float64(x*x)
	}
	y := 1 / float64(x*x)
	return up + (1+0.5/x+float64(y*horner(y, 1./6, -1./30, 1./42, -1./30, 5./66, -691./2730)))/x
}

// deviance returns ln(1+u) − u, u > −1, without cancelling; ratio is 1+u.
func deviance(u, ratio float64) float64 {
	if math.Abs(u) > 0.5 {
		return Log(ratio) - u
	}
	l := log1p(u)
	return (l.hi - u) + l.lo
}

// RegGammaUpper returns Q(a,x) = Γ(a,x)/Γ(a), a > 0, x ≥ 0: the probability
// that a gamma variable of shape a is above x.
func RegGammaUpper(a, x float64) float64 {
	// NIST Digital Library of Mathematical Functions, 8.11.4 and 8.9.2. The power
	// before both is Stirling's: C. Loader (2000), Fast and Accurate Computation
	// of Binomial Probabilities.
	if x <= 0 {
		return 1
	}
	u := (x - a) / a
	front := math.Sqrt(a/(2*math.Pi)) * Exp(float64(a*deviance(u, x/a))-stirling(a)) // x^a·e^−x/Γ(a)
	if x < a+1 {
		term, total := 1/a, 1/a
		for n := 1.0; term > total*0x1p-54; n++ {
			term = float64(term * (x / (a + n)))
			total += term
		}
		return max(0, 1-float64(front*total))
	}
	return front / fraction(x+1-a, func(n float64) (float64, float64) { return -n * (n - a), x + 2*n + 1 - a })
}

// fraction evaluates b₀ + a₁/(b₁ + a₂/(b₂ + …)) with the terms (a_n, b_n).
func fraction(b0 float64, term func(n float64) (a, b float64)) float64 {
	// Lentz's algorithm: NIST DLMF 3.10(iii).
	const tiny = 1e-300
	f := b0
	if f == 0 {
		f = tiny
	}
	c, d := f, 0.0
	for n := 1.0; n < 1e7; n++ {
		a, b := term(n)
		d = b + float64(a*d)
		if d == 0 {
			d = tiny
		}
		c = b + a/c
		if c == 0 {
			c = tiny
		}
		d = 1 / d
		step := float64(c * d)
		f *= step
		if math.Abs(step-1) < 0x1p-53 {
			break
		}
	}
	return f
}

// ChiSquareAbove returns the probability that a chi-square variable with the
// degrees of freedom is above x.
func ChiSquareAbove(degrees, x float64) float64 { return RegGammaUpper(degrees/2, x/2) }
