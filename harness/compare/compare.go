package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/metrics/infer"
)

// Options of a comparison.
type Options struct {
	Alpha float64 // of the tests, in (0,1)
	Most  Level   // the level at which to stop; "" = Statistics
}

// comparing is a comparison in the making.
type comparing struct {
	out      *Comparison
	o        Options
	old, now *accept.Run
	matches  map[string]*match // by dataset
	subjects []*subject
	tests    []*hypothesis
	of       []*subject // by test
}

// Runs compares two runs. It fails with fault.Unrelated where they have nothing in common.
func Runs(old, now *accept.Run, o Options) (*Comparison, error) {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return nil, fmt.Errorf("tests at level %v: want a number between 0 and 1, such as 0.05", o.Alpha)
	}
	c := &comparing{o: o, old: old, now: now, matches: map[string]*match{}, out: &Comparison{
		Version: Version, Study: now.Study, Old: SideOf(old), New: SideOf(now), Alpha: o.Alpha}}
	if err := c.relate(); err != nil {
		return nil, err
	}
	(*causes)(c).list()
	for _, s := range c.subjects {
		for _, h := range s.quantities(c.sameInputs(s)) {
			c.tests, c.of = append(c.tests, h), append(c.of, s)
		}
	}
	c.decisions()
	c.out.Level = c.level()
	if o.Most != "" && slices.Index(levels, c.out.Level) > slices.Index(levels, o.Most) {
		c.out.Level = o.Most
		c.out.Remarks = append(c.out.Remarks, fmt.Sprintf("stopped at the level of %s, as asked: nothing was tested", o.Most))
	} else if c.out.Level == Statistics {
		c.test()
	}
	for i, h := range c.tests {
		h.q.Verdict = c.verdict(h, c.of[i])
		if h.q.Verdict != Same {
			h.q.Causes = (*causes)(c).touching(h.q, c.of[i])
		}
		c.out.Quantities = append(c.out.Quantities, *h.q)
	}
	c.out.conclude()
	c.budgets()
	c.remark()
	return c.out, nil
}

var levels = []Level{Bytes, Numbers, Decisions, Statistics}

// SideOf says what a run is as one side of a comparison.
func SideOf(r *accept.Run) Side {
	hashes := map[string]string{}
	for _, d := range r.Data {
		hashes[d.Name] = d.Hash
	}
	return Side{Name: r.Name, Program: r.Program, Accepted: r.Accepted, Because: r.Because, Hash: r.Hash,
		Look: accept.Digest([]any{r.Spec, r.Answers, hashes, r.Cascades})}
}

// level is the first level that answers.
func (c *comparing) level() Level {
	switch {
	case c.old.Results == c.now.Results && c.old.Records == c.now.Records:
		return Bytes
	case !slices.ContainsFunc(c.subjects, func(s *subject) bool { return !s.sameNumbers() }):
		return Numbers
	case len(c.out.Moved) > 0 || slices.ContainsFunc(c.tests, func(h *hypothesis) bool { return h.differs() }):
		return Statistics
	}
	return Decisions
}

// sameNumbers reports whether both runs have the same rows, of the same values, and the same thresholds.
func (s *subject) sameNumbers() bool {
	old, now := s.old.m, s.now.m
	if len(old.Rows) != len(now.Rows) || old.Used != now.Used || old.Fit != now.Fit || old.Test != now.Test ||
		len(old.Policies) != len(now.Policies) {
		return false
	}
	for i := range now.Rows {
		x, y := &old.Rows[i], &now.Rows[i]
		same := func(v, w accept.Estimate) bool { return v[0] == w[0] }
		if x.Policy != y.Policy || !maps.EqualFunc(x.Values, y.Values, same) {
			return false
		}
	}
	for i := range now.Policies {
		x, y := &old.Policies[i], &now.Policies[i]
		if x.Policy != y.Policy || x.Feasible != y.Feasible || !slices.Equal(x.Thresholds, y.Thresholds) {
			return false
		}
	}
	return true
}

// test tests what differs on records of both runs, and adjusts for all that is tested. What cannot be tested, such as a
// ratio that is undefined on some resample, counts as a hypothesis all the same.
func (c *comparing) test() {
	var family []*hypothesis
	seen := map[string]*hypothesis{}
	for i, h := range c.tests {
		h.q.Tested = h.x != nil && h.q.Direction != Neither && h.differs() && !c.of[i].incomplete()
		if !h.q.Tested {
			continue
		}
		name := h.name()
		if h.first = seen[name]; h.first != nil {
			h.q.SameAs = h.first.q.Metric + " of " + h.first.q.Policy
			continue
		}
		seen[name], h.first = h, h
		family = append(family, h)
	}
	for _, h := range c.tests {
		if h.first == nil {
			continue
		}
		if err := h.test(2 * c.o.Alpha / float64(len(family))); err != nil {
			h.q.Tested, h.q.P, h.q.Adjusted, h.q.Difference = false, 1, 1, infer.Interval{}
			c.out.Remarks = append(c.out.Remarks, fmt.Sprintf("%s cannot be tested: %v", c.out.title(h.q), err))
			continue
		}
		h.q.P = h.first.q.P // the very same, whichever test it is
		h.q.Hypotheses = len(family)
		h.sizes(c.o.Alpha / float64(len(family)))
	}
	// By Holm's method, for the worse and for the better: "not worse" is one family and "not better" another. Each has its
	// level, and a quantity that looks better counts among those that are not worse.
	var worse, better []float64
	for _, h := range family {
		there, other := h.q.P, 1.0
		if h.q.Difference.Value != 0 {
			other = 1 - there
		}
		if !h.worse() {
			there, other = other, there
		}
		worse, better = append(worse, there), append(better, other)
	}
	worse, better = infer.Holm(worse), infer.Holm(better)
	for _, h := range c.tests {
		if at := slices.Index(family, h.first); at >= 0 && h.worse() {
			h.q.Adjusted = worse[at]
		} else if at >= 0 {
			h.q.Adjusted = better[at]
		}
	}
}

// conclude derives the verdict of the run, and the sentence that says it, from the verdicts of the quantities.
func (c *Comparison) conclude() {
	c.Verdict = Same
	if i := slices.IndexFunc(Gravity, func(v Verdict) bool { return c.Count(v) > 0 }); i >= 0 {
		c.Verdict = Gravity[i]
	}
	if len(c.Incomplete) > 0 && c.Verdict != Worse {
		c.Verdict = Incomplete
	}
	c.Summary = c.summary()
}

func (c *comparing) verdict(h *hypothesis, s *subject) Verdict {
	q := h.q
	x, y := q.Old.Value, q.New.Value
	rounding := math.Abs(x-y) <= 1e-11*(math.Abs(x)+math.Abs(y)) // as sums of the same numbers in another order
	switch {
	case s.incomplete():
		return Incomplete
	case q.Tested && q.Adjusted <= c.o.Alpha && h.worse():
		return Worse
	case q.Tested && q.Adjusted <= c.o.Alpha && q.Difference.Value != 0:
		return Better
	case x == y || s.whole() && rounding && !h.differs():
		return Same
	case !q.Tested || 2*len(s.pairs) < max(len(s.old.test), len(s.now.test)):
		return Shifted // nothing to test, or measured on other records for the most part
	}
	return Undecided
}
