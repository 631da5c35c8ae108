package cost

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"infnet/harness/calc"
	"infnet/metrics/infer"
)

// Summarise turns the per-answer costs of one model on the fit part into one
// number. params, the model's parameters in billions, is used by the
// signature only. No costs, or one that is negative or not finite, is an
// error.
func Summarise(s Summary, costs []float64, params float64) (float64, error) {
	if len(costs) == 0 {
		return 0, errors.New("no costs to summarise: no answer of this model is in the fit part")
	}
	for i, c := range costs {
		if bad(c) {
			return 0, fmt.Errorf("cost %v of answer %d is not a non-negative number", c, i+1)
		}
	}
	switch s {
	case Mean:
		return stat.Mean(costs, ones(costs)), nil
	case Median:
		return infer.Quantile(sorted(costs), 0.5), nil
	case Signature:
		return signature(costs, params)
	}
	return 0, fmt.Errorf("unknown cost summary %q", string(s))
}

// signature is the number behind the paper's published savings (authors' released
// code; the paper's text does not mention it). It is not a physical
// cost: it weighs the spread of the costs as well as their size, and then
// multiplies by a factor of the model's size:
//
//	s = 2.0·mean + 1.2·median + 0.8·sd + 1.1·IQR + 0.6·|skew|
//	  + 0.5·|excess kurtosis| + 1.3·p95 + 0.9·sd/mean
//	signature = s·(1 + 50·log₁₀ P)
//
// with costs in TFLOPs, P parameters in billions, sd with divisor n, biased
// skew and excess kurtosis (0 where all costs are equal), and linear
// percentiles. Below a billion parameters the factor falls under 1 and soon
// turns negative, so it is refused there.
func signature(costs []float64, params float64) (float64, error) {
	if !(params >= 1) || math.IsInf(params, 0) {
		return 0, fmt.Errorf("cost summary %q is undefined for a model of %v billion parameters: its size factor 1 + "+
			"50·log10(P) needs P ≥ 1; use mean or median", string(Signature), params)
	}
	x := sorted(costs)
	mean := stat.Mean(x, ones(x))
	sd, skew, kurtosis, cv := 0.0, 0.0, 0.0, 0.0
	if x[0] != x[len(x)-1] {
		m2 := stat.Moment(2, x, ones(x))
		sd = math.Sqrt(m2)
		skew = stat.Moment(3, x, ones(x)) / (m2 * sd)
		kurtosis = stat.Moment(4, x, ones(x))/(m2*m2) - 3
		cv = sd / mean
	}
	s := 0.0
	for _, term := range [][2]float64{
		{2.0, mean}, {1.2, infer.Quantile(x, 0.5)}, {0.8, sd}, {1.1, infer.Quantile(x, 0.75) - infer.Quantile(x, 0.25)},
		{0.6, math.Abs(skew)}, {0.5, math.Abs(kurtosis)}, {1.3, infer.Quantile(x, 0.95)}, {0.9, cv},
	} {
		s += float64(term[0] * term[1])
	}
	return s * (1 + float64(50*calc.Log10(params))), nil
}

func sorted(x []float64) []float64 {
	x = slices.Clone(x)
	slices.Sort(x)
	return x
}

// ones are weights of one: with weights gonum adds in order, without them in
// lanes that differ between processors.
func ones(x []float64) []float64 { return slices.Repeat([]float64{1}, len(x)) }
