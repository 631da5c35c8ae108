package router

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/confidence"
)

// Formula is a Fitter of a few numbers, without early stopping: its scores are on one scale, whatever it was fitted to.
type Formula struct {
	named
	tokens bool
	// fit returns what it learned: a function of a sample, and its numbers. p of them make a step of its search cost
	// p² operations per sample
	fit func(samples []Sample, labels []float64) (at func(Sample) float64, numbers []float64, p float64, err error)
}

// NeedsTokens reports whether it needs Sample.Features.
func (f Formula) NeedsTokens() bool { return f.tokens }

// newtonFew is about how many of Newton's steps a fit takes.
const newtonFew = 10

func (f Formula) Fit(ctx context.Context, t Task) (Predictor, Report, error) {
	report, err := t.report()
	if err != nil {
		return nil, report, err
	}
	order := t.ByID()
	at, numbers, p, err := f.fit(pickOf(t.Samples, order), pickOf(t.Labels, order))
	if err != nil {
		return nil, report, err
	}
	report.FLOPs, report.Digest = newtonFew*float64(len(order))*p*p, digestOf([][]float64{numbers})
	return regression{at, 4 * p}, report, ctx.Err()
}

type regression struct {
	at    func(Sample) float64
	flops float64
}

func (r regression) Score(_ context.Context, samples []Sample) ([]float64, error) {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = r.at(s)
	}
	return out, nil
}

func (r regression) FLOPs(Sample) float64 { return r.flops }

// NewTokenQuantiles returns learned deferral on the quantiles of an answer's token log-probabilities (N. Gupta et al.,
// Language model cascades: token-level uncertainty and beyond, ICLR 2024, arXiv:2404.10136): the regression of
// confidence.Quantiles, fitted to the label of the baseline.
func NewTokenQuantiles() Fitter {
	return Formula{named{name: "quantiles of token log-probabilities", key: "token quantiles 1"}, true, fitTokens}
}

func fitTokens(samples []Sample, labels []float64) (at func(Sample) float64, numbers []float64, p float64, err error) {
	var x [][]float64
	var y []bool
	for i, s := range samples {
		if s.Features != nil {
			x, y = append(x, s.Features), append(y, labels[i] == 1)
		}
	}
	if len(x) == 0 {
		return nil, nil, 0, fmt.Errorf("no answer has tokens of known probability")
	}
	r, err := confidence.FitRegression(x, y)
	return func(s Sample) float64 {
		if s.Features == nil { // an answer of probability 0
			return 0
		}
		return r.At(s.Features)
	}, slices.Concat([]float64{r.Bias}, r.Weight, r.Mean, r.SD), float64(len(r.Weight)), err
}
