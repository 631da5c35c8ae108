package curve

import (
	"fmt"
	"math"
)

// rootSteps bounds Brent's method; it needs about log₂²((b−a)/tol) steps at worst.
const rootSteps = 5000

// Bracket returns an x in [a,b] where f changes sign, by Brent's method: bisection,
// secant and inverse quadratic steps inside a shrinking bracket. Where f jumps
// across 0, x is at the jump. f(a) and f(b) must differ in sign, or one be 0.
// tol ≥ 0 is absolute, added to four units in the last place; 0 asks for all
// the digits there are. If there are several roots it is one of them: bracket
// the one wanted. other is the other end of the last bracket: f(x) and f(other)
// differ in sign (or f(x) = 0), |f(x)| ≤ |f(other)|, and the two are about tol
// apart. A caller who needs one side of a root takes the end that lies there.
//
// Brent (1973), Algorithms for Minimization without Derivatives, ch. 4.
func Bracket(f func(float64) float64, a, b, tol float64) (x, other float64, err error) {
	fa, fb := f(a), f(b)
	if math.IsNaN(fa) || math.IsNaN(fb) || fa > 0 && fb > 0 || fa < 0 && fb < 0 {
		return 0, 0, fmt.Errorf("no root bracketed: f(%v) = %v and f(%v) = %v; want opposite signs", a, fa, b, fb)
	}
	c, fc := a, fa
	d, e := b-a, b-a // the last step and the one before
	for range rootSteps {
		if math.Abs(fc) < math.Abs(fb) {
			a, b, c = b, c, b
			fa, fb, fc = fb, fc, fb
		}
		least := float64(4*0x1p-53*math.Abs(b)) + float64(tol/2)
		half := (c - b) / 2
		if math.Abs(half) <= least || fb == 0 {
			return b, c, nil
		}
		if math.Abs(e) < least || math.Abs(fa) <= math.Abs(fb) {
			d, e = half, half
		} else if p, q := interpolate(a, b, c, fa, fb, fc); 2*p < min(float64(3*half*q)-math.Abs(least*q), math.Abs(e*q)) {
			d, e = p/q, d
		} else {
			d, e = half, half
		}
		a, fa = b, fb
		if math.Abs(d) > least {
			b += d
		} else {
			b += math.Copysign(least, half)
		}
		if fb = f(b); math.IsNaN(fb) {
			return 0, 0, fmt.Errorf("no root: f(%v) is NaN", b)
		}
		if fb > 0 == (fc > 0) {
			c, fc = a, fa
			d, e = b-a, b-a
		}
	}
	return 0, 0, fmt.Errorf("no root between %v and %v in %d steps", b, c, rootSteps)
}

// interpolate proposes the step p/q from b, p ≥ 0: secant if only two points
// are known, else inverse quadratic.
func interpolate(a, b, c, fa, fb, fc float64) (p, q float64) {
	half, s := float64((c-b)/2), fb/fa
	if a == c {
		p, q = 2*half*s, 1-s
	} else {
		u, r := fa/fc, fb/fc
		p = s * (float64(2*half*u*(u-r)) - float64((b-a)*(r-1)))
		q = (u - 1) * (r - 1) * (s - 1)
	}
	if p > 0 {
		return p, -q
	}
	return -p, q
}
