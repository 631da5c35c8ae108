package router

import (
	"context"
	"fmt"
	"slices"

	"infnet/harness/confidence"
)

// formula is a Learner of a few numbers, without early stopping: its scores are on one scale, whatever it is fitted to.
// fit returns what it learned: a function of a sample, and its numbers. p of them make a step of its search cost p²
// operations per sample.
func formula(name, key string, tokens bool, fit func(samples []Sample, labels []float64) (at func(Sample) float64,
	numbers []float64, p float64, err error)) Learner {
	learn := func(ctx context.Context, t Task, apply []Sample) (out Learned, err error) {
		if out.Report, err = t.report(); err != nil {
			return out, err
		}
		order := t.ByID()
		at, numbers, p, err := fit(pickOf(t.Samples, order), pickOf(t.Labels, order))
		if err != nil {
			return out, err
		}
		out.Report.Digest = digestOf([][]float64{numbers})
		out.FLOPs = 4 * p
		for _, s := range apply {
			out.Scores = append(out.Scores, at(s))
		}
		return out, ctx.Err()
	}
	return Learner{Name: name, Key: key, Tokens: tokens, scaled: true, Learn: learn}
}

// NewTokenQuantiles returns learned deferral on the quantiles of an answer's token log-probabilities (N. Gupta et al.,
// Language model cascades: token-level uncertainty and beyond, ICLR 2024, arXiv:2404.10136): the regression of
// confidence.Quantiles, fitted to the label of the baseline.
func NewTokenQuantiles() Learner {
	return formula("quantiles of token log-probabilities", "token quantiles 1", true, fitTokens)
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
