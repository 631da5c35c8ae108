package infer

import (
	"fmt"
	"math"

	"infnet/harness/calc"
)

// The values of Interval.Method.
const (
	MethodBootstrap        = "bootstrap"         // percentile, records drawn one by one
	MethodClusterBootstrap = "cluster-bootstrap" // percentile, records drawn by cluster
	MethodClopperPearson   = "clopper-pearson"   // exact
)

// ClopperPearson returns the exact interval of a rate, k successes in n
// independent trials:
//
//	low  = α/2 quantile of Beta(k, n−k+1),   0 where k = 0
//	high = 1−α/2 quantile of Beta(k+1, n−k), 1 where k = n
//
// with α = 1 − level. It covers at least at its level, whatever the rate.
func ClopperPearson(k, n int, level float64) (Interval, error) {
	// C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial
	// limits illustrated in the case of the binomial", Biometrika 26 (1934).
	if err := checkRate(k, n, level); err != nil {
		return Interval{}, err
	}
	alpha := 1 - level
	iv := Interval{Value: float64(k) / float64(n), Low: 0, High: 1, Level: level, N: n, Method: MethodClopperPearson}
	if k > 0 {
		iv.Low = calc.BetaQuantile(float64(k), float64(n-k+1), alpha/2)
	}
	if k < n {
		iv.High = calc.BetaQuantile(float64(k+1), float64(n-k), 1-float64(alpha/2))
	}
	return iv, nil
}

func checkRate(k, n int, level float64) error {
	if n <= 0 || k < 0 || k > n {
		return fmt.Errorf("interval of a rate of %d in %d: want 0 ≤ k ≤ n and n > 0", k, n)
	}
	if !(level > 0 && level < 1) {
		return fmt.Errorf("interval at level %v: want a level between 0 and 1", level)
	}
	return nil
}

// McNemar returns the exact two-sided p-value that two paired 0/1 outcomes
// have the same rate, from the numbers of pairs where only the first (b) and
// only the second (c) is 1:
//
//	min(1, 2·P(Bin(b+c, ½) ≤ min(b, c)))
//
// Without discordant pairs it is 1. Negative counts panic.
func McNemar(b, c int) float64 {
	// Q. McNemar, "Note on the sampling error of the difference between
	// correlated proportions or percentages", Psychometrika 12 (1947), in
	// its exact form.
	if b < 0 || c < 0 {
		panic(fmt.Sprintf("infer: McNemar of %d and %d", b, c))
	}
	if b == c {
		return 1
	}
	return min(1, 2*SignTest(max(b, c), b+c))
}

// SignTest is the one-sided p-value of the sign test: the probability of k or more heads in n tosses of a fair coin.
func SignTest(k, n int) float64 {
	return calc.BinomialAtMost(n-k, n, 0.5) // by symmetry: small values keep their digits
}

// Discordant counts the pairs McNemar needs.
func Discordant(x, y []bool) (onlyX, onlyY int) {
	for i := range x {
		switch {
		case x[i] && !y[i]:
			onlyX++
		case y[i] && !x[i]:
			onlyY++
		}
	}
	return onlyX, onlyY
}

// Holm returns p-values adjusted for testing all of them at once, in the order
// given: rejecting where the adjusted value is ≤ α keeps the probability of
// any false rejection ≤ α, whatever their dependence.
//
//	adjusted of the i-th smallest (from 0) = max over j ≤ i of min(1, (m−j)·p_(j))
func Holm(p []float64) []float64 {
	// S. Holm, "A simple sequentially rejective multiple test procedure",
	// Scandinavian Journal of Statistics 6 (1979).
	out, order := make([]float64, len(p)), calc.Ascending(p)
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		out[i] = least
	}
	return out
}

// BenjaminiHochberg returns p-values adjusted so that rejecting where they are
// ≤ α keeps the expected share of false rejections among the rejections ≤ α,
// for independent or positively dependent tests.
//
//	adjusted of the i-th smallest (from 0) = min over j ≥ i of min(1, m·p_(j)/(j+1))
func BenjaminiHochberg(p []float64) []float64 {
	// Y. Benjamini and Y. Hochberg, "Controlling the false discovery rate",
	// Journal of the Royal Statistical Society B 57 (1995).
	out, order := make([]float64, len(p)), calc.Ascending(p)
	most := 1.0
	for rank := len(order) - 1; rank >= 0; rank-- {
		i := order[rank]
		most = min(most, float64(len(p))*p[i]/float64(rank+1))
		out[i] = most
	}
	return out
}

// MethodCorrectedT is the method of OverSplits.
const MethodCorrectedT = "corrected-t"

// OverSplits is the interval, at this level, of what is expected of a further split, from two or more values: one for
// each split of the same records, with ratio test records for each that fits. Splits share records, so that their mean
// varies more than s²/J; its variance is taken to be (1/J + ratio)·s². A ratio of 0 is of values that are independent,
// such as those of one split under several seeds.
//
// C. Nadeau and Y. Bengio, "Inference for the Generalization Error", Machine Learning 52 (2003), section 3.
func OverSplits(values []float64, ratio, level float64) Interval {
	n := float64(len(values))
	mean, square := sum(values)/n, 0.0
	for _, v := range values {
		d := v - mean
		square += float64(d * d)
	}
	half := float64(student(n-1, level) * math.Sqrt(float64(square/(n-1)*(1/n+ratio))))
	return Interval{Value: mean, Low: mean - half, High: mean + half, Level: level, N: len(values),
		Method: MethodCorrectedT}
}
