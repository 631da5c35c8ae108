package infer

import (
	"math"
	"sort"

	"infnet/harness/calc"
)

// Quantile returns the quantile of ascending numbers at p ∈ [0,1]: Hyndman and
// Fan's type 7, linear between order statistics, as NumPy's default.
//
//	h = (n−1)p,   Q = x_⌊h⌋ + (h − ⌊h⌋)(x_⌊h⌋+1 − x_⌊h⌋)   (x from 0)
//
// gonum's stat.Quantile has no such type. No numbers panic.
func Quantile(sorted []float64, p float64) float64 {
	// R. J. Hyndman and Y. Fan, "Sample quantiles in statistical packages",
	// The American Statistician 50 (1996).
	h := float64(p * float64(len(sorted)-1))
	j := min(int(h), len(sorted)-1)
	t := h - float64(j)
	if !(t > 0) { // infinite neighbours must not make it NaN
		return sorted[j]
	}
	return sorted[j] + float64(t*(sorted[j+1]-sorted[j]))
}

// ranks returns the interval of a quantile of a distribution: of n independent values, the order statistics at which it
// begins and ends, as shares of the values that lie at or below them:
//
//	low  = the largest r/n with P(Bin(n, p) ≤ r−1) ≤ α/2,   0 where there is none: before the first
//	high = the smallest s/n with P(Bin(n, p) ≥ s) ≤ α/2,    above 1 where there is none: the values say "at least"
//
// n need not be whole: an effective number, whose distribution is that of the incomplete beta function.
func ranks(p, n, level float64) (low, high float64) {
	// H. A. David and H. N. Nagaraja, Order Statistics, 3rd edition (2003), section 7.1; R. S. Woodruff, "Confidence
	// intervals for medians and other position measures", JASA 47 (1952), for clusters.
	tail := float64((1 - level) / 2)
	least := sort.Search(int(n), func(i int) bool { // the first r that is too large
		r := float64(i + 1)
		return calc.RegBeta(n-r+1, r, 1-p) > tail
	})
	most := sort.Search(int(n), func(i int) bool {
		s := float64(i + 1)
		return calc.RegBeta(s, n-s+1, p) <= tail
	})
	return float64(least) / n, float64(most+1) / n
}

// Weighted is a value of a record that counts with some weight.
type Weighted struct {
	Record        int
	Value, Weight float64
}

// MethodOrder is the method of a quantile's interval.
const MethodOrder = "order statistics"

// QuantileOf returns the interval of the smallest value that at least a share p of the weight does not exceed. values
// ascend; the weights of a record add up to 1. Low is least where the sample has no value so low, and High is +Inf
// where it has none so high.
func (rs *Resamples) QuantileOf(values []Weighted, p, least float64) Interval {
	const rounding = 1e-9 // of sums of weights
	total := float64(rs.records)
	at := func(share float64) int { // the first value with so much of the weight at or below it
		below := 0.0
		for k, v := range values {
			if below += v.Weight; below >= float64(share*total)-rounding {
				return k
			}
		}
		return len(values)
	}
	point := values[min(at(p), len(values)-1)].Value
	under := make([]float64, rs.records) // what of each record lies at or below the quantile
	whole := rs.clusters == rs.records
	for _, v := range values {
		if v.Value <= point {
			under[v.Record] += v.Weight
		}
		whole = whole && v.Weight == 1
	}
	n := total
	if share := sum(under) / total; !whole && rs.clusters > 1 && share < 1-rounding {
		if v, df := spread(rs, under); v > 0 {
			few := student(total-1, rs.options.Level) / student(df, rs.options.Level)
			n = min(share*(1-share)/v, total) * few * few
		}
	} else if !whole {
		n = float64(rs.clusters)
	}
	low, high := ranks(p, n, rs.options.Level)
	iv := Interval{Value: point, Low: least, High: math.Inf(1), Level: rs.options.Level, N: rs.records,
		Method: MethodOrder}
	if low > 0 {
		iv.Low = values[min(at(low), len(values)-1)].Value
	}
	if k := at(high); k < len(values) {
		iv.High = values[k].Value
	}
	return iv
}

// Kolmogorov returns the upper tail of Kolmogorov's distribution, the limit of
// P(√n·D > λ):
//
//	Q(λ) = 2·Σ_{k≥1} (−1)^{k−1}·exp(−2k²λ²)
//	     = 1 − √(2π)/λ·Σ_{k≥1} exp(−(2k−1)²π²/(8λ²))
//
// The second series is used below 1.18, where it converges faster. gonum has
// the statistic, but not its distribution.
func Kolmogorov(lambda float64) float64 {
	if lambda <= 0 {
		return 1
	}
	if lambda < 1.18 {
		y := calc.Exp(-math.Pi * math.Pi / (8 * lambda * lambda))
		sum := y + calc.Pow(y, 9) + calc.Pow(y, 25) + calc.Pow(y, 49)
		return max(0, 1-float64(math.Sqrt(2*math.Pi)/lambda*sum))
	}
	x := calc.Exp(-2 * lambda * lambda)
	return min(1, 2*(x-calc.Pow(x, 4)+calc.Pow(x, 9)-calc.Pow(x, 16)))
}

// Expanded is the tail of a percentile interval that makes up for how few units were resampled: the bootstrap's spread
// is too small by √((units−1)/units), and its quantiles are a normal's, where Student's t is due:
//
//	Φ(−√(units/(units−1)) · t_{1−tail, units−1})
func Expanded(tail float64, units int) float64 {
	// T. C. Hesterberg, What Teachers Should Know About the Bootstrap, The American Statistician 69 (2015), §3.4 (expanded
	// percentile interval).
	if units < 2 {
		return 0
	}
	// T² / (units − 1 + T²) has a beta distribution.
	n := float64(units)
	y := calc.BetaQuantile(0.5, (n-1)/2, 1-2*tail)
	return calc.NormalBelow(-math.Sqrt(n * y / (1 - y)))
}
