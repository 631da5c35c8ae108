package calc

import "math"

// RegBeta returns I_x(a,b), the regularised incomplete beta function, a, b > 0,
// 0 ≤ x ≤ 1: the probability that a Beta(a,b) variable is at most x. Its
// relative error is below 1e-13 for a, b up to 1e6.
func RegBeta(a, b, x float64) float64 { return regBeta(a, b, x, 1-x) }

// regBeta knows 1−x too, which is exact where x is close to 1.
func regBeta(a, b, x, y float64) float64 {
	// NIST Digital Library of Mathematical Functions, 8.17.4 and 8.17.22.
	switch {
	case x <= 0:
		return 0
	case y <= 0:
		return 1
	case x > (a+1)/(a+b+2):
		return 1 - regBeta(b, a, y, x)
	}
	return betaFront(a, b, x, y) / a / fraction(1, func(n float64) (float64, float64) {
		m := math.Floor(n / 2)
		c := a + 2*m
		if n == 2*m {
			return m * (b - m) * x / ((c - 1) * c), 1
		}
		return -(a + m) * (a + b + m) * x / (c * (c + 1)), 1
	})
}

// betaFront returns x^a·y^b/B(a,b), y = 1−x, as Loader (2000) computes binomial
// probabilities: by deviances, which do not cancel.
func betaFront(a, b, x, y float64) float64 {
	d := float64(x*b) - float64(y*a)
	e := float64(a*deviance(d/a, x*(a+b)/a)) + float64(b*deviance(-d/b, y*(a+b)/b))
	return math.Sqrt(a/(a+b)*b/(2*math.Pi)) * Exp(e+(stirling(a+b)-stirling(a)-stirling(b)))
}

// BetaQuantile returns the x with I_x(a,b) = p, 0 ≤ p ≤ 1.
func BetaQuantile(a, b, p float64) float64 {
	switch {
	case p <= 0:
		return 0
	case p >= 1:
		return 1
	case p > 0.5 && RegBeta(a, b, 0.5) < p:
		return 1 - quantile(b, a, 1-p)
	}
	return quantile(a, b, p)
}

// quantile solves by Newton's method on ln I as a function of ln x, which is
// concave; it is kept between what is known to be too low and too high.
func quantile(a, b, p float64) float64 {
	low, high, x := 0.0, 1.0, a/(a+b)
	for range 1200 { // halving alone would end by then
		v := RegBeta(a, b, x)
		if v > p {
			high = x
		} else {
			low = x
		}
		step := Log(v/p) * v / betaFront(a, b, x, 1-x) * (1 - x)
		next := x * Exp(-step)
		if !(next >= low && next <= high) {
			next = (low + high) / 2
		}
		if math.Abs(next-x) <= x*1e-10 { // the next step is below rounding
			return next
		}
		x = next
	}
	return x
}

// BinomialAtMost returns P(Bin(n,p) ≤ k).
func BinomialAtMost(k, n int, p float64) float64 {
	switch {
	case k < 0:
		return 0
	case k >= n:
		return 1
	}
	return regBeta(float64(n-k), float64(k+1), 1-p, p)
}

// StudentAbove returns the probability that Student's t with nu > 0 degrees of
// freedom is above t.
func StudentAbove(nu, t float64) float64 {
	square := float64(t * t)
	tail := float64(regBeta(nu/2, 0.5, nu/(nu+square), square/(nu+square)) / 2)
	if t < 0 {
		return 1 - tail
	}
	return tail
}
