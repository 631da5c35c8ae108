package router

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/curve"
)

// NewCalibrated returns the calibrated confidence of M. Zellinger and M. Thomson (Rational tuning of LLM cascades via
// probabilistic modeling, TMLR 2025, arXiv:2501.09345, section 3): a logistic regression on −ln(1−β) for a class, and,
// as they do where answers are generated, on ln 2β below ½ and −ln 2(1−β) from there. A β of 0 or 1 counts as the
// nearest of the others.
func NewCalibrated() Learner {
	return formula("logistic regression on the asymptotic logarithm of the confidence", "calibrated 2", false,
		func(samples []Sample, labels []float64) (func(Sample) float64, []float64, float64, error) {
			beta := make([]float64, len(samples))
			for i, s := range samples {
				beta[i] = s.Beta
			}
			m, err := calibrateBeta(beta, labels, samples[0].Class < 0)
			return func(s Sample) float64 { return m.at(s.Beta) }, []float64{m.A, m.B, m.least, m.most}, 2, err
		})
}

// asymptotic is a fitted calibration.
type asymptotic struct {
	curve.LogitLine
	twoSided    bool // an answer is generated
	least, most float64
}

func calibrateBeta(beta, right []float64, twoSided bool) (m asymptotic, err error) {
	m = asymptotic{twoSided: twoSided, least: math.Inf(-1), most: math.Inf(1)}
	z := make([]float64, len(beta))
	least, most := math.Inf(1), math.Inf(-1)
	for i, x := range beta {
		if z[i] = m.transformed(x); !math.IsInf(z[i], 0) {
			least, most = min(least, z[i]), max(most, z[i])
		}
	}
	if least > most {
		least, most = 0, 0
	}
	m.least, m.most = least, most
	for i, v := range z {
		z[i] = min(max(v, least), most)
	}
	if m.LogitLine, err = curve.LogisticLine(z, right, 1e-6); err != nil {
		err = fmt.Errorf("calibration: %w", err)
	}
	return m, err
}

func (m asymptotic) transformed(beta float64) float64 {
	z := -calc.Log1p(-beta)
	if m.twoSided && beta < 0.5 {
		z = math.Ln2 + calc.Log(beta)
	} else if m.twoSided {
		z -= math.Ln2
	}
	return min(max(z, m.least), m.most)
}

func (m asymptotic) at(beta float64) float64 { return m.At(m.transformed(beta)) }

// Calibrated calibrates confidences by the answers that are right; generated: they are no classes.
func Calibrated(beta, right []float64, generated bool) ([]float64, error) {
	if i := slices.IndexFunc(right, func(y float64) bool { return y != right[0] }); i < 0 {
		return slices.Clone(right), nil
	}
	m, err := calibrateBeta(beta, right, generated)
	out := make([]float64, len(beta))
	for i, x := range beta {
		out[i] = m.at(x)
	}
	return out, err
}

// Where a confidence lies: at its least value, between, or at its largest.
const (
	atLow = iota
	between
	atHigh
)

// marginal is a confidence's distribution: masses at its ends, and between them a mixture of two Beta distributions.
type marginal struct {
	low, high float64
	smooth    curve.BetaPair
}

func newMarginal(x []float64) marginal {
	m := marginal{slices.Min(x), slices.Max(x), curve.BetaPair{Share: 1, Of: [2]curve.Beta{{A: 1, B: 1}, {A: 1, B: 1}}}}
	var list []float64
	for _, v := range x {
		if m.place(v) == between {
			list = append(list, m.unit(v))
		}
	}
	if len(list) > 1 { // else uniform
		m.smooth = curve.FitBetaPair(list)
	}
	return m
}

func (m marginal) place(x float64) int {
	switch x {
	case m.low:
		return atLow
	case m.high:
		return atHigh
	}
	return between
}

// unit maps the range to 0 … 1.
func (m marginal) unit(x float64) float64 { return min(max((x-m.low)/(m.high-m.low), 0), 1) }

