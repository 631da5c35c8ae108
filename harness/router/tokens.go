package router

import (
	"fmt"
	"slices"

	"infnet/harness/confidence"
)

// NewTokenQuantiles returns learned deferral on the quantiles of an answer's token log-probabilities (N. Gupta et al.,
// Language model cascades: token-level uncertainty and beyond, ICLR 2024, arXiv:2404.10136): the regression of
// confidence.Quantiles, fitted to the label of the baseline.
func NewTokenQuantiles() Fitter {
	return formula{"quantiles of token log-probabilities", "token quantiles 1", true, fitTokens}
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
