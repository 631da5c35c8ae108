package analyze

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/curve"
	"infnet/harness/policy"
	"infnet/harness/population"
	"infnet/harness/result"
	"infnet/harness/seed"
	"infnet/metrics/infer"
)

const (
	reliabilityWidth = 10 // bins of equal width of a reliability diagram
	boundaryWindow   = 40 // records around a threshold that tell the excess error there
	boundaryBins     = 12 // bins of equal mass of a class's excess errors
)

// reliability bins every model's confidences of the test part, by mass as the
// expected calibration error does, and by width.
func (b *Bench) reliability() error {
	for m, name := range b.Cascade.Models {
		var beta, wrong []float64
		for _, i := range b.Test {
			if m < b.Last() {
				beta = append(beta, b.Models[m].Beta[i])
			} else {
				beta = append(beta, b.Models[m].Readings[i].Beta)
			}
			wrong = append(wrong, 1)
			if b.Models[m].Grades[i].Correct {
				wrong[len(wrong)-1] = 0
			}
		}
		mass, err := population.EqualMassReliability(beta, wrong, calibrationBins)
		if err != nil {
			return fmt.Errorf("reliability of %s: %w", name, err)
		}
		width, err := population.EqualWidthReliability(beta, wrong, reliabilityWidth)
		if err != nil {
			return fmt.Errorf("reliability of %s: %w", name, err)
		}
		for _, d := range []struct {
			binning string
			bins    []population.Reliability
		}{{"equal-mass", mass}, {"equal-width", width}} {
			out := result.Reliability{Model: name, Binning: d.binning}
			for _, bin := range d.bins {
				if bin.N == 0 {
					continue
				}
				right := int(math.RoundToEven(bin.Correct * float64(bin.N)))
				iv, err := infer.ClopperPearson(right, bin.N, b.in.Study.Report.Level)
				if err != nil {
					return err
				}
				out.Low, out.High = append(out.Low, bin.Low), append(out.High, bin.High)
				out.Records = append(out.Records, bin.N)
				out.Confidence, out.Correct = append(out.Confidence, bin.Beta), append(out.Correct, bin.Correct)
				out.From, out.To = append(out.From, iv.Low), append(out.To, iv.High)
			}
			b.out.Reliability = append(b.out.Reliability, out)
		}
	}
	return nil
}

// boundaries sets the thresholds per class beside the single one.
func (b *Bench) boundaries() error {
	single, multi := b.policyOf(Single), b.policyOf(Multi)
	if single == nil || multi == nil {
		return nil
	}
	out := &result.Boundaries{Window: boundaryWindow}
	var err error
	if out.Level, err = b.margin(); err != nil {
		return err
	}
	fit, test := b.gainsOf(b.Fit), b.gainsOf(b.Test)
	for k, label := range b.Dataset.Labels {
		c := result.Boundary{Class: label.Class, Theta: result.Float(multi.Thresholds[k]), Single: result.Float(single.Thresholds[0])}
		var beta, delta []float64
		for n, i := range b.Fit {
			if b.Student().Readings[i].Class == k {
				beta, delta = append(beta, b.Student().Beta[i]), append(delta, fit.saved[n])
			}
		}
		c.Records = len(beta)
		if len(beta) > 0 {
			bins, err := curve.EqualMass(beta, delta, boundaryBins)
			if err != nil {
				return fmt.Errorf("class %s: %w", label.Class, err)
			}
			for _, bin := range bins {
				c.Beta, c.Delta, c.Sizes = append(c.Beta, bin.MeanX), append(c.Delta, bin.MeanY), append(c.Sizes, bin.N)
			}
		}
		if c.Excess, err = b.excessNear(label.Class, beta, delta, multi.Thresholds[k]); err != nil {
			return err
		}
		if c.SingleExcess, err = b.excessNear(label.Class, beta, delta, single.Thresholds[0]); err != nil {
			return err
		}
		b.classOutcome(&c, k, test, multi.Thresholds[k], single.Thresholds[0])
		out.Classes = append(out.Classes, c)
	}
	b.out.Boundaries = out
	return nil
}

