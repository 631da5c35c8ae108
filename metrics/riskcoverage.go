package metrics

import "math"

// AURC returns the area under the risk–coverage curve, the mean share of misses among the k highest scores,
//
//	AURC = (1/n)·Σ_{k=1…n} misses among the k highest / k
//
// in [0,1], and the least that any order of these records has: that in which every hit is above every miss. The
// difference of the two is E-AURC, in [0,1]. Records of equal score are in every order of themselves, in expectation.
// Each record is counted counts[i] times (nil: once). Of no record both are NaN.
func (r *Ranking) AURC(counts []uint8) (area, least float64) {
	// Y. Geifman, G. Uziel and R. El-Yaniv, "Bias-reduced uncertainty estimation for deep neural classifiers", ICLR
	// 2019, sections 2 and 4. The paper writes the least area as r + (1−r)·ln(1−r), its limit; this is the sum itself.
	before, misses := 0, 0 // of higher scores
	n, m := 0, 0           // of equal ones so far
	for _, code := range r.down {
		times := 1
		if counts != nil {
			times = int(counts[code>>2])
		}
		n += times
		if code&2 == 0 {
			m += times
		}
		if code&1 == 0 || n == 0 {
			continue
		}
		share := float64(m) / float64(n)
		for k := 1; k <= n; k++ {
			area += (float64(misses) + float64(float64(k)*share)) / float64(before+k)
		}
		before, misses, n, m = before+n, misses+m, 0, 0
	}
	if before == 0 {
		return math.NaN(), math.NaN()
	}
	for k := 1; k <= misses; k++ {
		least += float64(k) / float64(before-misses+k)
	}
	return area / float64(before), least / float64(before)
}
