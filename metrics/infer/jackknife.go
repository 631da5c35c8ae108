package infer

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
)

// MethodJackknife is the method of an interval of a smooth statistic: Student's t around the jackknife's estimate, on
// the logit of the statistic's range where it has one.
const MethodJackknife = "jackknife"

// student is the two-sided quantile of Student's t at the level of the intervals.
func student(df, level float64) float64 {
	df = max(df, 1)
	y := calc.BetaQuantile(0.5, df/2, level) // of t²/(df + t²)
	return math.Sqrt(float64(df*y) / (1 - y))
}

// jackknife is the corrected estimate, the standard error and its degrees of freedom, from a statistic's values without
// each unit; many[u] is how many units unit u stands for.
//
//	θ̃ = Gθ − (G−1)·θ̄,   d_g = θ₍g₎ − θ̄,   se² = (G−1)/G·Σd_g²
//
// Of clusters, df = (Σd²)²/Σd⁴, at most G − 1: how many of them the error rests on, where they are unequal in size or
// few of them hold the events. Of independent records it is G − 1.
func jackknife(rs *Resamples, value float64, without []float64, many []int) (centre, se, df float64) {
	// B. Efron and C. Stein, "The jackknife estimate of variance", The Annals of Statistics 9 (1981); the degrees of
	// freedom in the manner of F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
	n, mean, two, four := float64(rs.clusters), 0.0, 0.0, 0.0
	for u, v := range without {
		mean += float64(float64(many[u])*(v-value)) / n
	}
	for u, v := range without {
		d := v - value - mean
		two += float64(float64(many[u]) * float64(d*d))
		four += float64(float64(many[u]) * float64(d*d) * float64(d*d))
	}
	df = n - 1
	if rs.clusters < rs.records && four > 0 {
		df = min(df, float64(two*two)/four)
	}
	return value - float64((n-1)*mean), math.Sqrt(float64(two*(n-1)) / n), df
}

// smooth is the interval of a statistic from its jackknife: on the logit where low and high are finite. It always holds
// its own estimate.
func smooth(rs *Resamples, value float64, without []float64, many []int, low, high float64) (Interval, error) {
	iv := Interval{Value: value, Low: value, High: value, Level: rs.options.Level, N: rs.records, Method: MethodJackknife}
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return iv, undefined(value)
	}
	if rs.clusters < 2 {
		return unknown(rs, iv, low, high), nil
	}
	if g := slices.IndexFunc(without, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }); g >= 0 {
		return iv, fmt.Errorf("the statistic is undefined without one of the %d independent units: %v", rs.clusters,
			without[g])
	}
	centre, se, df := jackknife(rs, value, without, many)
	if se == 0 {
		return iv, nil
	}
	half := float64(student(df, rs.options.Level) * se)
	width := high - low
	if math.IsInf(width, 0) || !(value > low && value < high) {
		iv.Low, iv.High = max(low, centre-half), min(high, centre+half)
	} else {
		p, edge := (centre-low)/width, (value-low)/width
		p = max(edge/2, min(p, (1+edge)/2))
		down, up := onLogit(p, half/width)
		iv.Low, iv.High = low+float64(width*down), low+float64(width*up)
	}
	iv.Low, iv.High = min(iv.Low, value), max(iv.High, value)
	return iv, nil
}

// onLogit is p ± half, taken on the logit: logit p ± half/(p(1 − p)).
func onLogit(p, half float64) (low, high float64) {
	at, half := calc.Log(p/(1-p)), half/float64(p*(1-p))
	return 1 / (1 + calc.Exp(half-at)), 1 / (1 + calc.Exp(-half-at))
}

// unknown is the interval of one independent unit: the whole range, where there is one.
func unknown(rs *Resamples, iv Interval, low, high float64) Interval {
	iv.Method = "one independent unit"
	if !math.IsInf(high-low, 0) {
		iv.Low, iv.High = low, high
	}
	return iv
}

// Of returns the interval of value(Σ columns[0], Σ columns[1], …) in [low, high]: a smooth statistic of sums over
// records. low and high may be infinite. value must not keep its argument.
func (rs *Resamples) Of(value func(sums []float64) float64, low, high float64, columns ...[]float64) (Interval, error) {
	sums, totals := make([]float64, len(columns)), make([][]float64, len(columns))
	for k, x := range columns {
		totals[k] = rs.perCluster(x)
		sums[k] = sum(x)
	}
	point, rest := value(slices.Clone(sums)), make([]float64, len(columns))
	without, many := make([]float64, rs.clusters), slices.Repeat([]int{1}, rs.clusters)
	if rs.clusters > 1 {
		for g := range without {
			for k := range rest {
				rest[k] = sums[k] - totals[k][g]
			}
			without[g] = value(rest)
		}
	}
	return smooth(rs, point, without, many, low, high)
}

// OfCells returns the interval of value(counts) in [low, high], a statistic of a confusion matrix of k cells: record i
// counts weights[m][i] times in cell places[m][i]; without weights, once. value must neither keep nor change its
// argument.
func (rs *Resamples) OfCells(k int, places [][]int, weights [][]float64, low, high float64,
	value func(counts []float64) float64) (Interval, error) {
	type share struct {
		cell   int
		weight float64
	}
	units, counts := make([][]share, rs.clusters), make([]float64, k)
	for i, g := range rs.cluster {
		for m := range places {
			w := 1.0
			if weights != nil {
				w = weights[m][i]
			}
			if w != 0 {
				units[g] = append(units[g], share{places[m][i], w})
				counts[places[m][i]] += w
			}
		}
	}
	known, without, many := map[string]int{}, []float64(nil), []int(nil)
	rest := slices.Clone(counts)
	for _, unit := range units {
		name := fmt.Sprint(unit)
		if at, ok := known[name]; ok {
			many[at]++
			continue
		}
		known[name] = len(many)
		for _, s := range unit {
			rest[s.cell] -= s.weight
		}
		for _, s := range unit { // what is left of fractions is rounding
			if rest[s.cell] < 1e-9 {
				rest[s.cell] = 0
			}
		}
		without, many = append(without, value(rest)), append(many, 1)
		for _, s := range unit {
			rest[s.cell] = counts[s.cell]
		}
	}
	return smooth(rs, value(counts), without, many, low, high)
}