// policyOf is a fitted policy by its row's name, nil where there is none.
func (b *Bench) policyOf(name string) *policy.Policy {
	for k := range b.fitted {
		if b.fitted[k].Name == name {
			return &b.fitted[k].Policy
		}
	}
	return nil
}

// margin is the excess error at which a further record is accepted, by the
// shadow price of the budget along the hull of the frontier: errors per
// deferral saved. Where accepting more costs no error the price has no end,
// and the margin is 0; where everything is accepted nothing is at the margin.
func (b *Bench) margin() (result.Float, error) {
	p := b.in.Study.Policy
	front, err := policy.FrontierMulti(b.Pair(b.Fit), policy.Options{Setting: p.Setting, Target: p.Target})
	if err != nil {
		return 0, err
	}
	mix, err := front.Mix(p.Target)
	if err != nil {
		return 0, err
	}
	for i := range front.HullLen() {
		at := front.HullPoint(i)
		if !slices.Equal(at.Thresholds, mix.Strict) {
			continue
		}
		if at.Price == 0 {
			return result.Float(math.NaN()), nil
		}
		return result.Float(1 / at.Price), nil
	}
	return result.Float(math.NaN()), nil
}

// excessNear is the mean excess error of the records nearest to a threshold, at
// most half a window on either side.
func (b *Bench) excessNear(class string, beta, delta []float64, theta float64) (result.Estimate, error) {
	out := result.Estimate{Level: b.in.Study.Report.Level, Method: "undefined", Value: nan, Low: nan, High: nan}
	if len(beta) == 0 || theta <= 0 || math.IsInf(theta, 1) {
		return out, nil
	}
	order := make([]int, len(beta))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch {
		case beta[i] < beta[j]:
			return -1
		case beta[i] > beta[j]:
			return 1
		}
		return 0
	})
	first := slices.IndexFunc(order, func(i int) bool { return beta[i] >= theta })
	if first < 0 {
		first = len(order)
	}
	var near []float64
	for _, i := range order[max(0, first-boundaryWindow/2):min(len(order), first+boundaryWindow/2)] {
		near = append(near, delta[i])
	}
	rng := seed.Stream(b.in.Study.Seed, "boundary", b.Dataset.Name, class)
	rs, err := infer.NewResamples(rng, make([]string, len(near)), infer.Options{Count: b.in.Study.Report.Bootstrap, Level: b.in.Study.Report.Level})
	if err != nil {
		return out, err
	}
	iv, err := rs.Mean(near)
	return estimate(iv), err
}

// classOutcome fills in what both kinds of threshold do to a class's test
// records.
func (b *Bench) classOutcome(c *result.Boundary, k int, g gains, multi, single float64) {
	for n, i := range b.Test {
		if b.Student().Readings[i].Class != k {
			continue
		}
		c.Test++
		beta := b.Student().Beta[i]
		c.Error += g.student[n]
		c.SingleError += g.student[n]
		if !(beta >= multi) {
			c.Deferred++
			c.Error -= g.saved[n]
		}
		if !(beta >= single) {
			c.SingleDeferred++
			c.SingleError -= g.saved[n]
		}
	}
	if n := float64(c.Test); n > 0 {
		c.Deferred, c.SingleDeferred = c.Deferred/n, c.SingleDeferred/n
		c.Error, c.SingleError = c.Error/n, c.SingleError/n
	}
}

// nan is a number that is not there.
var nan = result.Float(math.NaN())

// estimate is an interval as results write one that may be unbounded.
func estimate(iv infer.Interval) result.Estimate {
	return result.Estimate{Value: result.Float(iv.Value), Low: result.Float(iv.Low), High: result.Float(iv.High), Level: iv.Level, N: iv.N, Method: iv.Method}
}
