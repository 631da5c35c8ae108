package analyze

import (
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// calibrationBins is the number of equal-mass bins of the expected calibration
// error.
const calibrationBins = 15

// diagnose measures each model on the test part: its quality, and how well its
// confidence separates right answers from wrong ones.
func diagnose(s *measurer) (out []result.Diagnostic, err error) {
	for m, name := range s.r.Cascade.Models {
		beta, right := records.Pick(s.r.Models[m].Beta, s.r.Test), s.r.Models[m].Right(s.r.Test)
		d := result.Diagnostic{Model: name, ECE: metrics.ECE(beta, right, calibrationBins), Brier: metrics.Brier(beta, right),
			LabelMass: labelMass(s.r, m, s.r.Test), Graded: graded(s.r, m, s.r.Test)}
		iv := kept[infer.Interval](&err)
		d.Correct, d.AUROC = iv(s.resamples.Rate(right)), iv(auroc(s.resamples, metrics.NewRanking(beta, right)))
		out = append(out, d)
	}
	return out, err
}

// auroc returns the AUROC with its interval. If the records have only one kind of
// answer it is undefined, and N = 0.
func auroc(resamples *infer.Resamples, r *metrics.Ranking) (infer.Interval, error) {
	iv, defined, err := resamples.AUROC(r)
	if !defined {
		return infer.Interval{Level: resamples.Level(), Method: "undefined"}, err
	}
	return iv, err
}
