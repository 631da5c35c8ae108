package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// compareFamilies draws the curves of all families, and compares ours with each
// baseline at equal cost and at equal error.
func compareFamilies(s *measurer, families []family, out *result.Dataset) (err error) {
	c, without := newContest(s, families)
	if len(without) > 0 {
		out.Notes = append(out.Notes, note.Say("no-curve", "No cost–error curve and no matched comparison of %s: not asking "+
			"the master saves nothing.", strings.Join(without, ", ")))
	}
	if c == nil {
		return nil
	}
	pairs := c.pairs()
	values := resampled{point: make([]float64, c.atPair(len(pairs)))}
	prepare := func() func(counts []uint8, into []float64) {
		var t track
		own := make([]ownSums, len(c.families))
		return func(counts []uint8, into []float64) { c.statistics(&t, own, pairs, counts, into) }
	}
	prepare()(slices.Repeat([]uint8{1}, len(s.truth)), values.point)
	values.each = s.resamples.Several(len(values.point), prepare)
	for i := range c.families {
		curve := c.curve(&c.families[i])
		if curve.Band, err = c.band(func(g int) (float64, []float64) {
			return values.point[c.atBand(i, g)], values.each[c.atBand(i, g)]
		}); err != nil {
			return fmt.Errorf("curve of %s: %w", curve.Policy, err)
		}
		out.Curves = append(out.Curves, curve)
	}
	for k, p := range pairs {
		m, err := c.match(k, p, values)
		if err != nil {
			return fmt.Errorf("%s and %s: %w", m.Ours, m.Baseline, err)
		}
		out.Matched = append(out.Matched, m)
	}
	return nil
}

type familyPair struct{ ours, baseline int }

// pairs compares each row of ours with every baseline, thresholds per class with
// the single one, and a chain with the pairs it contains.
func (c *contest) pairs() (out []familyPair) {
	for i, ours := range c.families {
		if ours.baseline || ours.chosen == nil {
			continue
		}
		for j, f := range c.families {
			if f.baseline || (ours.kind == byPath || ours.kind == byChain) && f.kind == byThreshold {
				out = append(out, familyPair{i, j})
			}
		}
	}
	return out
}

// The statistics of every pair on every resample, in this order.
const (
	errorAtCost  = iota // the baseline's error at our cost
	savedAtCost         // our savings
	errorDiffers        // ours − the baseline's, at our cost
	costReached         // 1 where the baseline can reach our cost
	savedAtError        // the baseline's savings at our error; −Inf where it never errs so rarely
	errorAtError        // our error
	savedDiffers        // ours − the baseline's, at our error
	errorReached        // 1 where the baseline can reach our error
	perPair
)

// resampled are the statistics of a contest on the records and on every
// resample: for each family its band and the area under its curve, then those
// of the pairs.
type resampled struct {
	point []float64
	each  [][]float64
}

// atBand returns the index of a family's error at step g of the band; after the last step, of its mean error from
// saving nothing to reach.
func (c *contest) atBand(family, g int) int { return family*(bandSteps+2) + g }

// atArea is the step of the band after its last.
const atArea = bandSteps + 1

func (c *contest) atPair(k int) int { return c.atBand(len(c.families), 0) + k*perPair }

func (c *contest) bandAt(g int) float64 { return c.reach * float64(g) / bandSteps }

// ownSums is what the chosen policy of a family does: how much it defers, and its errors.
type ownSums struct{ deferred, errors float64 }

// statistics computes them with each record counted so many times. t and own are
// working memory.
func (c *contest) statistics(t *track, own []ownSums, pairs []familyPair, counts []uint8, into []float64) {
	for i := range c.families {
		p, o := &c.families[i].own, ownSums{}
		for k, e := range p.errs {
			n := float64(counts[k])
			o.deferred += float64(n * p.deferred[k])
			o.errors += float64(n * e)
		}
		own[i] = o
	}
	total, errors := 0.0, 0.0
	for i := range c.families {
		f := &c.families[i]
		if i == 0 || &f.onTest.gains.student[0] != &c.families[i-1].onTest.gains.student[0] {
			total, errors = f.onTest.gains.sums(counts)
		}
		f.onTest.walk(t, counts, total, errors)
		for g := range bandSteps + 1 {
			e, _ := t.errorAt(f.shareAt(c.bandAt(g)) * t.total)
			into[c.atBand(i, g)] = e / t.total
		}
		lo, hi := f.shareAt(c.reach)*t.total, f.shareAt(0)*t.total
		into[c.atBand(i, atArea)] = f.slope * t.area(lo, hi) / (t.total * t.total * c.reach)
		for k, p := range pairs {
			if p.baseline == i {
				versus(t, &c.families[p.ours], f, own[p.ours], into[c.atPair(k):])
			}
		}
	}
}

func versus(t *track, ours, theirs *contestant, does ownSums, at []float64) {
	saved, own := ours.savedAt(does.deferred/t.total), does.errors/t.total
	e, ok := t.errorAt(theirs.shareAt(saved) * t.total)
	at[errorAtCost], at[savedAtCost], at[errorDiffers], at[costReached] = e/t.total, saved, own-e/t.total, indicator(ok)
	j, f, ok := t.within(does.errors)
	reached := math.Inf(-1)
	if ok {
		reached = theirs.savedAt(t.deferredAt(j, f) / t.total)
	}
	at[savedAtError], at[errorAtError], at[savedDiffers], at[errorReached] = reached, own, saved-reached, indicator(ok)
}

