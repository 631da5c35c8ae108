package curve

import (
	"math"

	"infnet/harness/calc"
)

// BetaPair is a mixture of two Beta distributions, the first with the share Share.
type BetaPair struct {
	Share float64
	Of    [2]Beta
}

// The steps of FitBetaPair end when the log-likelihood moves by less.
const (
	pairSteps   = 2000
	pairSettled = 1e-6
)

// FitBetaPair fits a mixture of two Beta distributions to xs ∈ (0,1), by expectation and maximisation from Beta(2,5)
// and Beta(5,2) in equal shares. A distribution that too few numbers belong to stays as it was.
func FitBetaPair(xs []float64) BetaPair {
	p := BetaPair{0.5, [2]Beta{{2, 5}, {5, 2}}}
	before := math.Inf(-1)
	for range pairSteps {
		var logX, logY, weight [2]float64
		value := 0.0
		for _, x := range xs {
			a, b := p.Share*p.Of[0].PDF(x), (1-p.Share)*p.Of[1].PDF(x)
			all := max(a+b, 1e-300)
			value += calc.Log(all)
			for k, w := range [2]float64{a / all, b / all} {
				logX[k] += float64(w * calc.Log(x))
				logY[k] += float64(w * calc.Log1p(-x))
				weight[k] += w
			}
		}
		if math.Abs(value-before) < pairSettled {
			break
		}
		before = value
		p.Share = weight[0] / (weight[0] + weight[1])
		for k := range p.Of {
			if next, err := solveBeta(p.Of[k], logX[k]/weight[k], logY[k]/weight[k]); err == nil {
				p.Of[k] = next
			}
		}
	}
	return p
}

// CDF returns the probability of at most x.
func (p BetaPair) CDF(x float64) float64 {
	return float64(p.Share*p.Of[0].CDF(x)) + float64((1-p.Share)*p.Of[1].CDF(x))
}

// Above returns ∫ z dF(z) from x to 1: what numbers above x add to the mean.
func (p BetaPair) Above(x float64) float64 {
	return float64(p.Share*p.Of[0].above(x)) + float64((1-p.Share)*p.Of[1].above(x))
}

// above is A/(A+B) times the chance that Beta(A+1, B) is above x.
func (b Beta) above(x float64) float64 { return b.A / (b.A + b.B) * (1 - Beta{b.A + 1, b.B}.CDF(x)) }
