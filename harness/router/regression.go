package router

import (
	"context"
	"slices"

	"infnet/harness/confidence"
)

// NewRegression returns the regression of confidence.Quantiles on Sample.Features. It has no early stopping, and its
// scores are on one scale, whatever it is fitted to.
func NewRegression() Learner {
	return Learner{Name: "logistic regression", Key: "regression 1", scaled: true, Learn: regress}
}

func regress(ctx context.Context, t Task, apply []Sample) (out Learned, err error) {
	if out.Report, err = t.report(); err != nil {
		return out, err
	}
	var x [][]float64
	var y []bool
	for _, i := range t.ByID() {
		x, y = append(x, t.Samples[i].Features), append(y, t.Labels[i] == 1)
	}
	r, err := confidence.FitRegression(x, y)
	if err != nil {
		return out, err
	}
	out.Report.Digest = digestOf([][]float64{slices.Concat([]float64{r.Bias}, r.Weight, r.Mean, r.SD)})
	for _, s := range apply {
		out.Scores = append(out.Scores, r.At(s.Features))
	}
	return out, ctx.Err()
}
