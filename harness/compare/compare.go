package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"infnet/harness/accept"
	"infnet/harness/fault"
	"infnet/metrics/infer"
)

// comparing is a comparison in the making.
type comparing struct {
	out      *Comparison
	old, now *accept.Run
	subjects []*subject
	tests    []*hypothesis
}

// Runs compares two runs at a level in (0,1). It fails with fault.Unrelated where they have nothing in common.
func Runs(old, now *accept.Run, alpha float64) (*Comparison, error) {
	c := &comparing{old: old, now: now, out: &Comparison{Study: now.Study, Old: SideOf(old), New: SideOf(now),
		Alpha: alpha}}
	if err := c.relate(); err != nil {
		return nil, err
	}
	c.causes()
	for _, s := range c.subjects {
		c.tests = append(c.tests, s.quantities()...)
	}
	c.moves()
	c.test()
	for _, h := range c.tests {
		h.q.Verdict = h.verdict(alpha)
		c.out.Quantities = append(c.out.Quantities, *h.q)
	}
	c.out.Verdict = c.verdict()
	c.out.Summary = c.out.summary()
	return c.out, nil
}

// SideOf says what a run is as one side of a comparison.
func SideOf(r *accept.Run) Side {
	b, err := json.Marshal([]any{r.Inputs, r.Pairs})
	if err != nil {
		panic("compare: a run has no JSON: " + err.Error()) // its numbers were read from JSON
	}
	return Side{Name: r.Name, Accepted: r.Accepted, Because: r.Because, Look: accept.Sum(b)}
}

// find returns the first of a list that is what is looked for; nil = none is.
func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

func rowOf(p *accept.Pair, policy string) *accept.Row {
	return find(p.Rows, func(r *accept.Row) bool { return r.Policy == policy })
}

// relate finds the pairs that both runs have, and says what one of them lacks. It refuses two runs that have nothing in
// common to compare.
func (c *comparing) relate() error {
	known := map[*accept.Pair]bool{}
	for i := range c.now.Pairs {
		now := &c.now.Pairs[i]
		old := c.namesake(i)
		if old == nil {
			c.say("new, with nothing to compare with: %s", accept.On(now.Cascade, now.Dataset))
			continue
		}
		known[old] = true
		if s := newSubject(c.old, c.now, old, now); len(s.pairs) > 0 {
			c.subjects = append(c.subjects, s)
		}
	}
	for i := range c.old.Pairs {
		if old := &c.old.Pairs[i]; !known[old] {
			c.say("gone, and so not compared: %s", accept.On(old.Cascade, old.Dataset))
		}
	}
	if len(c.subjects) > 0 {
		return nil
	}
	return fault.Unrelated.Wrap(fmt.Errorf("%s (study %s) and %s (study %s) cannot be compared: no cascade has a dataset "+
		"with a test record that is in both. The first measures %s, the second %s", c.old.Name, c.old.Study, c.now.Name,
		c.now.Study, measures(c.old), measures(c.now)))
}

// measures says what a run measures.
func measures(r *accept.Run) string {
	for _, p := range r.Pairs {
		return accept.On(p.Cascade, p.Dataset)
	}
	return "no cascade"
}

// namesake is the old pair of a new one, nil = there is none: of the same cascade and dataset, or of the same place
// where the studies have the same name and as many, since a cascade is named after its models.
func (c *comparing) namesake(at int) *accept.Pair {
	now := &c.now.Pairs[at]
	old := find(c.old.Pairs, func(p *accept.Pair) bool { return p.Cascade == now.Cascade && p.Dataset == now.Dataset })
	if old != nil || c.old.Study != c.now.Study || len(c.old.Pairs) != len(c.now.Pairs) {
		return old
	}
	old = &c.old.Pairs[at]
	renamed := !slices.ContainsFunc(c.now.Pairs, func(p accept.Pair) bool { return p.Cascade == old.Cascade })
	if !renamed || old.Dataset != now.Dataset || len(old.Models) != len(now.Models) {
		return nil
	}
	c.say("%s is compared with cascade %s, which had its place", accept.On(now.Cascade, now.Dataset), old.Cascade)
	return old
}

// causes names what differs between the inputs of the two runs, in the order in which it acts.
func (c *comparing) causes() {
	for _, kind := range accept.Kinds {
		old, now := c.old.Inputs[kind], c.now.Inputs[kind]
		for _, name := range slices.Sorted(maps.Keys(joined(old, now))) {
			if old[name] != now[name] {
				c.out.Causes = append(c.out.Causes, Cause{Kind: string(kind), Name: name, Old: old[name], New: now[name]})
			}
		}
	}
}