// copula is the joint distribution of two models' calibrated confidences (section 3 of the paper and its code). Where
// both lie between their ends, Gumbel's copula joins them; where one does, it has a Beta distribution there.
type copula struct {
	first, second                       marginal
	share                               [3][3]float64 // of records, by the places of the first and the second
	theta                               float64       // 1 = independent
	secondIfLow, firstIfLow, firstIfTop curve.Beta
}

func newCopula(x, y []float64) *copula {
	c := &copula{first: newMarginal(x), second: newMarginal(y), theta: 1}
	var firsts, seconds [3][3][]float64
	for i := range x {
		a, b := c.first.place(x[i]), c.second.place(y[i])
		c.share[a][b] += 1 / float64(len(x))
		firsts[a][b] = append(firsts[a][b], c.first.unit(x[i]))
		seconds[a][b] = append(seconds[a][b], c.second.unit(y[i]))
	}
	fit := func(list []float64) curve.Beta {
		if len(list) > 1 {
			if b, _, err := curve.FitBeta(list); err == nil {
				return b
			}
		}
		return curve.Beta{A: 1, B: 1}
	}
	c.secondIfLow, c.firstIfLow = fit(seconds[atLow][between]), fit(firsts[between][atLow])
	c.firstIfTop = fit(firsts[between][atHigh])
	if tau := kendall(firsts[between][between], seconds[between][between]); tau > 0 {
		c.theta = min(1/(1-tau), largestTheta)
	}
	return c
}

const largestTheta = 100

// kendall is τ-b (M. G. Kendall, The treatment of ties in ranking problems, 1945), in time n log n (W. R. Knight, A
// computer method for calculating Kendall's tau with ungrouped data, 1966); 0 where one side is all ties.
func kendall(x, y []float64) float64 {
	n := len(x)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Or(cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])) })
	ranked := make([]float64, n)
	for k, i := range order {
		ranked[k] = y[i]
	}
	inBoth := ties(n, func(k int) bool { i, j := order[k-1], order[k]; return x[i] == x[j] && y[i] == y[j] })
	inX := ties(n, func(k int) bool { return x[order[k-1]] == x[order[k]] })
	against := inversions(ranked, make([]float64, n)) // and sorts
	inY := ties(n, func(k int) bool { return ranked[k-1] == ranked[k] })
	pairs := n * (n - 1) / 2
	if inX == pairs || inY == pairs {
		return 0
	}
	return float64(pairs-inX-inY+inBoth-2*against) / math.Sqrt(float64(pairs-inX)*float64(pairs-inY))
}

// ties counts the pairs that are equal, of which neighbours in order are.
func ties(n int, equal func(k int) bool) (pairs int) {
	run := 0
	for k := 1; k < n; k++ {
		if run++; !equal(k) {
			run = 0
		}
		pairs += run
	}
	return pairs
}

// inversions sorts a list and counts the pairs whose later one was less. room is as long.
func inversions(list, room []float64) (pairs int) {
	if len(list) < 2 {
		return 0
	}
	half := len(list) / 2
	pairs = inversions(list[:half], room[:half]) + inversions(list[half:], room[half:])
	copy(room, list)
	a, b := room[:half], room[half:]
	for k := range list {
		if len(b) == 0 || len(a) > 0 && a[0] <= b[0] {
			list[k], a = a[0], a[1:]
		} else {
			pairs += len(a)
			list[k], b = b[0], b[1:]
		}
	}
	return pairs
}

// joined is Gumbel's copula (E. J. Gumbel, Distributions des valeurs extrêmes en plusieurs dimensions, 1960).
func (c *copula) joined(u, v float64) float64 {
	if u <= 0 || v <= 0 {
		return 0
	}
	sum := calc.Pow(-calc.Log(u), c.theta) + calc.Pow(-calc.Log(v), c.theta)
	return calc.Exp(-calc.Pow(sum, 1/c.theta))
}

// deferred is the chance that the first confidence is at most t, which is below its largest value.
func (c *copula) deferred(t float64) float64 {
	low, mid := c.share[atLow], c.share[between]
	return low[0] + low[1] + low[2] + float64((mid[0]+mid[1]+mid[2])*c.first.smooth.CDF(c.first.unit(t)))
}

