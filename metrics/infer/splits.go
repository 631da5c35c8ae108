package infer

import "math"

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
