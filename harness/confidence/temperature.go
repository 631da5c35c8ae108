package confidence

import (
	"math"

	"infnet/harness/calc"
)

// The range temperatures are searched in, as logarithms. Beyond it the
// probabilities are one-hot or uniform for all purposes.
const (
	leastLogTemperature = -4.0
	mostLogTemperature  = 4.0
)

// temper returns p_k^(1/t)/Σ p_j^(1/t). A probability of 0 stays 0.
func temper(probs []float64, t float64) []float64 {
	top := 0.0
	for _, p := range probs {
		top = max(top, p)
	}
	out, sum := make([]float64, len(probs)), 0.0
	for k, p := range probs {
		out[k] = calc.Exp(calc.Log(p/top) / t)
		sum += out[k]
	}
	for k := range out {
		out[k] /= sum
	}
	return out
}

// temperature minimises the mean negative log-likelihood of the true class
// over ln t by golden-section search. The likelihood is concave in 1/t, so
// there is one minimum; it may lie at an end of the range.
func (s Sample) temperature() map[string]float64 {
	loss := func(logT float64) float64 {
		t, sum := calc.Exp(logT), 0.0
		for i, p := range s.Probs {
			// A reference with probability 0 is impossible at every t: the
			// floor leaves it out of the balance.
			sum -= calc.Log(max(temper(p, t)[s.Truth[i]], math.SmallestNonzeroFloat64))
		}
		return sum
	}
	golden := (math.Sqrt(5) - 1) / 2
	lo, hi := leastLogTemperature, mostLogTemperature
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fa, fb := loss(a), loss(b)
	for hi-lo > 1e-9 {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - float64(golden*(hi-lo))
			fa = loss(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + float64(golden*(hi-lo))
			fb = loss(b)
		}
	}
	return map[string]float64{"t": calc.Exp((lo + hi) / 2)}
}
