package infer

import (
	"math"

	"infnet/harness/calc"
)

// What simulations of costs call for (harness/compare/COMPARE.md).
const (
	perCarrying = 5   // records that must carry a difference for each power of e by which its p-value is small
	unseenSkew  = 1.6 // skewness against a difference, per skewness seen: samples show too little of it
)

// Costs makes p, a paired test of x − y by SignFlip or a swap, one of the mean, where records cost the positive paid in
// both arms: signs are coins only where differences are symmetric, and rare large costs are not. P is at least
// Student's with m − 1 degrees of freedom, corrected for the skewness γ of the m differences d that are not 0,
//
//	√m·(T + γT²/3 + γ²T³/27 + γ/(6m)),  T = d̄/s
//
// with 1.6γ for γ where it is against d̄; and at least 2·exp(−E/5), where E records carry the difference: the lower of
// (Σc²)²/Σc⁴, the last sum over those c = d − d̄ that are against d̄, and of (Σ|d|)²/Σd²/(exp(v) − 1), v the variance,
// weighted by |d|, of the logarithm of the lower cost: exp(v) − 1 is the squared coefficient of variation of lognormal
// costs. Records of one cluster are summed.
func Costs(p Paired, x, y []float64, paid [2][]float64, groups []string) Paired {
	// P. Hall, "On the removal of skewness by transformation", JRSS B 54 (1992), section 2. That no test holds its level
	// for every distribution: R. R. Bahadur and L. J. Savage, The Annals of Mathematical Statistics 27 (1956).
	of, n := Units(groups, len(x))
	total, first, second := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, u := range of {
		total[u], first[u], second[u] = total[u]+x[i]-y[i], first[u]+paid[0][i], second[u]+paid[1][i]
	}
	var diff []float64
	var all, squares, weight, log, logs float64
	for u, d := range total {
		if d == 0 {
			continue
		}
		diff = append(diff, d)
		low, w := min(first[u], second[u]), math.Abs(d)
		all, squares = all+w, squares+float64(w*w)
		if low <= 0 {
			low = max(first[u], second[u])
		}
		if low > 0 {
			l := calc.Log(low)
			weight, log, logs = weight+w, log+float64(w*l), logs+float64(w*l*l)
		}
	}
	m := float64(len(diff))
	mean, square, cube, against := moments(diff)
	if s := math.Sqrt(square / (m - 1)); s > float64(1e-12*math.Abs(mean)) {
		t, skew := mean/s, cube/m/(s*s*s)
		if skew*mean < 0 {
			skew *= unseenSkew
		}
		z := t + float64(skew*t*t)/3 + float64(skew*skew*t*t*t)/27 + skew/(6*m)
		p.P = max(p.P, min(1, 2*calc.StudentAbove(m-1, math.Copysign(1, mean)*math.Sqrt(m)*z)))
	}
	carry := math.Inf(1)
	if against > 0 {
		carry = square * square / against
	}
	if v := logs/weight - float64(log/weight*(log/weight)); v > 0 {
		carry = min(carry, all*all/squares/(calc.Exp(v)-1))
	}
	p.P = max(p.P, min(1, float64(2*calc.Exp(-carry/perCarrying))))
	return p
}

// moments are the mean of x and sums of powers of what differs from it, of the fourth where that is against the mean.
func moments(x []float64) (mean, square, cube, against float64) {
	mean = sum(x) / float64(len(x))
	for _, v := range x {
		c := v - mean
		square, cube = square+float64(c*c), cube+float64(c*c*c)
		if c*mean < 0 {
			against += float64(c * c * c * c)
		}
	}
	return mean, square, cube, against
}
