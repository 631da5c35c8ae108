package analyze

import (
	"infnet/harness/result"
	"infnet/metrics"
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
		for _, i := range b.test {
			confidence := b.readings[m][i].Beta
			if m == student {
				confidence = b.beta[i]
			}
			beta = append(beta, confidence)
			right = append(right, b.grades[m][i].Correct)
		}
		d := result.Diagnostic{Model: name, ECE: metrics.ECE(beta, right, calibrationBins), Brier: metrics.Brier(beta, right)}
		var err error
		if d.Correct, err = s.resamples.Rate(right); err != nil {
			return err
		}
		ranking := metrics.NewRanking(beta, right)
		if d.AUROC, err = s.resamples.Interval(ranking.AUROC(nil), s.resamples.Each(ranking.AUROC)); err != nil {
			return err
		}
		b.out.Diagnostics = append(b.out.Diagnostics, d)
	}
	return nil
}
