package infer

import (
	"math"

	"infnet/harness/calc"
)

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
