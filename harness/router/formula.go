package router

import "context"

// formula is a regression.
type formula struct {
	name, key string
	tokens    bool
	// fit returns what it learned: a function of a sample, and its numbers. p of them make a step of its search cost
	// p² operations per sample
	fit func(samples []Sample, labels []float64) (at func(Sample) float64, numbers []float64, p float64, err error)
}

var _ Formula = formula{}

// Name says what it is.
func (f formula) Name() string { return f.name }

// Key names the version.
func (f formula) Key() string { return f.key }

// NeedsTokens reports whether it needs Sample.Features.
func (f formula) NeedsTokens() bool { return f.tokens }

// newtonFew is about how many of Newton's steps a fit takes.
const newtonFew = 10

func (f formula) Fit(ctx context.Context, t Task) (Predictor, Report, error) {
	report, err := t.report()
	if err != nil {
		return nil, report, err
	}
	order := t.ByID()
	at, numbers, p, err := f.fit(pickOf(t.Samples, order), pickOf(t.Labels, order))
	if err != nil {
		return nil, report, err
	}
	report.FLOPs, report.Digest = newtonFew*float64(len(order))*p*p, digestOf(numbers)
	return regression{at, 4 * p}, report, ctx.Err()
}

type regression struct {
	at    func(Sample) float64
	flops float64
}

// Score implements Predictor.
func (r regression) Score(_ context.Context, samples []Sample) ([]float64, error) {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = r.at(s)
	}
	return out, nil
}

// FLOPs implements Predictor.
func (r regression) FLOPs(Sample) float64 { return r.flops }
