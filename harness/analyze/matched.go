package analyze

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
)

// compareFamilies draws the curves of all families, and compares ours with each
// baseline at equal cost and at equal error.
func compareFamilies(s *measurer,
	families []family) (curves []result.Curve, matched []result.Matched, notes []result.Note,
	err error) {
	c, without := newContest(s, families)
	if len(without) > 0 {
		notes = append(notes, note.NoCurve(without))
	}
	if c == nil {
		return nil, nil, notes, nil
	}
	pairs := c.pairs()
	values := c.resample(pairs)
	for i := range c.families {
		curve := c.curve(i)
		if curve.Band, err = c.band(func(g int) (float64, []float64) {
			return values.point[c.atBand(i, g)],
				values.each[c.atBand(i, g)]
		}); err != nil {
			return nil, nil, nil, fmt.Errorf("curve of %s: %w", c.families[i].name, err)
		}
		curves = append(curves, curve)
	}
	for k, p := range pairs {
		m, err := c.match(k, p, values)
		if err != nil {
			return nil, nil, nil, fmt.Errorf("%s and %s: %w", c.families[p.ours].name, c.families[p.baseline].name, err)
		}
		matched = append(matched, m)
	}
	return curves, matched, notes, nil
}

// familyPair is two families by their positions in a contest.
type familyPair struct{ ours, baseline int }

