package infer

import (
	"math"
	"slices"

	"infnet/harness/calc"
)

// MethodStudentised is the method of the interval of a mean, or ratio of means, of values without a bound: bootstrap-t.
const MethodStudentised = "bootstrap-t"

// mostDegenerate is the share of resamples without a variance beyond which there are too few events to resample.
const mostDegenerate = 0.001

// Mean returns the interval of the mean of x, of values that may be heavy-tailed, such as costs and times.
func (rs *Resamples) Mean(x []float64) (Interval, error) {
	iv, _, err := studentised(rs, x, nil, math.Inf(-1), math.Inf(1))
	return iv, err
}

// Saved returns the interval of 100·(1 − Σ cost / Σ master) in percent, from what each query paid and what the master
// would have cost on it. least and most are what the query could have paid.
func (rs *Resamples) Saved(cost, least, most, master []float64) (Interval, error) {
	low, high := math.Inf(1), 0.0
	for i, m := range master {
		if m > 0 {
			low, high = min(low, least[i]/m), max(high, most[i]/m)
		} else if most[i] > 0 {
			high = math.Inf(1)
		}
	}
	iv, _, err := studentised(rs, cost, master, low, high)
	iv.Value, iv.Low, iv.High = float64(100*(1-iv.Value)), float64(100*(1-iv.High)), float64(100*(1-iv.Low))
	return iv, err
}

// studentised is the bootstrap-t interval of θ = Σy/Σx (x nil = 1): of the residuals e = y − θx,
//
//	θ* − θ = Σe*/Σx*,   se*² = G/(G−1)·Σ(e* − (θ*−θ)x*)²/(Σx*)²,   T* = (θ* − θ)/se*
//	low = θ − T*(1−α/2)·se,   high = θ − T*(α/2)·se
//
// over clusters, both ends wider by Student's t of 3·(Σe²)²/Σe⁴ degrees of freedom over the normal quantile: a sample
// whose variance rests on few clusters may lack the largest ones. (The 3 is what COVERAGE.md's costs with σ 1.5 take.)
// Where more than one resample in a thousand has no variance, there are too few events: the interval is
// then MeanWithin's for the range, if it has one, or Student's t, and ok is false.
func studentised(rs *Resamples, y, x []float64, low, high float64) (iv Interval, ok bool, err error) {
	// B. Efron and R. Tibshirani, An Introduction to the Bootstrap (1993), section 12.5; P. Hall, "Theoretical comparison
	// of bootstrap confidence intervals", The Annals of Statistics 16 (1988).
	ones := x == nil && rs.clusters == rs.records
	if x == nil {
		x = rs.ones()
	}
	below := sum(x)
	iv = Interval{Value: sum(y) / below, Level: rs.options.Level, N: rs.records, Method: MethodStudentised}
	iv.Low, iv.High = iv.Value, iv.Value
	if rs.clusters < 2 {
		return unknown(rs, iv, low, high), true, nil
	}
	c := residuals(rs, y, x, iv.Value)
	g := float64(rs.clusters)
	error2 := func(ee, ex, xx, shift, below float64) float64 {
		return g / (g - 1) * (ee - float64(2*float64(shift*ex)) + float64(float64(shift*shift)*xx)) / (below * below)
	}
	se := math.Sqrt(error2(sum(c[2]), 0, 0, 0, below))
	if math.IsNaN(se) || math.IsInf(se, 0) {
		return iv, false, undefined(iv.Value)
	}
	if se <= float64(1e-12*math.Abs(iv.Value)) {
		return seldom(rs, iv, 0, low, high), false, nil
	}
	kept := c
	if ones { // three sums follow from the others
		kept = [][]float64{c[0], c[2]}
	}
	sums := rs.sumsOf(kept)
	if ones {
		n := slices.Repeat([]float64{float64(rs.clusters)}, rs.options.Count)
		sums = [][]float64{sums[0], n, sums[1], sums[0], n}
	}
	t, none := make([]float64, 0, rs.options.Count), 0
	for r, e := range sums[0] {
		shift := e / sums[1][r]
		own := math.Sqrt(max(0, error2(sums[2][r], sums[3][r], sums[4][r], shift, sums[1][r])))
		if !(own > float64(1e-6*se)) {
			none++
			continue
		}
		t = append(t, shift/own)
	}
	if float64(none) > float64(mostDegenerate*float64(rs.options.Count)) || len(t) == 0 {
		return seldom(rs, iv, se, low, high), false, nil
	}
	slices.Sort(t)
	se *= student(3*effectiveSquares(c[2]), rs.options.Level) / calc.NormalQuantile((1+rs.options.Level)/2)
	tail := (1 - rs.options.Level) / 2
	iv.Low = max(low, min(iv.Value, iv.Value-float64(Quantile(t, 1-tail)*se)))
	iv.High = min(high, max(iv.Value, iv.Value-float64(Quantile(t, tail)*se)))
	return iv, true, nil
}

// effectiveSquares is (Σe²)²/Σe⁴: how many clusters the variance rests on.
func effectiveSquares(squares []float64) float64 {
	two, four := 0.0, 0.0
	for _, v := range squares {
		two, four = two+v, four+float64(v*v)
	}
	return float64(two*two) / four
}

// residuals are the cluster sums e, x, e², ex and x².
func residuals(rs *Resamples, y, x []float64, theta float64) [][]float64 {
	c := make([][]float64, 5)
	top, below := rs.perCluster(y), rs.perCluster(x)
	for k := range c {
		c[k] = make([]float64, rs.clusters)
	}
	for i, b := range below {
		e := top[i] - float64(theta*b)
		c[0][i], c[1][i], c[2][i], c[3][i], c[4][i] = e, b, float64(e*e), float64(e*b), float64(b*b)
	}
	return c
}

// seldom is the interval of a ratio with this standard error that too few records move.
func seldom(rs *Resamples, iv Interval, se, low, high float64) Interval {
	if width := high - low; math.IsInf(width, 0) || math.IsNaN(width) {
		half := float64(student(float64(rs.clusters-1), rs.options.Level) * se)
		iv.Low, iv.High = max(low, iv.Value-half), min(high, iv.Value+half)
	} else if width > 0 {
		p, v := (iv.Value-low)/width, se/width
		iv.Method = MethodEffective
		iv.Low, iv.High = effective(rs, p, float64(v*v), float64(rs.clusters-1), false)
		if se == 0 && (p < edgeSlack || p > 1-edgeSlack) {
			none, _ := ClopperPearson(rs.clusters*int(math.Round(p)), rs.clusters, rs.options.Level) // n > 0: no error
			iv.Low, iv.High = none.Low, none.High
		}
		iv = iv.scaled(low, width)
	}
	return iv
}
