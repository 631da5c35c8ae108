package router

import (
	"math"
	"slices"

	"infnet/harness/curve"
)

// align puts the scores of several fits on one scale, so that one threshold
// means the same to all of them: the log-odds of each fit are shifted and
// stretched until those of records that it did not see have the mean of all
// out-of-fold log-odds, and their standard deviation inside the folds. It looks
// at no label and at no record of another part. An increasing map: the order of
// a fit's own scores stays. seen[k] are places in scores[k] of records whose
// distribution is compared; a fit that scores all of them alike is shifted
// alone, and one of no such records left as it is.
//
// Fits to weak labels end at very different spreads, by the chance of when they
// stop and of how they are calibrated. Without this, a threshold between the
// scores of five fits lies beside those of the sixth.
func align(scores [][]float64, seen [][]int, mean, spread float64) {
	for k, list := range scores {
		if len(seen[k]) == 0 {
			continue
		}
		m, s := moments(list, seen[k])
		stretch := 1.0
		if s > flat && spread > flat {
			stretch = spread / s
		}
		for i, p := range list {
			list[i] = curve.Sigmoid(mean + float64(stretch*(logit(p)-m)))
		}
	}
}

// flat is the standard deviation of log-odds below which there is no order to
// stretch: that of rounding.
const flat = 1e-9

// together returns the mean of all lists' log-odds, and their standard deviation
// around the mean of their own list.
func together(lists [][]float64) (mean, spread float64) {
	n, square := 0.0, 0.0
	for _, list := range lists {
		every := make([]int, len(list))
		for i := range every {
			every[i] = i
		}
		m, s := moments(list, every)
		mean += float64(m * float64(len(list)))
		square += float64(float64(s*s) * float64(len(list)))
		n += float64(len(list))
	}
	return mean / n, math.Sqrt(square / n)
}

// moments are the mean and standard deviation of the log-odds at some places,
// added up in ascending order, so that they do not depend on that of the places.
func moments(p []float64, at []int) (mean, deviation float64) {
	z := make([]float64, len(at))
	for k, i := range at {
		z[k] = logit(p[i])
	}
	slices.Sort(z)
	n := float64(len(z))
	for _, v := range z {
		mean += v / n
	}
	for _, v := range z {
		deviation += float64((v-mean)*(v-mean)) / n
	}
	return mean, math.Sqrt(deviation)
}

// logit is the log-odds of p, of probabilities no nearer to 0 and 1 than 1e-12.
func logit(p float64) float64 {
	p = min(max(p, 1e-12), 1-1e-12)
	return math.Log(p / (1 - p))
}