// band writes a quantity along the savings; at gives it at a step, on the
// records and on the resamples.
func (c *contest) band(at func(g int) (float64, []float64)) (out result.Band, err error) {
	for g := range bandSteps + 1 {
		v, each := at(g)
		low, high, err := c.s.resamples.Range(each)
		if err != nil {
			return out, err
		}
		out.Saved, out.Value = append(out.Saved, c.bandAt(g)), append(out.Value, v)
		out.Low, out.High = append(out.Low, min(low, v)), append(out.High, max(high, v))
	}
	return out, nil
}

func (c *contest) match(k int, p familyPair, v resampled) (out result.Matched, err error) {
	rs, at := c.s.resamples, c.atPair(k)
	out.Ours, out.Baseline = c.families[p.ours].name, c.families[p.baseline].name
	of := func(statistic int) result.Estimate {
		point, each := v.point[at+statistic], v.each[at+statistic]
		low, high, e := rs.Range(each)
		if err == nil {
			err = e
		}
		return result.Estimate{Value: result.Float(point), Low: result.Float(min(low, point)),
			High: result.Float(max(high, point)), Level: rs.Level(), N: rs.Records(), Method: rs.Method()}
	}
	for _, m := range []struct {
		into                           *result.Match
		saved, error, differs, reached int
		byError                        bool
	}{
		{&out.Cost, savedAtCost, errorAtCost, errorDiffers, costReached, false},
		{&out.Error, savedAtError, errorAtError, savedDiffers, errorReached, true},
	} {
		x := &m.into.Curve
		x.Saved, x.Error, x.Differs = of(m.saved), of(m.error), of(m.differs)
		x.Reached, x.Clipped = average(v.each[at+m.reached]), v.point[at+m.reached] == 0
		m.into.Fitted = kept[result.Fitted](&err)(c.fitted(p, m.byError))
	}
	differ := func(g int) (float64, []float64) {
		x, y := c.atBand(p.ours, g), c.atBand(p.baseline, g)
		each := slices.Clone(v.each[x])
		for r := range each {
			each[r] -= v.each[y][r]
		}
		return v.point[x] - v.point[y], each
	}
	out.Area = result.Area{To: c.reach, Mean: kept[infer.Interval](&err)(rs.Interval(differ(atArea))),
		Difference: kept[result.Band](&err)(c.band(differ))}
	return out, err
}

// fitted finds a baseline's operation point on the fit part, at our cost or our
// error there, and measures it on the test part.
func (c *contest) fitted(p familyPair, byError bool) (result.Fitted, error) {
	ours, theirs := &c.families[p.ours], &c.families[p.baseline]
	s, t := theirs.onFit, theirs.onFit.plain()
	j, second, ok := t.within(ours.own.fitErrors)
	if !byError {
		saved := ours.savedAt(ours.own.fitDeferred / t.total)
		j, second, ok = t.where(theirs.shareAt(saved) * t.total)
	}
	positions := []int{t.position(j)}
	if second > 0 {
		positions = append(positions, t.position(j+1))
	}
	out := result.Fitted{Second: second, Clipped: !ok, Metrics: map[string]infer.Interval{}}
	columns := c.s.r.Pair(c.s.r.Test)
	if theirs.path == nil {
		columns.Beta = theirs.test
	}
	var defers [2][]float64
	for k, at := range positions {
		thresholds := policy.Thresholds{}
		if s.path != nil {
			thresholds = s.path[at]
		} else {
			thresholds = append(thresholds, s.theta[at])
			out.Thetas = append(out.Thetas, result.Float(s.theta[at]))
		}
		defers[k] = indicators(policy.Policy{Thresholds: thresholds}.Decide(columns))
	}
	weight := defers[0]
	for i, w := range defers[1] {
		weight[i] = float64((1-second)*weight[i]) + float64(second*w)
	}
	return out, c.measure(&out, ours, theirs, weight)
}

// measure fills in the test results of given probabilities of deferral, next to
// ours.
func (c *contest) measure(out *result.Fitted, own, f *contestant, weight []float64) (err error) {
	s, models := c.s, f.asks(c.s.r)
	theirs := plan{models: []int{models[0], models[len(models)-1]}, final: deferring(weight), charge: f.charge}
	iv := kept[infer.Interval](&err)
	for _, m := range s.metrics {
		out.Metrics[string(m.Name)] = iv(s.metric(m, theirs))
	}
	out.Error, out.Deferred = iv(s.resamples.RateOf(theirs.mix(s.errors))), iv(s.resamples.RateOf(weight))
	out.Saved = out.Deferred
	out.Saved.Value = f.savedAt(out.Deferred.Value)
	out.Saved.Low, out.Saved.High = f.savedAt(out.Deferred.High), f.savedAt(out.Deferred.Low)
	out.DiffError = iv(s.resamples.Difference(own.own.plan.mix(s.errors), theirs.mix(s.errors)))
	ours, other := make([]float64, len(weight)), make([]float64, len(weight)) // what deferring takes off the savings
	for i, w := range own.own.deferred {
		ours[i], other[i] = float64(own.slope*w), float64(f.slope*weight[i])
	}
	out.DiffSaved = shifted(iv(s.resamples.Difference(other, ours)), f.top-own.top)
	return err
}
