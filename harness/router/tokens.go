package router

import (
	"context"
	"fmt"

	"infnet/harness/confidence"
)

// NewTokenQuantiles returns learned deferral on the quantiles of an answer's token log-probabilities (N. Gupta et al.,
// Language model cascades: token-level uncertainty and beyond, ICLR 2024, arXiv:2404.10136): the regression of
// confidence.Quantiles, fitted to the label of the baseline.
func NewTokenQuantiles() Fitter { return tokenQuantiles{} }

type tokenQuantiles struct{}

var _ Steady = tokenQuantiles{}

// Name returns "token quantiles".
func (tokenQuantiles) Name() string { return "quantiles of token log-probabilities" }

// Key names the version.
func (tokenQuantiles) Key() string { return "token quantiles 1" }

// Steady says that a regression without early stopping estimates the same chance in every fit.
func (tokenQuantiles) Steady() {}

// NeedsTokens says that it needs Sample.Features.
func (tokenQuantiles) NeedsTokens() {}

func (tokenQuantiles) Fit(ctx context.Context, t Task) (Predictor, Report, error) {
	report, err := t.report()
	if err != nil {
		return nil, report, err
	}
	var x []confidence.Feature
	var y []bool
	for _, i := range t.ByID() {
		if f, ok := featureOf(t.Samples[i]); ok {
			x, y = append(x, f), append(y, t.Labels[i] == 1)
		}
	}
	if len(x) == 0 {
		return nil, report, fmt.Errorf("no answer has tokens of known probability")
	}
	r, err := confidence.FitRegression(x, y)
	if err != nil {
		return nil, report, err
	}
	n, p := float64(len(x)), float64(len(r.Weight)+1)
	report.FLOPs, report.Digest = quantileSteps*n*p*p, digestOf([]float64{r.Bias}, r.Weight[:], r.Mean[:], r.SD[:])
	return byTokens(r), report, ctx.Err()
}

// quantileSteps is about how many of Newton's steps a fit takes, each of which adds up a matrix.
const quantileSteps = 10

type byTokens confidence.Regression

// featureOf is the input of the regression; ok is false for an answer of probability 0, whose score is 0.
func featureOf(s Sample) (f confidence.Feature, ok bool) {
	return f, copy(f[:], s.Features) == len(f)
}

// Score implements Predictor.
func (r byTokens) Score(_ context.Context, samples []Sample) ([]float64, error) {
	out, g := make([]float64, len(samples)), confidence.Regression(r)
	for i, s := range samples {
		if f, ok := featureOf(s); ok {
			out[i] = g.At(f)
		}
	}
	return out, nil
}

// FLOPs implements Predictor.
func (r byTokens) FLOPs(Sample) float64 { return 4 * float64(len(r.Weight)) }