func joined(a, b map[string]string) map[string]string {
	out := map[string]string{}
	maps.Copy(out, a)
	maps.Copy(out, b)
	return out
}

// moves counts the test records of both runs that are graded or decided otherwise: answers of models first, then what
// our policies made of them.
func (c *comparing) moves() {
	seen := map[string]bool{} // models by dataset
	for _, s := range c.subjects {
		first := len(c.out.Moved)
		add := func(i int, who, from, to string) {
			list := c.out.Moved[first:]
			m := find(list, func(m *Moved) bool { return m.Who == who && m.From == from && m.To == to })
			if m == nil {
				c.out.Moved = append(c.out.Moved, Moved{Cascade: s.now.Cascade, Dataset: s.now.Dataset, Who: who, From: from,
					To: to})
				m = &c.out.Moved[len(c.out.Moved)-1]
			}
			if m.Count++; m.Count <= 5 {
				m.First = append(m.First, s.now.IDs[i])
			}
		}
		word := map[bool]string{true: "right", false: "wrong"}
		for k := range min(len(s.old.Models), len(s.now.Models)) {
			if at := accept.On(s.now.Models[k], s.now.Dataset); !seen[at] {
				seen[at] = true
				for _, p := range s.pairs {
					if was, is := s.old.Answers[k].Right[p[0]], s.now.Answers[k].Right[p[1]]; was != is {
						add(p[1], s.now.Models[k], word[was], word[is])
					}
				}
			}
		}
		for _, row := range s.now.Rows {
			old := rowOf(s.old.Pair, row.Policy)
			if old == nil || old.Final == nil || row.Final == nil {
				continue
			}
			for _, p := range s.pairs {
				if x, y := old.Final[p[0]], row.Final[p[1]]; x != y {
					add(p[1], cmp.Or(row.Title, row.Policy), s.old.outcome(x), s.now.outcome(y))
				}
			}
		}
	}
}

// outcome is a decision in a word.
func (a *arm) outcome(final int) string {
	switch final {
	case 0:
		return "accepted"
	case len(a.Models) - 1:
		return "deferred"
	}
	return "passed to " + a.Models[final]
}

// test tests what differs on records of both runs, and adjusts for all that is tested. What cannot be tested, such as a
// ratio that is undefined on some resample, counts as a hypothesis all the same.
func (c *comparing) test() {
	var family []*hypothesis
	seen := map[string]*hypothesis{}
	for _, h := range c.tests {
		h.q.Tested = h.x != nil && h.differs() && !h.s.incomplete()
		if !h.q.Tested {
			continue
		}
		name := h.name()
		if h.first = seen[name]; h.first == nil {
			seen[name], h.first, h.place = h, h, len(family)
			family = append(family, h)
		}
	}
	level := c.out.Alpha / float64(len(family))
	for _, h := range c.tests {
		if h.first == nil {
			continue
		}
		if err := h.test(2 * level); err != nil {
			h.q.Tested, h.q.P, h.q.Difference = false, 1, infer.Interval{}
			c.say("%s cannot be tested: %v", h.q.name(), err)
			continue
		}
		h.q.P, h.q.Hypotheses = h.first.q.P, len(family) // the very same, whichever test it is
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
	x, y := q.Old, q.New
	rounding := math.Abs(x-y) <= 1e-11*(math.Abs(x)+math.Abs(y)) // as sums of the same numbers in another order
	switch {
	case s.incomplete():
		return Uncomparable
	case q.Tested && q.Adjusted <= alpha && h.worse():
		return Worse
	case q.Tested && q.Adjusted <= alpha && q.Difference.Value != 0:
		return Better
	case x == y || s.whole() && rounding:
		return Same
	case !q.Tested && h.x == nil || s.few():
		return Uncomparable
	}
	return Same
}

// verdict is the one on the run.
func (c *comparing) verdict() Verdict {
	few := true
	for _, s := range c.subjects {
		c.out.Incomplete, few = c.out.Incomplete || s.incomplete(), few && s.few()
	}
	n := c.out.Count
	switch {
	case n(Worse) > 0:
		return Worse
	case c.out.Incomplete:
		return Uncomparable
	case n(Better) > 0:
		return Better
	case few:
		return Uncomparable
	}
	return Same
}

func tell(is bool) int {
	if is {
		return 1
	}
	return 0
}
