package infer

import (
	"math"

	"infnet/harness/calc"
)

// MethodDeLong is the method of an AUROC's interval: DeLong's standard error, Student's t on the logit. MethodHanley is
// that of areas without such an error: all hits above all misses, or fewer than two of a kind.
const (
	MethodDeLong = "delong, logit"
	MethodHanley = "hanley-mcneil"
)

// few clusters of the rarer outcome: DeLong's error is not trusted alone.
const few = 30

// Ranking is a score with a binary outcome.
type Ranking interface {
	AUROC(counts []uint8) float64 // with record i counted counts[i] times, nil = once; NaN = one outcome only
	// DeLong is what each record adds to the error of the area, and whether it is a hit.
	DeLong() (influence []float64, hits []bool)
}

// AUROC returns the interval of an area under the ROC curve:
//
//	logit A ± t·se/(A(1−A)),   se² = Σ u_g²
//
// with u_g the sum of DeLong's influences over a cluster, and t of as many degrees of freedom as the rarer outcome has
// clusters, less one. Below 30 of those the sample's own se is often too small: the interval then reaches at least as
// far as the one from the se that the area alone implies. defined is false where the records have one outcome only.
func (rs *Resamples) AUROC(r Ranking) (iv Interval, defined bool, err error) {
	// N. A. Obuchowski, "Nonparametric analysis of clustered ROC curve data", Biometrics 53 (1997), for clusters.
	value := r.AUROC(nil)
	if math.IsNaN(value) {
		return Interval{}, false, nil
	}
	iv = Interval{Value: value, Level: rs.options.Level, N: rs.records, Method: MethodDeLong}
	influence, hits := r.DeLong()
	total, has := rs.perCluster(influence), [2][]bool{make([]bool, rs.clusters), make([]bool, rs.clusters)}
	for i, c := range rs.cluster {
		has[indicator(hits[i])][c] = true
	}
	var n [2]int // clusters with misses, with hits
	for k := range has {
		for _, is := range has[k] {
			n[k] += indicator(is)
		}
	}
	variance := 0.0
	for _, u := range total {
		variance += float64(u * u)
	}
	least := min(n[0], n[1])
	t := student(float64(least-1), rs.options.Level)
	within := func(t float64) (low, high float64) {
		return 1 - hanley(1-value, float64(n[0]), float64(n[1]), t), hanley(value, float64(n[0]), float64(n[1]), t)
	}
	if least >= 2 && variance > 1e-15 && value > 0 && value < 1 {
		iv.Low, iv.High = onLogit(value, t*math.Sqrt(variance))
		if least < few && rs.clusters == rs.records {
			low, high := within(calc.NormalQuantile((1 + rs.options.Level) / 2))
			iv.Low, iv.High = min(iv.Low, low), max(iv.High, high)
		}
		return iv, true, nil
	}
	iv.Method = MethodHanley
	iv.Low, iv.High = within(t)
	return iv, true, nil
}

// hanley is the largest area θ from which the one found lies at most t standard errors below:
//
//	θ − A = t·√V(θ),   V(θ) = θ(1−θ)/(mn)·(1 + (k−1)(1−θ)/(2−θ) + (k−1)θ/(1+θ)),   k = (m+n)/2
func hanley(area, m, n, t float64) float64 {
	// R. G. Newcombe, "Confidence intervals for an effect size measure based on the Mann–Whitney statistic. Part 2",
	// Statistics in Medicine 25 (2006), method 5, after Hanley and McNeil, Radiology 143 (1982).
	k := (m+n)/2 - 1
	low, high := area, 1.0
	for range 60 {
		at := (low + high) / 2
		v := float64(at*(1-at)) / float64(m*n) * (1 + float64(k*(1-at))/(2-at) + float64(k*at)/(1+at))
		if at-area <= t*math.Sqrt(v) {
			low = at
		} else {
			high = at
		}
	}
	return high
}

func indicator(is bool) int {
	if is {
		return 1
	}
	return 0
}