// correct is the chance of a right answer where the first model's stands above t, and the second answers the rest.
func (c *copula) correct(t float64) float64 {
	f, s, u := c.first, c.second, c.first.unit(t)
	low, mid, high := c.share[atLow], c.share[between], c.share[atHigh]
	below, width := f.smooth.CDF(u), s.high-s.low
	kept := float64((high[0]+high[1]+high[2])*f.high) + float64((mid[0]+mid[1]+mid[2])*
		(float64(f.low*(1-below))+float64((f.high-f.low)*f.smooth.Above(u))))
	mean := c.secondIfLow.A / (c.secondIfLow.A + c.secondIfLow.B)
	passed := float64(low[atLow]*s.low) + float64(low[between]*(s.low+float64(width*mean))) + float64(low[atHigh]*s.high) +
		float64(mid[atLow]*c.firstIfLow.CDF(u)*s.low) + float64(mid[atHigh]*c.firstIfTop.CDF(u)*s.high)
	if mid[between] > 0 && below > 0 {
		// E[y; x ≤ t] = high·P(x ≤ t) − ∫ P(x ≤ t, y ≤ v) dv
		area := curve.Integrate(func(v float64) float64 { return c.joined(below, s.smooth.CDF(v)) }, 0, 1, 1e-7)
		passed += float64(mid[between] * (float64(s.high*below) - float64(width*area)))
	}
	return kept + passed
}

// Modelled is what a fitted distribution expects of a threshold on the fit part, per record.
type Modelled struct{ Error, Deferred float64 }

// FitCopula fits the joint distribution of two models' calibrated confidences and returns the threshold that it expects
// to err least while it expects to defer at most `most` records: the best of evenly spaced thresholds, and golden
// sections around it. Keeping everything is always within the budget; deferring everything, within one of all records.
// Value is the mean error that is counted; what is deferred is counted, too, and may exceed the budget, since nothing
// was counted to find the threshold. student and master are the errors of the two answers.
func FitCopula(first, second, student, master []float64, most int) (t Threshold, err error) {
	if len(second) != len(first) {
		return t, fmt.Errorf("%d confidences of the first model and %d of the second", len(first), len(second))
	}
	path, err := walk(first, student, master)
	if err != nil {
		return t, fmt.Errorf("threshold of a copula: %w", err)
	}
	theta, m := 0.0, Modelled{Error: 1 - average(first)}
	if c := newCopula(first, second); c.first.low < c.first.high {
		if at, value := c.best(float64(most) / float64(len(first))); 1-value < m.Error {
			theta = min(math.Nextafter(at, 2), c.first.high) // the mass at the high end is deferred with all others, or not
			m = Modelled{Error: 1 - value, Deferred: c.deferred(at)}
		}
	}
	if all := 1 - average(second); most >= len(first) && all < m.Error {
		theta, m = math.Inf(1), Modelled{Error: all, Deferred: 1}
	}
	i := 0
	for i < len(path)-1 && theta > path[i].theta { // the first that defers as much
		i++
	}
	t = path[i].threshold(len(first), true)
	t.Theta, t.Modelled = theta, &m
	return t, nil
}

func average(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// best is the threshold of most right answers among those expected to defer at most a share; −Inf where there is none.
func (c *copula) best(share float64) (at, value float64) {
	const grid = 64
	value = math.Inf(-1)
	try := func(t float64) float64 {
		v := math.Inf(-1)
		if c.deferred(t) <= share+1e-12 { // sums of shares round
			v = c.correct(t)
		}
		if v > value {
			at, value = t, v
		}
		return v
	}
	low, high := c.first.low, c.first.high
	for k := range grid + 1 {
		try(low + float64((high-low)*float64(k)/grid))
	}
	golden, step := (math.Sqrt(5)-1)/2, (high-low)/grid
	for a, b := max(low, at-step), min(high, at+step); b-a > 1e-9; {
		x, y := b-float64(golden*(b-a)), a+float64(golden*(b-a))
		if try(x) < try(y) {
			a = x
		} else {
			b = y
		}
	}
	return at, value
}
