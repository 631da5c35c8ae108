package confidence

import (
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/curve"
)

// quantilesAt are the levels of the quantiles of an answer's token
// log-probabilities: 20, denser in the lower tail.
var quantilesAt = []float64{0, .01, .02, .03, .04, .05, .06, .07, .08, .09, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}

// Feature is what a regression sees of an answer: 20 quantiles of its token
// log-probabilities, their sum and their mean.
type Feature [22]float64

// FeatureOf returns an answer's features; ok is false where β is 0 without a
// regression: no token, or one of probability 0.
func FeatureOf(a backends.Answer) (f Feature, ok bool, err error) {
	sum, n, err := tokenSum(a)
	if err != nil || n == 0 || math.IsInf(sum, -1) {
		return f, false, err
	}
	logs := make([]float64, n)
	for i := range logs {
		logs[i] = min(a.Tokens[i].Logprob, 0)
	}
	quantiles, err := curve.Quantiles(logs, quantilesAt)
	if err != nil {
		return f, false, err
	}
	copy(f[:], quantiles)
	f[20], f[21] = sum, sum/float64(n)
	return f, true, nil
}

// Regression is a logistic regression on standardised features:
//
//	β = 1/(1 + exp(−(Bias + Σ Weight_k·(f_k − Mean_k)/SD_k)))
type Regression struct {
	Bias             float64
	Weight, Mean, SD []float64 // SD 0 counts as 1
}

// ridge is the penalty on the square of every weight, in records. The quantiles of
// short answers repeat each other, and without it their weights would not be
// unique.
const ridge = 1

// FitRegression fits P(right) to rows of features by penalised maximum likelihood,
// with Platt's targets, so that answers that are all right leave a finite bias.
func FitRegression(features [][]float64, right []bool) (r Regression, err error) {
	n := len(features)
	if n == 0 || n != len(right) {
		return r, fmt.Errorf("regression: %d answers with log-probabilities and %d outcomes to learn from: want as many, "+
			"and one at least", n, len(right))
	}
	r.Mean, r.SD = make([]float64, len(features[0])), make([]float64, len(features[0]))
	correct := make([]float64, n)
	for i, f := range features {
		if right[i] {
			correct[i] = 1
		}
		for k, v := range f {
			r.Mean[k] += v / float64(n)
		}
	}
	for _, f := range features {
		for k, v := range f {
			r.SD[k] += float64((v-r.Mean[k])*(v-r.Mean[k])) / float64(n)
		}
	}
	for k := range r.SD {
		r.SD[k] = math.Sqrt(r.SD[k])
		if r.SD[k] < 1e-9*math.Abs(r.Mean[k]) {
			r.SD[k] = 0 // rounding
		}
	}
	rows := make([][]float64, n)
	for i, f := range features {
		rows[i] = r.standardised(f)
	}
	c, err := curve.Logistic(rows, smoothed(correct), ridge)
	if err != nil {
		return r, fmt.Errorf("regression: %w", err)
	}
	r.Bias, r.Weight = c[0], c[1:]
	return r, nil
}

// standardised is the regression's view of features.
func (r *Regression) standardised(f []float64) []float64 {
	x := make([]float64, len(f))
	for k, v := range f {
		if r.SD[k] > 0 {
			x[k] = (v - r.Mean[k]) / r.SD[k]
		}
	}
	return x
}

// At returns the regression's β, in [0,1].
func (r *Regression) At(f []float64) float64 {
	z := r.Bias
	for k, x := range r.standardised(f) {
		z += float64(r.Weight[k] * x)
	}
	return curve.Sigmoid(z)
}
