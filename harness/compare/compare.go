package compare

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/harness/result"
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
	old, now *accept.Run
	matches  map[string]*match // by dataset
	subjects []*subject
	answers  []answers // of every model to every dataset, once
	tests    []*hypothesis
}

// Runs compares two runs. It fails with fault.Unrelated where they have nothing in common.
func Runs(old, now *accept.Run, o Options) (*Comparison, error) {
	if !(o.Alpha > 0 && o.Alpha < 1) {
		return nil, fmt.Errorf("tests at level %v: want a number between 0 and 1, such as 0.05", o.Alpha)
	}
	c := &comparing{old: old, now: now, matches: map[string]*match{}, out: &Comparison{
		Version: Version, Study: now.Study, Old: SideOf(old), New: SideOf(now), Alpha: o.Alpha}}
	if err := c.relate(); err != nil {
		return nil, err
	}
	c.list()
	for _, s := range c.subjects {
		c.tests = append(c.tests, s.quantities(c.sameInputs(s))...)
	}
	c.decisions()
	c.out.Level = c.level()
	if o.Most != "" && slices.Index(levels, c.out.Level) > slices.Index(levels, o.Most) {
		c.out.Level = o.Most
		c.say("stopped at the level of %s, as asked: nothing was tested", o.Most)
	} else if c.out.Level == Statistics {
		c.test()
	}
	for _, h := range c.tests {
		h.q.Verdict = h.verdict(o.Alpha)
		if h.q.Verdict != Same {
			h.q.Causes = c.touching(h)
		}
		c.out.Quantities = append(c.out.Quantities, *h.q)
	}
	c.out.Verdict = Same
	if i := slices.IndexFunc(Gravity, func(v Verdict) bool { return c.out.Count(v) > 0 }); i >= 0 {
		c.out.Verdict = Gravity[i]
	}
	if len(c.out.Incomplete) > 0 && c.out.Verdict != Worse {
		c.out.Verdict = Incomplete
	}
	c.out.Summary = c.out.summary()
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
	case len(c.out.Moved) > 0 || slices.ContainsFunc(c.tests, (*hypothesis).differs):
		return Statistics
	}
	return Decisions
}

// sameNumbers reports whether both runs have the same rows, of the same values, and the same thresholds.
func (s *subject) sameNumbers() bool {
	old, now := s.old.m, s.now.m
	return old.Used == now.Used && old.Fit == now.Fit && old.Test == now.Test &&
		slices.EqualFunc(old.Rows, now.Rows, func(x, y accept.Row) bool {
			return x.Policy == y.Policy &&
				maps.EqualFunc(x.Values, y.Values, func(v, w accept.Estimate) bool { return v[0] == w[0] })
		}) &&
		slices.EqualFunc(old.Policies, now.Policies, func(x, y result.Policy) bool {
			return x.Policy == y.Policy && x.Feasible == y.Feasible && slices.Equal(x.Thresholds, y.Thresholds)
		})
}

// decisions lists the records that both runs have and that are graded or decided otherwise: answers of models first,
// then what our policies made of them; those of the test part before the others.
func (c *comparing) decisions() {
	add := func(s *subject, record int, m Moved) {
		m.Cascade, m.Dataset, m.ID = s.now.cascade.Name, s.now.m.Dataset, s.now.data.IDs[record]
		m.Part = []string{"unused", "fit", "test"}[s.now.m.Part[record]]
		c.out.Moved = append(c.out.Moved, m)
	}
	for _, s := range c.subjects {
		for _, a := range c.answers {
			s.of.each(func(k, i int) {
				was, is := a.old.Right, a.now.Right
				if a.of == s && s.old.m.Part[k] != accept.Unused && s.now.m.Part[i] != accept.Unused && was[k] != is[i] {
					word := map[bool]string{true: "right", false: "wrong"}
					add(s, i, Moved{Model: a.now.Model, From: word[was[k]], To: word[is[i]]})
				}
			})
		}
		for _, row := range s.now.m.Rows {
			old := rowOf(s.old.m, row.Policy)
			if old == nil || row.Baseline || old.Final == nil || row.Final == nil {
				continue
			}
			s.of.each(func(k, i int) {
				if x, y := old.Final[k], row.Final[i]; x >= 0 && y >= 0 && x != y {
					add(s, i, Moved{Policy: row.Policy, From: s.old.outcome(x), To: s.now.outcome(y)})
				}
			})
		}
	}
	slices.SortStableFunc(c.out.Moved, func(x, y Moved) int { return tell(y.Part == "test") - tell(x.Part == "test") })
}

// outcome is a decision in a word.
func (a *arm) outcome(final int) string {
	switch final {
	case 0:
		return "accepted"
	case len(a.m.Models) - 1:
		return "deferred"
	}
	return "passed to " + a.m.Models[final].Model
}

// test tests what differs on records of both runs, and adjusts for all that is tested. What cannot be tested, such as a
// ratio that is undefined on some resample, counts as a hypothesis all the same.
func (c *comparing) test() {
	var family []*hypothesis
	seen := map[string]*hypothesis{}
	for _, h := range c.tests {
		h.q.Tested = h.x != nil && h.q.Direction != Neither && h.differs() && !h.s.incomplete()
		if !h.q.Tested {
			continue
		}
		name := h.name()
		if h.first = seen[name]; h.first != nil {
			h.q.SameAs = h.first.q.Metric + " of " + h.first.q.Policy
			continue
		}
		seen[name], h.first, h.place = h, h, len(family)
		family = append(family, h)
	}
	level := c.out.Alpha / float64(len(family))
	for _, h := range c.tests {
		if h.first == nil {
			continue
		}
		if err := h.test(2 * level); err != nil {
			h.q.Tested, h.q.P, h.q.Adjusted, h.q.Difference = false, 1, 1, infer.Interval{}
			c.say("%s cannot be tested: %v", c.out.title(h.q), err)
			continue
		}
		h.q.P = h.first.q.P // the very same, whichever test it is
		h.q.Hypotheses = len(family)
		h.sizes(level)
	}
	// By Holm's method, for the worse and for the better: "not worse" is one family and "not better" another. Each has its
	// level, and a quantity that looks better counts among those that are not worse.
	var p [2][]float64 // by tell(worse)
	for _, h := range family {
		other := 1.0
		if h.q.Difference.Value != 0 {
			other = 1 - h.q.P
		}
		there := tell(h.worse())
		p[there], p[1-there] = append(p[there], h.q.P), append(p[1-there], other)
	}
	adjusted := [2][]float64{infer.Holm(p[0]), infer.Holm(p[1])}
	for _, h := range c.tests {
		if h.first != nil {
			h.q.Adjusted = adjusted[tell(h.worse())][h.first.place]
		}
	}
}

func (h *hypothesis) verdict(alpha float64) Verdict {
	q, s := h.q, h.s
	x, y := q.Old.Value, q.New.Value
	rounding := math.Abs(x-y) <= 1e-11*(math.Abs(x)+math.Abs(y)) // as sums of the same numbers in another order
	switch {
	case s.incomplete():
		return Incomplete
	case q.Tested && q.Adjusted <= alpha && h.worse():
		return Worse
	case q.Tested && q.Adjusted <= alpha && q.Difference.Value != 0:
		return Better
	case x == y || s.whole() && rounding && !h.differs():
		return Same
	case !q.Tested || 2*len(s.pairs) < max(len(s.old.test), len(s.now.test)):
		return Shifted // nothing to test, or measured on other records for the most part
	}
	return Undecided
}
