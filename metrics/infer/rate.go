package infer

import (
	"math"
	"slices"

	"infnet/harness/calc"
)

// MethodEffective is the method of a bounded mean's interval: Clopper–Pearson's of as many independent trials as have
// the mean's variance.
const MethodEffective = "clopper-pearson, effective sample"

// RateOf returns the interval of the share of records that are true, as 0 and 1, or of chances between.
func (rs *Resamples) RateOf(x []float64) (Interval, error) { return rs.MeanWithin(x, 0, 1) }

// MeanWithin returns the interval of a mean of values in [low, high]. Of independent values at both ends, such as
// errors, it is the exact one of their number. Otherwise the variance v of the mean p, scaled to [0, 1], says how many
// independent trials it is worth:
//
//	n* = p(1−p)/v · (t_{n−1}/t_df)²,   low = α/2 quantile of Beta(pn*, n*−pn*+1), high likewise
//
// with v and df the jackknife's over clusters; of clusters it also holds the logit's t interval, within what the share
// of clusters with any event allows.
// Where low or high is infinite, or a value lies outside, it is Mean's.
func (rs *Resamples) MeanWithin(x []float64, low, high float64) (Interval, error) {
	// E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected number of positive
	// counts estimated from survey data", Survey Methodology 24 (1998).
	width := high - low
	if math.IsInf(width, 0) || !(width > 0) {
		return rs.Mean(x)
	}
	hits, ends := 0, true
	scaled := make([]float64, len(x))
	for i, v := range x {
		switch scaled[i] = (v - low) / width; {
		case scaled[i] < -edgeSlack || scaled[i] > 1+edgeSlack:
			return rs.Mean(x) // of no such range
		case scaled[i] >= 1-edgeSlack:
			hits++
		case scaled[i] > edgeSlack:
			ends = false
		}
	}
	iv := Interval{Value: sum(x) / float64(rs.records), Level: rs.options.Level, N: rs.records,
		Method: MethodClopperPearson}
	p := (iv.Value - low) / width
	if n := rs.clusters; ends && (n == rs.records || hits == 0 || hits == rs.records) {
		exact, err := ClopperPearson(hits/rs.records*n+hits%rs.records, n, rs.options.Level)
		iv.Low, iv.High = exact.Low, exact.High
		return iv.scaled(low, width), err
	}
	if iv.Method = MethodEffective; rs.clusters < 2 {
		return unknown(rs, iv, low, high), nil
	}
	variance, df := spread(rs, scaled)
	iv.Low, iv.High = effective(rs, p, variance, df, ends)
	if rs.clusters < rs.records {
		most, err := mostOf(rs, scaled)
		if err != nil {
			return iv, err
		}
		for i := range scaled {
			scaled[i] = 1 - scaled[i]
		}
		least, err := mostOf(rs, scaled)
		if err != nil {
			return iv, err
		}
		iv.Low, iv.High = max(iv.Low, 1-least), min(iv.High, most)
	}
	return iv.scaled(low, width), nil
}

// mostOf is an upper end of the mean of x in [0, 1]: the exact one of the share of clusters that are not all 0, each
// counted as if it were all 1 and as large as the largest. Where one or two clusters hold all, variances say little.
func mostOf(rs *Resamples, x []float64) (float64, error) {
	total, size := rs.perCluster(x), rs.perCluster(rs.ones())
	hits := 0
	for _, t := range total {
		if t > 0 {
			hits++
		}
	}
	share, err := ClopperPearson(hits, rs.clusters, rs.options.Level)
	return min(1, float64(share.High*slices.Max(size))*float64(rs.clusters)/float64(rs.records)), err
}

// scaled are ends in [0, 1] on the range of the values; they hold the estimate.
func (iv Interval) scaled(low, width float64) Interval {
	iv.Low, iv.High = min(iv.Value, low+float64(width*iv.Low)), max(iv.Value, low+float64(width*iv.High))
	return iv
}

