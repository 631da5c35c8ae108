package confidence

import (
	"fmt"
	"maps"
	"math"
	"slices"

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

// featureOf returns an answer's features; ok is false where β is 0 without a
// regression: no token, or one of probability 0.
func featureOf(a backends.Answer) (f Feature, ok bool, err error) {
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
	Weight, Mean, SD Feature // SD 0 counts as 1
}

// ridge is the penalty on the square of every weight, in records. The quantiles of
// short answers repeat each other, and without it their weights would not be
// unique.
const ridge = 1

// FitRegression fits P(right) to features by penalised maximum likelihood, with
// targets of (n₊+1)/(n₊+2) and 1/(n₋+2) (Platt 1999), so that answers that are
// all right leave a finite bias. O(n) per step of Newton's method.
func FitRegression(features []Feature, right []bool) (Regression, error) {
	var r Regression
	n := len(features)
	if n == 0 || n != len(right) {
		return r, fmt.Errorf("confidence %q: %d answers with log-probabilities and %d outcomes to learn from: want as "+
			"many, and one at least", Quantiles, n, len(right))
	}
	hits := 0.0
	for i, f := range features {
		if right[i] {
			hits++
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
	yes, no := (hits+1)/(hits+2), 1/(float64(n)-hits+2)
	r.Bias = calc.Log((hits + 1) / (float64(n) - hits + 1))
	for range 100 {
		if r.step(features, right, yes, no) < 1e-10 {
			break
		}
	}
	return r, nil
}

// step is one step of Newton's method, halved until the likelihood does not
// fall; it returns the largest change.
func (r *Regression) step(features []Feature, right []bool, yes, no float64) float64 {
	const d = len(Feature{}) + 1
	var gradient [d]float64
	var hessian [d][d]float64
	for i, f := range features {
		x := r.row(f)
		p := r.At(f)
		target := no
		if right[i] {
			target = yes
		}
		for a := range d {
			gradient[a] += float64((target - p) * x[a])
			for b := range a + 1 {
				hessian[a][b] += float64(float64(p*(1-p)) * float64(x[a]*x[b]))
			}
		}
	}
	hessian[0][0] += 1e-9
	for k, w := range r.Weight {
		gradient[k+1] -= ridge * w
		hessian[k+1][k+1] += ridge
	}
	change := solve(hessian, gradient)
	before, old := r.loss(features, right, yes, no), *r
	for size := 1.0; size > 1e-6; size /= 2 {
		r.Bias = old.Bias + float64(size*change[0])
		most := math.Abs(size * change[0])
		for k := range r.Weight {
			r.Weight[k] = old.Weight[k] + float64(size*change[k+1])
			most = max(most, math.Abs(size*change[k+1]))
		}
		if r.loss(features, right, yes, no) <= before {
			return most
		}
	}
	*r = old
	return 0
}

// row is the regression's view of a feature: 1, then the standardised numbers.
func (r *Regression) row(f Feature) (x [len(Feature{}) + 1]float64) {
	x[0] = 1
	for k, v := range f {
		if r.SD[k] > 0 {
			x[k+1] = (v - r.Mean[k]) / r.SD[k]
		}
	}
	return x
}

func (r *Regression) logit(f Feature) float64 {
	x := r.row(f)
	z := r.Bias
	for k, w := range r.Weight {
		z += float64(w * x[k+1])
	}
	return z
}

// At returns the regression's β, in [0,1].
func (r *Regression) At(f Feature) float64 { return 1 / (1 + calc.Exp(-r.logit(f))) }

// loss is the penalised negative log-likelihood.
func (r *Regression) loss(features []Feature, right []bool, yes, no float64) float64 {
	sum := 0.0
	for _, w := range r.Weight {
		sum += float64(ridge * float64(w*w) / 2)
	}
	for i, f := range features {
		z, target := r.logit(f), no
		if right[i] {
			target = yes
		}
		sum += max(z, 0) + calc.Log1p(calc.Exp(-math.Abs(z))) - float64(target*z)
	}
	return sum
}

// solve solves a symmetric positive definite system, of which the lower
// triangle is given, by Cholesky's decomposition.
func solve(a [23][23]float64, b [23]float64) [23]float64 {
	for i := range a {
		for j := range i + 1 {
			for k := range j {
				a[i][j] -= float64(a[i][k] * a[j][k])
			}
			if i == j {
				a[i][i] = math.Sqrt(a[i][i])
			} else {
				a[i][j] /= a[j][j]
			}
		}
		for k := range i {
			b[i] -= float64(a[i][k] * b[k])
		}
		b[i] /= a[i][i]
	}
	for i := len(a) - 1; i >= 0; i-- {
		for k := i + 1; k < len(a); k++ {
			b[i] -= float64(a[k][i] * b[k])
		}
		b[i] /= a[i][i]
	}
	return b
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
		var x []Feature
		var y []bool
		for i, r := range readings {
			if r.Feature != nil && (without < 0 || fold[i] != without) {
				x, y = append(x, *r.Feature), append(y, right[i])
			}
		}
		return FitRegression(x, y)
	}
	all, err := fit(-1)
	if err != nil {
		return err
	}
	folds := map[int]bool{}
	for _, f := range fold {
		folds[f] = true
	}
	if len(folds) < 2 {
		return fmt.Errorf("confidence %q: cross-fitting needs at least 2 folds, got %d", Quantiles, len(folds))
	}
	for _, f := range slices.Sorted(maps.Keys(folds)) {
		r, err := fit(f)
		if err != nil {
			return fmt.Errorf("without fold %d: %w", f, err)
		}
		for i, reading := range readings {
			if fold[i] == f {
				reading.judge(&r)
			}
		}
	}
	s.Regression = &all
	return nil
}

// judge sets the β of a reading that has features.
func (r *Reading) judge(g *Regression) {
	if r.Feature != nil {
		r.Judged(g.At(*r.Feature))
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
	f, ok, err := featureOf(a)
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
