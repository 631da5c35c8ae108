package confidence

import (
	"fmt"
	"math"

	"infnet/backends"
	"infnet/harness/calc"
	"infnet/harness/curve"
)

// quantilesAt are the levels of the quantiles of an answer's token
// log-probabilities: 20, denser in the lower tail.
var quantilesAt = []float64{0, .01, .02, .03, .04, .05, .06, .07, .08, .09, .1, .2, .3, .4, .5, .6, .7, .8, .9, 1}

// Feature is the input of the Quantiles regression: 20 quantiles of an answer's
// token log-probabilities, their sum and their mean.
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
//
// The authors' released run used a small neural network instead. A regression of 23
// numbers needs fewer records and fits into a thresholds file.
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
		return r, fmt.Errorf("confidence %q: %d answers with log-probabilities and %d outcomes to learn from: want as "+
			"many, and one at least", Quantiles, n, len(right))
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
		return r, fmt.Errorf("confidence %q: %w", Quantiles, err)
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

// Learn fits the regression of Quantiles to readings and whether their answers
// are right, and gives the readings the β of a regression that did not see
// them: fold says who is left out together. The scale keeps the one that saw
// all, which reads further answers.
func (s *Scale) Learn(readings []*Reading, right []bool, fold []int) error {
	if len(readings) != len(right) || len(readings) != len(fold) {
		return fmt.Errorf("confidence %q: %d readings, %d outcomes, %d folds", Quantiles, len(readings), len(right),
			len(fold))
	}
	fit := func(without int) (Regression, error) {
		var x [][]float64
		var y []bool
		for i, r := range readings {
			if r.Feature != nil && (without < 0 || fold[i] != without) {
				x, y = append(x, r.Feature[:]), append(y, right[i])
			}
		}
		return FitRegression(x, y)
	}
	all, err := fit(-1)
	if err != nil {
		return err
	}
	err = eachFold("confidence", Quantiles, fold, func(f int) error {
		r, err := fit(f)
		for i, reading := range readings {
			if err == nil && fold[i] == f {
				reading.judge(&r)
			}
		}
		return err
	})
	if err == nil {
		s.Regression = &all
	}
	return err
}

// judge sets the β of a reading that has features.
func (r *Reading) judge(g *Regression) {
	if r.Feature != nil {
		r.Judged(g.At(r.Feature[:]))
	}
}

// Judged gives a reading of Quantiles the β that Learn gave it.
func (r *Reading) Judged(beta float64) {
	if r.Feature != nil {
		r.Beta, r.Low, r.High, r.Log = beta, beta, beta, calc.Log(beta)
	}
}

// readQuantiles reads an answer's features, and β where the regression is there.
func (s Scale) readQuantiles(a backends.Answer) (Reading, error) {
	f, ok, err := FeatureOf(a)
	if err != nil {
		return Reading{}, err
	}
	r := Reading{Certain: true, Log: math.Inf(-1)}
	if !ok {
		_, n, _ := tokenSum(a)
		r.Empty = n == 0
		return r, nil
	}
	r.Feature = &f
	if s.Regression != nil {
		r.judge(s.Regression)
	}
	return r, nil
}

// parameters are the regression's numbers by name.
func (r *Regression) parameters() map[string]float64 {
	p := map[string]float64{"bias": r.Bias}
	for k := range r.Weight {
		p["weight_"+featureName(k)], p["mean_"+featureName(k)], p["sd_"+featureName(k)] = r.Weight[k], r.Mean[k], r.SD[k]
	}
	return p
}

func featureName(k int) string {
	switch {
	case k < len(quantilesAt):
		return fmt.Sprintf("q%02.0f", 100*quantilesAt[k])
	case k == len(quantilesAt):
		return "sum"
	}
	return "mean"
}
