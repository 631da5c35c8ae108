package infer

import (
	"fmt"
	"math"

	"infnet/harness/calc"
)

// What simulations of costs call for (harness/compare/COMPARE.md).
const (
	perCarrying = 5   // records that must carry a difference for each power of e by which its p-value is small
	unseenSkew  = 1.6 // skewness against a difference, per skewness seen: samples show too little of it
)

// Costs is a paired test of a difference d of what records cost, x and y, as SignFlip or a swap gave it, made one of
// the mean: signs are coins only where differences are symmetric, and rare large costs are not. P is at least that of
// Student's t, corrected for the skewness γ of the m differences that are not 0, of mean d̄ and standard deviation s,
//
//	√m·(T + γT²/3 + γ²T³/27 + γ/(6m)),  T = d̄/s
//
// with m − 1 degrees of freedom, and 1.6γ for γ where it is against d̄. And it is at least 2·exp(−E/5) where E records
// carry the difference: the lower of (Σc²)²/Σc⁴, the last sum over those c = d − d̄ that are against d̄, and of
// m/(exp(v) − 1), v the variance of the logarithm of the lower cost: the number of records divided by the squared
// coefficient of variation, were costs lognormal. Few says that E decided. A one-sided 0.05 takes 15 such records.
// Records of one cluster are summed first (groups as for SignFlip).
//
// What none of n records shows no test sees: costs that one query in 1/q has are in no record with probability (1 − q)ⁿ.
func Costs(p Paired, d, x, y []float64, groups []string) (Paired, error) {
	// P. Hall, "On the removal of skewness by transformation", JRSS B 54 (1992), section 2. That no test holds its level
	// for every distribution: R. R. Bahadur and L. J. Savage, The Annals of Mathematical Statistics 27 (1956).
	if len(d) != len(x) || len(d) != len(y) {
		return p, fmt.Errorf("test of %d differences of %d and %d costs: want as many", len(d), len(x), len(y))
	}
	of, n := unitsOf(groups, len(d))
	total, cost := make([]float64, n), [2][]float64{make([]float64, n), make([]float64, n)}
	for i, unit := range of {
		total[unit] += d[i]
		cost[0][unit] += x[i]
		cost[1][unit] += y[i]
	}
	var diff, logs []float64
	for i, v := range total {
		if v == 0 {
			continue
		}
		diff = append(diff, v)
		low := min(cost[0][i], cost[1][i])
		if low <= 0 {
			low = max(cost[0][i], cost[1][i])
		}
		if low > 0 {
			logs = append(logs, calc.Log(low))
		}
	}
	if len(diff) == 0 {
		return p, nil
	}
	m := float64(len(diff))
	mean, square := moments(diff)
	_, spread := moments(logs)
	cube, against := 0.0, 0.0
	for _, v := range diff {
		c := v - mean
		cube += float64(c * c * c)
		if c*mean < 0 {
			against += float64(c * c * c * c)
		}
	}
	if s := math.Sqrt(square / (m - 1)); s > float64(1e-12*math.Abs(mean)) {
		t, skew := mean/s, cube/m/(s*s*s)
		if skew*mean < 0 {
			skew *= unseenSkew
		}
		z := t + float64(skew*t*t)/3 + float64(skew*skew*t*t*t)/27 + skew/(6*m)
		p.P = max(p.P, min(1, 2*calc.StudentAbove(m-1, math.Copysign(1, mean)*math.Sqrt(m)*z)))
	}
	carry := m / (calc.Exp(spread/max(1, float64(len(logs)-1))) - 1)
	if against > 0 {
		carry = min(carry, square*square/against)
	}
	if least := min(1, float64(2*calc.Exp(-carry/perCarrying))); p.P < least {
		p.P, p.Few = least, true
	}
	return p, nil
}

// moments are the mean of x and the sum of the squares of what differs from it.
func moments(x []float64) (mean, square float64) {
	mean = sum(x) / max(1, float64(len(x)))
	for _, v := range x {
		square += float64((v - mean) * (v - mean))
	}
	return mean, square
}
