package analyze

import (
	"fmt"
	"math"

	"infnet/harness/curve"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/metrics"
	"infnet/metrics/infer"
)

// reliabilityWidth is the number of bins of equal width of a reliability diagram.
const reliabilityWidth = 10

// reliability bins every model's confidences of the test part, by mass as the
// expected calibration error does, and by width.
func reliability(r *records.Records) (out []result.Reliability, err error) {
	for _, m := range r.Models {
		beta, right := records.Pick(m.Beta, r.Test), indicators(m.Right(r.Test))
		mass, err := curve.EqualMass(beta, complement(right), calibrationBins)
		if err != nil {
			return nil, fmt.Errorf("reliability of %s: %w", m.Spec.Name, err)
		}
		for i := range mass {
			mass[i].MeanY = 1 - mass[i].MeanY
		}
		width, err := curve.EqualWidth(beta, right, reliabilityWidth)
		if err != nil {
			return nil, fmt.Errorf("reliability of %s: %w", m.Spec.Name, err)
		}
		for k, bins := range [][]curve.Bin{mass, width} {
			d := result.Reliability{Model: m.Spec.Name, Binning: []string{"equal-mass", "equal-width"}[k]}
			for _, bin := range bins {
				if bin.N == 0 {
					continue
				}
				iv, err := infer.ClopperPearson(int(math.RoundToEven(bin.MeanY*float64(bin.N))), bin.N, r.Study.Report.Level)
				if err != nil {
					return nil, err
				}
				d.Low, d.High, d.Records = append(d.Low, bin.First), append(d.High, bin.Last), append(d.Records, bin.N)
				d.Confidence, d.Correct = append(d.Confidence, bin.MeanX), append(d.Correct, bin.MeanY)
				d.From, d.To = append(d.From, iv.Low), append(d.To, iv.High)
			}
			out = append(out, d)
		}
	}
	return out, nil
}

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
		if d.Audit, err = audit(s.r, m, right, s.resamples.Level()); err != nil {
			return nil, err
		}
		iv := kept[infer.Interval](&err)
		d.Correct = iv(s.resamples.RateOf(indicators(right)))
		d.AUROC = iv(auroc(s.resamples, metrics.NewRanking(beta, right)))
		out = append(out, d)
	}
	return out, err
}

// audit compares a model's grades on the test part with people's; nil = these graded nothing of it.
func audit(r *records.Records, model int, right []bool, level float64) (*result.Audit, error) {
	var a, judged infer.Audit // of all grades; of those that the judge was asked for
	for k, i := range r.Test {
		human := r.HumanGrade(model, i)
		a.Add(right[k], human)
		if _, asked := r.JudgeBeta(model, i); asked {
			judged.Add(right[k], human)
		}
	}
	if a.Audited() == 0 {
		return nil, nil
	}
	out := &result.Audit{Records: a.Records, Audited: a.Audited()}
	if iv, err := judged.Sensitivity(level); err == nil {
		out.Sensitivity = &iv
	}
	if iv, err := judged.Specificity(level); err == nil {
		out.Specificity = &iv
	}
	var err error
	out.Correct, err = a.Share(level)
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
