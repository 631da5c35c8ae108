package analyze

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/calc"
	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/metrics"
	"infnet/metrics/infer"
)

const (
	reliabilityWidth = 10 // bins of equal width of a reliability diagram
	boundaryWindow   = 40 // records around a threshold from which its excess error is estimated
	boundaryBins     = 12 // bins of equal mass of a class's excess errors
)

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

func boundaries(r *records.Records, single, multi policy.Policy, front *policy.Frontier) (*result.Boundaries, error) {
	out := &result.Boundaries{Window: boundaryWindow}
	var err error
	if out.Level, err = margin(r, front); err != nil {
		return nil, err
	}
	fit, test := gainsBetween(r, r.Fit, student, r.Last()), gainsBetween(r, r.Test, student, r.Last())
	for k, label := range r.Dataset.Labels {
		c := result.Boundary{Class: label.Class, Theta: result.Float(multi.Thresholds[k]),
			Single: result.Float(single.Thresholds[0])}
		var beta, delta []float64
		for n, i := range r.Fit {
			if r.Student().Class[i] == k {
				beta, delta = append(beta, r.Student().Beta[i]), append(delta, fit.saved[n])
			}
		}
		var bins []curve.Bin
		if c.Records = len(beta); c.Records > 0 {
			if bins, err = curve.EqualMass(beta, delta, boundaryBins); err != nil {
				return nil, fmt.Errorf("class %s: %w", label.Class, err)
			}
		}
		for _, bin := range bins {
			c.Beta, c.Delta, c.Sizes = append(c.Beta, bin.MeanX), append(c.Delta, bin.MeanY), append(c.Sizes, bin.N)
		}
		if c.Excess, err = excessNear(r, label.Class, beta, delta, multi.Thresholds[k]); err != nil {
			return nil, err
		}
		if c.SingleExcess, err = excessNear(r, label.Class, beta, delta, single.Thresholds[0]); err != nil {
			return nil, err
		}
		classOutcome(r, &c, k, test)
		out.Classes = append(out.Classes, c)
	}
	return out, nil
}

// margin returns the excess error at which one more record is accepted, from the
// shadow price of the budget along the hull of the frontier: errors per deferral
// saved. Where accepting more adds no error the price is infinite, and the margin
// is 0. Where everything is accepted there is no margin.
func margin(r *records.Records, front *policy.Frontier) (result.Float, error) {
	if r.Study.Policy.Objective.Summed() { // the margin is errors per deferral, whatever is minimised
		var err error
		if front, err = policy.FrontierMulti(r.Pair(r.Fit), promised(r)); err != nil {
			return 0, err
		}
	}
	mix, err := front.Mix(r.Study.Policy.Target)
	if err != nil {
		return 0, err
	}
	for i := range front.HullLen() {
		if at := front.HullPoint(i); at.Price != 0 && slices.Equal(at.Thresholds, mix.Strict) {
			return result.Float(1 / at.Price), nil
		}
	}
	return nan, nil
}

// excessNear returns the mean excess error of the records nearest to a threshold,
// at most half a window on either side.
func excessNear(r *records.Records, class string, beta, delta []float64, theta float64) (result.Estimate, error) {
	out := result.Estimate{Level: r.Study.Report.Level, Method: "undefined", Value: nan, Low: nan, High: nan}
	if len(beta) == 0 || theta <= 0 || math.IsInf(theta, 1) {
		return out, nil
	}
	order := calc.Ascending(beta)
	first := slices.IndexFunc(order, func(i int) bool { return beta[i] >= theta })
	if first < 0 {
		first = len(order)
	}
	var near []float64
	for _, i := range order[max(0, first-boundaryWindow/2):min(len(order), first+boundaryWindow/2)] {
		near = append(near, delta[i])
	}
	rng := seed.Stream(r.Study.Seed, "boundary", r.Dataset.Name, class)
	rs, err := infer.NewResamples(rng, make([]string, len(near)),
		infer.Options{Count: r.Study.Report.Bootstrap, Level: r.Study.Report.Level})
	if err != nil {
		return out, err
	}
	iv, err := rs.Difference(near, make([]float64, len(near)))
	return estimate(iv), err
}

// classOutcome fills in the results of both kinds of threshold on a class's test
// records.
func classOutcome(r *records.Records, c *result.Boundary, k int, g gains) {
	for n, i := range r.Test {
		if r.Student().Class[i] != k {
			continue
		}
		c.Test++
		beta := r.Student().Beta[i]
		c.Error += g.student[n]
		c.SingleError += g.student[n]
		if !(beta >= float64(c.Theta)) {
			c.Deferred++
			c.Error -= g.saved[n]
		}
		if !(beta >= float64(c.Single)) {
			c.SingleDeferred++
			c.SingleError -= g.saved[n]
		}
	}
	if n := float64(c.Test); n > 0 {
		c.Deferred, c.SingleDeferred = c.Deferred/n, c.SingleDeferred/n
		c.Error, c.SingleError = c.Error/n, c.SingleError/n
	}
}

var nan = result.Float(math.NaN())

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