// pairs compares each row of ours with every baseline, thresholds per class with
// the single one, and a chain with the pairs it contains.
func (c *contest) pairs() []familyPair {
	var out []familyPair
	for i := range c.families {
		ours := &c.families[i]
		if ours.baseline || ours.chosen == nil {
			continue
		}
		for j := range c.families {
			if c.families[j].baseline || (ours.kind == byPath || ours.kind == byChain) && c.families[j].kind == byThreshold {
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

// atBand returns the index of a family's error at step g of the band.
func (c *contest) atBand(family, g int) int { return family*(bandSteps+2) + g }

// atArea returns the index of a family's mean error from saving nothing to reach.
func (c *contest) atArea(family int) int { return family*(bandSteps+2) + bandSteps + 1 }

// atPair returns the index of the first statistic of a pair.
func (c *contest) atPair(k int) int { return len(c.families)*(bandSteps+2) + k*perPair }

// bandAt returns the savings at step g.
func (c *contest) bandAt(g int) float64 { return c.reach * float64(g) / bandSteps }

// resample computes all statistics on the records, and on the resamples that
// all rows share.
func (c *contest) resample(pairs []familyPair) resampled {
	width := c.atPair(len(pairs))
	out := resampled{point: make([]float64, width)}
	prepare := func() func(counts []uint8, into []float64) {
		var t track
		own := make([]ownSums, len(c.families))
		return func(counts []uint8, into []float64) { c.statistics(&t, own, pairs, counts, into) }
	}
	prepare()(once(len(c.s.truth)), out.point)
	out.each = c.s.resamples.Several(width, prepare)
	return out
}

// ownSums is what the chosen policy of a family does: how many records it
// defers, and its errors.
type ownSums struct{ deferred, errors float64 }

// operate sums the decisions of a chosen policy, with each record counted so many times.
func operate(p *operation, counts []uint8) (o ownSums) {
	for i := range p.errs {
		n := float64(counts[i])
		o.deferred += float64(n * p.deferred[i])
		o.errors += float64(n * p.errs[i])
	}
	return o
}

// statistics computes them with each record counted so many times. t and own are
// working memory.
func (c *contest) statistics(t *track, own []ownSums, pairs []familyPair, counts []uint8, into []float64) {
	for i := range c.families {
		own[i] = operate(&c.own[i], counts)
	}
	total, errors := 0.0, 0.0
	for i := range c.families {
		if i == 0 || &c.gains[i].student[0] != &c.gains[i-1].student[0] {
			total, errors = c.gains[i].sums(counts)
		}
		c.tests[i].walkFrom(t, counts, total, errors)
		for g := range bandSteps + 1 {
			e, _ := t.errorAt(c.shareAt(i, c.bandAt(g)) * t.total)
			into[c.atBand(i, g)] = e / t.total
		}
		lo, hi := c.shareAt(i, c.reach)*t.total, c.shareAt(i, 0)*t.total
		into[c.atArea(i)] = c.slope[i] * t.area(lo, hi) / (t.total * t.total * c.reach)
		for k, p := range pairs {
			if p.baseline == i {
				c.versus(t, p, own[p.ours], into[c.atPair(k):])
			}
		}
	}
}

// versus compares what our policy does with a baseline's track.
func (c *contest) versus(t *track, p familyPair, ours ownSums, at []float64) {
	saved, own := c.savedAt(p.ours, ours.deferred/t.total), ours.errors/t.total
	e, ok := t.errorAt(c.shareAt(p.baseline, saved) * t.total)
	at[errorAtCost], at[savedAtCost], at[errorDiffers], at[costReached] = e/t.total, saved, own-e/t.total, indicator(ok)
	j, f, ok := t.within(ours.errors)
	theirs := c.savedAt(p.baseline, t.deferredAt(j, f)/t.total)
	if !ok {
		theirs = math.Inf(-1)
	}
	at[savedAtError], at[errorAtError], at[savedDiffers], at[errorReached] = theirs, own, saved-theirs, indicator(ok)
}

// indicator converts a boolean to 1 or 0.
func indicator(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

// indicators converts booleans to 1 and 0.
func indicators(list []bool) []float64 {
	out := make([]float64, len(list))
	for i, is := range list {
		out[i] = indicator(is)
	}
	return out
}

// band writes a quantity along the savings; at gives it at a step, on the
// records and on the resamples.
func (c *contest) band(at func(g int) (float64, []float64)) (result.Band, error) {
	var out result.Band
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

// estimate is a statistic of a contest with its interval.
func (c *contest) estimate(point float64, each []float64) (result.Estimate, error) {
	rs := c.s.resamples
	low, high, err := rs.Range(each)
	method := infer.MethodBootstrap
	if c.s.clustered() {
		method = infer.MethodClusterBootstrap
	}
	return result.Estimate{
		Value: result.Float(point), Low: result.Float(min(low, point)), High: result.Float(max(high, point)),
		Level: rs.Level(), N: rs.Records(), Method: method,
	}, err
}

// match compares one pair of families.
func (c *contest) match(k int, p familyPair, v resampled) (result.Matched, error) {
	out := result.Matched{Ours: c.families[p.ours].name, Baseline: c.families[p.baseline].name}
	at := c.atPair(k)
	var err error
	of := kept[result.Estimate](&err)
	for _, m := range []struct {
		into                           *result.Match
		saved, error, differs, reached int
		byError                        bool
	}{
		{&out.Cost, savedAtCost, errorAtCost, errorDiffers, costReached, false},
		{&out.Error, savedAtError, errorAtError, savedDiffers, errorReached, true},
	} {
		m.into.Curve.Saved = of(c.estimate(v.point[at+m.saved], v.each[at+m.saved]))
		m.into.Curve.Error = of(c.estimate(v.point[at+m.error], v.each[at+m.error]))
		m.into.Curve.Differs = of(c.estimate(v.point[at+m.differs], v.each[at+m.differs]))
		m.into.Curve.Reached = average(v.each[at+m.reached])
		m.into.Curve.Clipped = v.point[at+m.reached] == 0
		m.into.Fitted = kept[result.Fitted](&err)(c.fitted(p, m.byError))
	}
	out.Area = kept[result.Area](&err)(c.area(p, v))
	return out, err
}

// area is the area between two curves.
func (c *contest) area(p familyPair, v resampled) (result.Area, error) {
	out := result.Area{To: c.reach}
	minus := func(x, y []float64) []float64 {
		d := slices.Clone(x)
		for r := range d {
			d[r] -= y[r]
		}
		return d
	}
	x, y := c.atArea(p.ours), c.atArea(p.baseline)
	var err error
	out.Mean = kept[infer.Interval](&err)(c.s.resamples.Interval(v.point[x]-v.point[y], minus(v.each[x], v.each[y])))
	out.Difference = kept[result.Band](&err)(c.band(func(g int) (float64, []float64) {
		x, y := c.atBand(p.ours, g), c.atBand(p.baseline, g)
		return v.point[x] - v.point[y], minus(v.each[x], v.each[y])
	}))
	return out, err
}

// fitted finds a baseline's operation point on the fit part, at our cost or our
// error there, and measures it on the test part.
func (c *contest) fitted(p familyPair, byError bool) (result.Fitted, error) {
	s := c.fits[p.baseline]
	var t track
	s.walk(&t, once(s.records))
	deferred, errors := c.own[p.ours].fitDeferred, c.own[p.ours].fitErrors
	var j int
	var second float64
	var ok bool
	if byError {
		j, second, ok = t.within(errors)
	} else {
		saved := c.savedAt(p.ours, deferred/t.total)
		j, second, ok = t.where(c.shareAt(p.baseline, saved) * t.total)
	}
	first := t.position(j)
	next := first
	if second > 0 {
		next = t.position(j + 1)
	}
	out := result.Fitted{Second: second, Clipped: !ok, Metrics: map[string]infer.Interval{}}
	if s.path == nil {
		out.Thetas = append(out.Thetas, result.Float(s.theta[first]))
		if second > 0 {
			out.Thetas = append(out.Thetas, result.Float(s.theta[next]))
		}
	}
	weight := c.defers(p.baseline, s, first)
	for i, w := range c.defers(p.baseline, s, next) {
		weight[i] = float64((1-second)*weight[i]) + float64(second*w)
	}
	return out, c.measure(&out, p, weight)
}

// defers returns 1 for each test record that is deferred by the thresholds at a
// position of a family's sweep of the fit part, and 0 for the others.
func (c *contest) defers(i int, s *sweep, position int) []float64 {
	f, r := &c.families[i], c.s.r
	thresholds := s.thetas(position)
	out := make([]float64, len(r.Test))
	if f.path == nil {
		for k, score := range f.test {
			out[k] = 1 - indicator(thresholds.Accept(0, score))
		}
		return out
	}
	columns := r.Pair(r.Test)
	for k, beta := range columns.Beta {
		out[k] = 1 - indicator(thresholds.Accept(classOf(columns, k), beta))
	}
	return out
}

// measure fills in the test results of given probabilities of deferral, next to
// ours.
func (c *contest) measure(out *result.Fitted, p familyPair, weight []float64) error {
	f, s := &c.families[p.baseline], c.s
	first, last := f.ends(s.r)
	theirs, ours := plan{models: []int{first, last}, final: deferring(weight), charge: f.charge}, c.own[p.ours].plan
	var err error
	iv := kept[infer.Interval](&err)
	for _, m := range s.metrics {
		out.Metrics[string(m.Name)] = iv(s.metric(m, theirs))
	}
	out.Error, out.Deferred = iv(s.resamples.RateOf(theirs.mix(s.errors))), iv(s.resamples.RateOf(weight))
	out.Saved, out.Saved.Value = out.Deferred, c.savedAt(p.baseline, out.Deferred.Value)
	out.Saved.Low, out.Saved.High = c.savedAt(p.baseline, out.Deferred.High), c.savedAt(p.baseline, out.Deferred.Low)
	out.DiffError = iv(s.resamples.Difference(ours.mix(s.errors), theirs.mix(s.errors)))
	own := make([]float64, len(weight)) // what deferring takes off the savings
	for i, w := range c.own[p.ours].deferred {
		own[i], weight[i] = float64(c.slope[p.ours]*w), float64(c.slope[p.baseline]*weight[i])
	}
	top := c.top[p.ours] - c.top[p.baseline]
	d := iv(s.resamples.Difference(weight, own))
	d.Value, d.Low, d.High = d.Value+top, d.Low+top, d.High+top
	out.DiffSaved = d
	return err
}
