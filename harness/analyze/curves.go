package analyze

import (
	"math"
	"slices"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
)

const (
	curveLength = 200 // points of a written curve, next to the last
	bandSteps   = 24  // between the points of a band
)

// contest compares all families of a table on the test part.
type contest struct {
	s        *measurer
	families []family
	tests    []*sweep // of the test part, by family
	fits     []*sweep // of the fit part
	gains    []gains  // of the test records, by family
	fitGains []gains
	own      []operation // by family: what its chosen policy does
	top      []float64   // by family: saved, in percent, where nothing is deferred,
	slope    []float64   // and how much deferring everything takes off; > 0
	reach    float64     // the most that every family can save, in percent; > 0
}

// newContest prepares the comparison of families. It is nil where deferring
// saves nothing to compare: the student costs as much as the master. without are
// the titles of the families that have no curve.
func newContest(s *measurer, families []family) (c *contest, without []string) {
	c = &contest{s: s, reach: math.Inf(1)}
	r, cm := s.r, s.r.Master().Cost.Summary
	between := map[[2]int][2]gains{} // families of the same models share them
	for _, f := range families {
		first, last := f.ends(r)
		kept := 100 * (1 - (r.Models[first].Cost.Summary+f.overhead)/cm)
		slope := 100 * (r.Models[last].Cost.Summary / cm)
		if f.kind == byChain {
			slope = 100 // of what its policies defer, which is a cost already
		}
		if f.charge == cost.Router {
			slope = 100 * (1 - r.Student().Cost.Summary/cm)
		}
		if kept <= 0 || slope <= 0 {
			without = append(without, f.title)
			continue
		}
		c.families = append(c.families, f)
		c.top, c.slope = append(c.top, kept), append(c.slope, slope)
		c.reach = min(c.reach, kept)
		same, ok := between[[2]int{first, last}]
		if !ok {
			same = [2]gains{gainsBetween(r, r.Test, first, last), gainsBetween(r, r.Fit, first, last)}
			between[[2]int{first, last}] = same
		}
		test, fit := same[0], same[1]
		c.gains, c.fitGains = append(c.gains, test), append(c.fitGains, fit)
		c.tests = append(c.tests, sweepOf(r, &f, r.Test, f.test, test))
		c.fits = append(c.fits, sweepOf(r, &f, r.Fit, f.fit, fit))
		c.own = append(c.own, c.operationOf(len(c.families)-1))
	}
	if len(c.families) == 0 {
		return nil, without
	}
	return c, without
}

// gainsOf returns the student's errors, and the errors that deferring saves.
func gainsOf(r *records.Records, examples []int) gains {
	return gainsBetween(r, examples, student, r.Last())
}

// gainsBetween is gainsOf for any two models.
func gainsBetween(r *records.Records, examples []int, first, last int) gains {
	g := gains{student: r.Models[first].Errors(examples), saved: make([]float64, len(examples))}
	for k, i := range examples {
		g.saved[k] = g.student[k] - r.Models[last].Errs[i]
	}
	return g
}

// savedAt returns the savings of family i at a share deferred, in percent.
func (c *contest) savedAt(i int, share float64) float64 {
	return c.top[i] - float64(c.slope[i]*share)
}

// shareAt returns the share that family i defers at given savings.
func (c *contest) shareAt(i int, saved float64) float64 { return (c.top[i] - saved) / c.slope[i] }

// once counts each of n records once.
func once(n int) []uint8 { return slices.Repeat([]uint8{1}, n) }

// curve writes a family's curve on the test part, without its band.
func (c *contest) curve(i int) result.Curve {
	f, s := &c.families[i], c.tests[i]
	var t track
	s.walk(&t, once(s.records))
	n := float64(s.records)
	out := result.Curve{
		Policy: f.name, Title: f.title, Family: string(f.kind), Charge: string(f.charge), Baseline: f.baseline,
		Overhead: 100 * f.overhead / c.s.r.Master().Cost.Summary, Length: len(t.deferred), Metrics: map[string][]float64{},
	}
	first, last := f.ends(c.s.r)
	tally, done := c.s.tally(), -2
	for _, j := range thin(len(t.deferred), curveLength) {
		at := t.position(j)
		if at < done { // a path that stepped back
			done = -2
		}
		if done == -2 {
			for i := range tally.final {
				tally.final[i] = first
			}
			tally.recount()
			done = -1
		}
		for ; done < at; done++ {
			for k := s.start[done+1]; k < s.start[done+2]; k++ {
				to := last
				if s.stages != nil {
					to = s.stages[k]
				} else if s.costs != nil && s.costs[k] < 0 {
					to = first
				}
				tally.move(int(s.changes[k]), to)
			}
		}
		share, asked := t.deferred[j]/n, t.deferred[j]/n
		if s.stages != nil {
			asked = tally.share(last)
		}
		if f.kind == byThreshold {
			out.Theta = append(out.Theta, result.Float(s.theta[at]))
		}
		out.Deferred = append(out.Deferred, asked)
		out.Saved = append(out.Saved, c.savedAt(i, share))
		out.Error = append(out.Error, t.errors[j]/n)
		for _, m := range c.s.metrics {
			out.Metrics[string(m.Name)] = append(out.Metrics[string(m.Name)], tally.value(m))
		}
	}
	if f.chosen != nil {
		at := c.place(i)
		out.Chosen = &at
	}
	return out
}

// place returns the point of a family's own row on the test part.
func (c *contest) place(i int) result.Place {
	f, own := &c.families[i], &c.own[i]
	n := float64(len(own.deferred))
	var p result.Place
	for k, w := range own.deferred {
		p.Deferred += w
		p.Error += own.errs[k]
	}
	p.Deferred, p.Error = p.Deferred/n, p.Error/n
	p.Saved = c.savedAt(i, p.Deferred)
	if f.kind == byChain {
		p.Deferred = average(own.plan.final[len(own.plan.final)-1])
	}
	if f.chosen.theta != nil {
		theta := result.Float(*f.chosen.theta)
		p.Theta = &theta
	}
	return p
}

// describeSweep writes the single threshold's sweep of the fit part.
func describeSweep(r *records.Records, single policy.Policy) *result.Sweep {
	s := byScore(records.Pick(r.Student().Beta, r.Fit), gainsOf(r, r.Fit))
	var t track
	s.walk(&t, once(s.records))
	n, cm := float64(s.records), r.Master().Cost.Summary
	saved := func(share float64) float64 { return 100 * (1 - (r.Student().Cost.Summary+float64(cm*share))/cm) }
	out := &result.Sweep{
		Records: s.records, Budget: single.Budget.Errors.Rate(single.Budget.N), Feasible: single.Feasible, Unit: cm,
		Length: len(s.theta), Student: single.StudentError.Rate(s.records), Master: single.MasterError.Rate(s.records),
		None: saved(0), All: saved(1),
	}
	star := 0 // the sweep's position of θ*, which need not be a confidence of the fit part
	for j, theta := range s.theta {
		if theta <= single.Thresholds[0] {
			star = j
		}
	}
	for _, j := range thin(len(s.theta), curveLength, star) {
		share := t.deferred[j] / n
		out.Theta, out.Deferred = append(out.Theta, result.Float(s.theta[j])), append(out.Deferred, share)
		out.Saved, out.Error = append(out.Saved, saved(share)), append(out.Error, t.errors[j]/n)
	}
	theta := result.Float(single.Thresholds[0])
	share := float64(single.FitDeferred) / n
	out.Chosen = result.Place{Deferred: share, Saved: saved(share), Error: single.FitError.Rate(s.records), Theta: &theta}
	return out
}
