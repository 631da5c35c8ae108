package analyze

import (
	"math"

	"infnet/harness/cost"
	"infnet/harness/policy"
	"infnet/harness/records"
	"infnet/harness/result"
)

const (
	curveLength = 200 // points of a written curve, next to the last
	bandSteps   = 24  // between the points of a band
)

type contest struct {
	s        *measurer
	families []contestant
	reach    float64 // the most that every family can save, in percent; > 0
}

type contestant struct {
	family
	onFit, onTest *sweep
	own           operation
	top, slope    float64 // saved, in percent, where nothing is deferred, and how much deferring everything takes off; > 0
}

func (f *contestant) savedAt(share float64) float64 { return f.top - float64(f.slope*share) }

func (f *contestant) shareAt(saved float64) float64 { return (f.top - saved) / f.slope }

// newContest prepares the comparison of families. It is nil where deferring
// saves nothing to compare: the student costs as much as the master. without are
// the titles of the families that have no curve.
func newContest(s *measurer, families []family) (c *contest, without []string) {
	c = &contest{s: s, reach: math.Inf(1)}
	r, cm := s.r, s.r.Master().Cost.Summary
	between := map[[2]int][2]gains{} // families of the same models share them
	for _, f := range families {
		models := f.asks(r)
		ends := [2]int{models[0], models[len(models)-1]}
		x := contestant{family: f, top: 100 * (1 - (r.Models[ends[0]].Cost.Summary+f.overhead)/cm),
			slope: 100 * (r.Models[ends[1]].Cost.Summary / cm)}
		if f.kind == byChain {
			x.slope = 100 // of what its policies defer, which is a cost already
		}
		if f.charge == cost.Router {
			x.slope = 100 * (1 - r.Student().Cost.Summary/cm)
		}
		if x.top <= 0 || x.slope <= 0 {
			without = append(without, f.title)
			continue
		}
		c.reach = min(c.reach, x.top)
		same, ok := between[ends]
		if !ok {
			same = [2]gains{gainsBetween(r, r.Fit, ends[0], ends[1]), gainsBetween(r, r.Test, ends[0], ends[1])}
			between[ends] = same
		}
		x.onFit, x.onTest = sweepOf(r, &f, r.Fit, f.fit, same[0]), sweepOf(r, &f, r.Test, f.test, same[1])
		if f.chosen != nil {
			x.own = operationOf(r, &f)
		}
		c.families = append(c.families, x)
	}
	if len(c.families) == 0 {
		return nil, without
	}
	return c, without
}

// gainsBetween are the errors of the first of two models, and those that deferring to the last saves.
func gainsBetween(r *records.Records, examples []int, first, last int) gains {
	g := gains{student: r.Models[first].Errors(examples), saved: make([]float64, len(examples))}
	for k, i := range examples {
		g.saved[k] = g.student[k] - r.Models[last].Errs[i]
	}
	return g
}

// operation is what the chosen policy of a family does: on each test record what it defers and its error, the sums of
// both on the fit part, and its plan.
type operation struct {
	deferred, errs         []float64
	fitDeferred, fitErrors float64
	plan                   plan
}

func operationOf(r *records.Records, f *family) (o operation) {
	models, steps := f.asks(r), f.steps(r)
	first := &r.Models[models[0]]
	saved := func(i, place int) float64 { return first.Errs[i] - r.Models[models[place]].Errs[i] }
	for k, place := range f.chosen.fit {
		i := r.Fit[k]
		o.fitDeferred, o.fitErrors = o.fitDeferred+steps[place], o.fitErrors+first.Errs[i]-saved(i, place)
	}
	for k, place := range f.chosen.test {
		i := r.Test[k]
		o.deferred, o.errs = append(o.deferred, steps[place]), append(o.errs, first.Errs[i]-saved(i, place))
	}
	o.plan = plan{models: models, final: certainly(len(models), f.chosen.test), charge: cost.Cascade}
	return o
}

// curve writes a family's curve on the test part, without its band.
func (c *contest) curve(f *contestant) result.Curve {
	s, r, t := f.onTest, c.s.r, f.onTest.plain()
	n, models := float64(s.records), f.asks(r)
	out := result.Curve{
		Policy: f.name, Title: f.title, Family: string(f.kind), Charge: string(f.charge), Baseline: f.baseline,
		Overhead: 100 * f.overhead / r.Master().Cost.Summary, Length: len(t.deferred), Metrics: map[string][]float64{},
	}
	last := models[len(models)-1]
	var tally *tallied
	done := 0 // positions of the sweep that the tally has made
	for _, j := range thin(len(t.deferred), curveLength) {
		at := t.position(j)
		if tally == nil || at+1 < done { // a path that stepped back
			tally, done = c.s.tally(models[0]), 0
		}
		for ; done <= at; done++ {
			for k := s.start[done]; k < s.start[done+1]; k++ {
				to := last
				if s.places != nil {
					to = models[s.places[k]]
				}
				tally.move(int(s.changes[k]), to)
			}
		}
		if f.kind == byThreshold {
			out.Theta = append(out.Theta, result.Float(s.theta[at]))
		}
		share := t.deferred[j] / n
		out.Saved, out.Error = append(out.Saved, f.savedAt(share)), append(out.Error, t.errors[j]/n)
		if f.kind == byChain {
			n := 0
			for _, m := range tally.final {
				n += int(indicator(m == last))
			}
			share = float64(n) / float64(len(tally.final))
		}
		out.Deferred = append(out.Deferred, share)
		for _, m := range c.s.metrics {
			out.Metrics[string(m.Name)] = append(out.Metrics[string(m.Name)], tally.value(m))
		}
	}
	if f.chosen != nil { // the point of the family's own row
		own, p := f.own, &result.Place{Deferred: average(f.own.deferred), Error: average(f.own.errs)}
		p.Saved = f.savedAt(p.Deferred)
		if f.kind == byChain {
			p.Deferred = average(own.plan.final[len(models)-1])
		}
		if f.chosen.theta != nil {
			p.Theta = new(result.Float(*f.chosen.theta))
		}
		out.Chosen = p
	}
	return out
}

func describeSweep(r *records.Records, single policy.Policy) *result.Sweep {
	s := byScore(records.Pick(r.Student().Beta, r.Fit), gainsBetween(r, r.Fit, student, r.Last()))
	t := s.plain()
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
	share := float64(single.FitDeferred) / n
	out.Chosen = result.Place{Deferred: share, Saved: saved(share), Error: single.FitError.Rate(s.records),
		Theta: new(result.Float(single.Thresholds[0]))}
	return out
}
