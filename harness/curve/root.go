package curve

import (
	"fmt"
	"math"
	"slices"

	"infnet/metrics/infer"
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

// Quantiles returns the quantiles of xs at each probability in ps ∈ [0,1], in
// order, as infer.Quantile defines them.
func Quantiles(xs, ps []float64) ([]float64, error) {
	if len(xs) == 0 {
		return nil, fmt.Errorf("quantiles of no numbers")
	}
	for i, x := range xs {
		if math.IsNaN(x) {
			return nil, fmt.Errorf("number %d is NaN", i)
		}
	}
	sorted := slices.Sorted(slices.Values(xs))
	out := make([]float64, len(ps))
	for i, p := range ps {
		if !(p >= 0 && p <= 1) {
			return nil, fmt.Errorf("quantile at %v: want a probability in [0,1]", p)
		}
		out[i] = infer.Quantile(sorted, p)
	}
	return out, nil
}

// The 15-point Kronrod rule and the 7-point Gauss rule inside it, on [−1,1]:
// positive nodes from the outside in, then 0. Odd entries are Gauss nodes.
// Kronrod (1965), Nodes and weights of quadrature formulas; the digits are
// those of QUADPACK's qk15.
var (
	kronrodNodes = [8]float64{
		0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
		0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
		0.586087235467691130294144691258380, 0.405845151377397166906606412076961,
		0.207784955007898467600689403773245, 0,
	}
	kronrodWeights = [8]float64{
		0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
		0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
		0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
		0.204432940075298892414161999234649, 0.209482141084727828012999174891714,
	}
	gaussWeights = [4]float64{
		0.129484966168869693270611432679082, 0.279705391489276667901467771423780,
		0.381830050505118944950369775488975, 0.417959183673469387755102040816327,
	}
)

// deepest bounds the number of halvings: a jump is then located to within 2⁻⁴⁸ of
// the interval.
const deepest = 48

// Integrate returns ∫_a^b f, a ≤ b, by adaptive Gauss–Kronrod quadrature (7 and 15
// nodes): an interval is halved until the two rules agree to its share of tol > 0, which is absolute,
// or to rounding. f is never evaluated at a or b, so it may be infinite there
// if it is integrable. f that gives NaN gives NaN.
func Integrate(f func(float64) float64, a, b, tol float64) float64 {
	if math.Nextafter(a, b) >= b {
		return 0
	}
	return integrate(f, a, b, tol, deepest)
}

func integrate(f func(float64) float64, a, b, tol float64, depth int) float64 {
	value, residue, size := kronrod(f, a, b)
	mid := a + float64((b-a)/2)
	if !(residue > tol && residue > 1e-15*size) || depth == 0 || math.Nextafter(a, b) >= mid {
		return value
	}
	return integrate(f, a, mid, tol/2, depth-1) + integrate(f, mid, b, tol/2, depth-1)
}

// kronrod applies both rules; size is the integral of |f|.
func kronrod(f func(float64) float64, a, b float64) (value, residue, size float64) {
	center, half := a+float64((b-a)/2), (b-a)/2
	first, last := math.Nextafter(a, b), math.Nextafter(b, a) // where rounding would reach an end
	gauss := 0.0
	for i, x := range kronrodNodes {
		sum, abs := 0.0, 0.0
		if x == 0 {
			sum = f(center)
			abs = math.Abs(sum)
		} else {
			lo, hi := f(max(center-float64(half*x), first)), f(min(center+float64(half*x), last))
			sum, abs = lo+hi, math.Abs(lo)+math.Abs(hi)
		}
		value += float64(kronrodWeights[i] * sum)
		size += float64(kronrodWeights[i] * abs)
		if i%2 == 1 {
			gauss += float64(gaussWeights[i/2] * sum)
		}
	}
	return value * half, math.Abs((value - gauss) * half), size * half
}