// spread is the variance of the mean of x, and its degrees of freedom, by the jackknife.
func spread(rs *Resamples, x []float64) (variance, df float64) {
	total, size := rs.perCluster(x), rs.perCluster(rs.ones())
	mean, without := sum(x)/float64(rs.records), make([]float64, rs.clusters)
	for g, n := range size {
		without[g] = mean + (float64(mean*n)-total[g])/(float64(rs.records)-n)
	}
	_, se, df := jackknife(rs, mean, without, slices.Repeat([]int{1}, rs.clusters))
	return float64(se * se), df
}

// effective is the interval of a mean p in [0, 1] with this variance; ends says that all values are 0 or 1.
func effective(rs *Resamples, p, variance, df float64, ends bool) (low, high float64) {
	if variance < 1e-18 || p <= 0 || p >= 1 {
		return p, p
	}
	t, n := student(df, rs.options.Level), p*(1-p)/variance
	if ends {
		n = min(n, float64(rs.records))
	}
	few := student(float64(rs.records-1), rs.options.Level) / t
	n *= few * few
	k, tail := float64(p*n), (1-rs.options.Level)/2
	low, high = calc.BetaQuantile(k, n-k+1, tail), calc.BetaQuantile(k+1, n-k, 1-tail)
	if rs.clusters < rs.records {
		down, up := onLogit(p, float64(t*math.Sqrt(variance)))
		low, high = min(low, down), max(high, up)
	}
	return low, high
}

// Difference returns the interval of mean(x) − mean(y), paired by record; where none differs it is 0 exactly.
// Differences of one size, as of rates, get the square-and-add interval of the shares that are above and below 0:
//
//	low = p₊ − p₋ − √((p₊−l₊)² + (u₋−p₋)² − 2r(p₊−l₊)(u₋−p₋)),   high likewise
//
// with r the correlation of the two shares. Others get Mean's, and this where they are too few for it.
func (rs *Resamples) Difference(x, y []float64) (Interval, error) {
	d := make([]float64, len(x))
	most, one := 0.0, true
	for i := range x {
		d[i] = x[i] - y[i]
		most = max(most, math.Abs(d[i]))
	}
	for _, v := range d {
		one = one && (v == 0 || math.Abs(v) > float64(most*(1-edgeSlack)))
	}
	if most > 0 && !one {
		if iv, ok, err := studentised(rs, d, nil, math.Inf(-1), math.Inf(1)); ok || err != nil {
			return iv, err
		}
	}
	return squareAndAdd(rs, d, most)
}

// MethodSquareAndAdd is the method of the interval of a difference of paired rates.
const MethodSquareAndAdd = "square-and-add"

func squareAndAdd(rs *Resamples, d []float64, most float64) (Interval, error) {
	// R. G. Newcombe, "Improved confidence intervals for the difference between binomial proportions based on paired
	// data", Statistics in Medicine 17 (1998), method 10's form, with exact intervals of the two shares.
	iv := Interval{Value: sum(d) / float64(rs.records), Level: rs.options.Level, N: rs.records, Method: MethodSquareAndAdd}
	iv.Low, iv.High = iv.Value, iv.Value
	if most == 0 {
		return iv, nil
	}
	if rs.clusters < 2 {
		return unknown(rs, iv, -most, most), nil
	}
	up, down, both := make([]float64, len(d)), make([]float64, len(d)), make([]float64, len(d))
	for i, v := range d {
		up[i], down[i], both[i] = max(v, 0)/most, max(-v, 0)/most, math.Abs(v)/most
	}
	plus, err := rs.RateOf(up)
	if err != nil {
		return iv, err
	}
	minus, err := rs.RateOf(down)
	if err != nil {
		return iv, err
	}
	a, _ := spread(rs, up)
	b, _ := spread(rs, down)
	c, _ := spread(rs, both)
	r := 0.0
	if a > 0 && b > 0 {
		r = max(-1, min(1, (c-a-b)/float64(2*math.Sqrt(a*b))))
	}
	far := func(x, y float64) float64 {
		return float64(most * math.Sqrt(max(0, float64(x*x)+float64(y*y)-float64(float64(2*r)*float64(x*y)))))
	}
	iv.Low -= far(plus.Value-plus.Low, minus.High-minus.Value)
	iv.High += far(plus.High-plus.Value, minus.Value-minus.Low)
	return iv, nil
}
