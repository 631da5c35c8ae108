package analyze

import (
	"math"

	"infnet/harness/result"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// calibrationBins is the number of equal-mass bins of the expected calibration
// error.
const calibrationBins = 15

// diagnose says how good each model is and how well its confidence tells its
// right answers from its wrong ones, on the test part.
func (b *Bench) diagnose(s *scorer) error {
	for m, name := range b.Cascade.Models {
		var beta []float64
		var right []bool
		for _, i := range b.Test {
			confidence := b.Models[m].Readings[i].Beta
			if m < b.Last() {
				confidence = b.Models[m].Beta[i]
			}
			beta = append(beta, confidence)
			right = append(right, b.Models[m].Grades[i].Correct)
		}
		d := result.Diagnostic{Model: name, ECE: metrics.ECE(beta, right, calibrationBins), Brier: metrics.Brier(beta, right), LabelMass: b.labelMass(m, b.Test)}
		var err error
		if d.Correct, err = s.resamples.Rate(right); err != nil {
			return err
		}
		if d.AUROC, err = auroc(s.resamples, metrics.NewRanking(beta, right)); err != nil {
			return err
		}
		b.out.Diagnostics = append(b.out.Diagnostics, d)
	}
	return nil
}

// auroc is the AUROC with its interval over the resamples in which there are
// both right and wrong answers. Where the records have only one kind it is not
// defined, which N = 0 says.
func auroc(resamples *infer.Resamples, r *metrics.Ranking) (infer.Interval, error) {
	value := r.AUROC(nil)
	if math.IsNaN(value) {
		return infer.Interval{Level: resamples.Level(), Method: "undefined"}, nil
	}
	return resamples.IntervalWhereDefined(value, resamples.Each(r.AUROC))
}
