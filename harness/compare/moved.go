package compare

import (
	"cmp"
	"fmt"
	"slices"

	"infnet/backends/engine"
	"infnet/harness/accept"
	"infnet/harness/result"
)

// decisions lists the records that both runs have and that are graded or decided otherwise: answers of models first,
// then what our policies made of them; those of the test part before the others.
func (c *comparing) decisions() {
	for _, s := range c.subjects {
		for _, m := range s.models {
			c.grades(s, m)
		}
		for i := range s.now.m.Rows {
			row := &s.now.m.Rows[i]
			if old := rowOf(s.old.m, row.Policy); old != nil && !row.Baseline && old.Final != nil && row.Final != nil {
				c.policy(s, old, row)
			}
		}
	}
	slices.SortStableFunc(c.Moved, func(x, y Moved) int { return tell(y.Part == "test") - tell(x.Part == "test") })
}

// grades lists the records on which a model's answer turned wrong or right.
func (c *comparing) grades(s *subject, model int) {
	old, now := &s.old.m.Models[model], &s.now.m.Models[model]
	word := map[bool]string{true: "right", false: "wrong"}
	s.of.each(func(k, i int) {
		if s.old.m.Part[k] != accept.Unused && s.now.m.Part[i] != accept.Unused && old.Right[k] != now.Right[i] {
			c.move(s, i, Moved{Model: now.Model, From: word[old.Right[k]], To: word[now.Right[i]]})
		}
	})
}

// policy lists the records that a policy decides otherwise.
func (c *comparing) policy(s *subject, old, now *accept.Row) {
	word := func(a *arm, final int) string {
		switch {
		case final == 0:
			return "accepted"
		case final == len(a.m.Models)-1:
			return "deferred"
		}
		return "passed to " + a.m.Models[final].Model
	}
	s.of.each(func(k, i int) {
		if x, y := old.Final[k], now.Final[i]; x >= 0 && y >= 0 && x != y {
			c.move(s, i, Moved{Policy: now.Policy, From: word(s.old, x), To: word(s.now, y)})
		}
	})
}

func (c *comparing) move(s *subject, record int, m Moved) {
	m.Cascade, m.Dataset, m.ID = s.now.cascade.Name, s.now.m.Dataset, s.now.data.IDs[record]
	m.Part = []string{"unused", "fit", "test"}[s.now.m.Part[record]]
	if c.now.Accepted == "" {
		m.Show = fmt.Sprintf("infnet view %s --record %s", engine.Quote(c.now.Name),
			engine.Quote(m.Dataset+"/"+m.ID))
	}
	c.Moved = append(c.Moved, m)
}

// fits lists the policies whose thresholds are others, and says where a budget can no longer be met.
func (c *comparing) fits() {
	for _, s := range c.subjects {
		for i := range s.now.m.Policies {
			now := &s.now.m.Policies[i]
			old := policyOf(s.old.m, now.Policy)
			if old == nil {
				continue
			}
			f := Fit{Cascade: s.now.cascade.Name, Dataset: s.now.m.Dataset, Policy: now.Policy, Of: len(now.Thresholds)}
			for k := range now.Thresholds {
				y := now.Thresholds[k]
				x, ok := threshold(old.Thresholds, k, y.Class)
				if ok && x == float64(y.Theta) {
					continue
				}
				if f.Changed++; f.Changed == 1 {
					f.Class, f.New, f.Old = y.Class, written(float64(y.Theta)), "none"
					if ok {
						f.Old = written(x)
					}
				}
			}
			if old.Feasible != now.Feasible {
				f.Feasible = &now.Feasible
				f.Text = feasible(s, now)
			}
			if f.Changed > 0 || f.Feasible != nil {
				c.Fits = append(c.Fits, f)
			}
		}
	}
}

// threshold finds the old threshold of a class; of no class, the k-th.
func threshold(old []result.Threshold, k int, class string) (theta float64, ok bool) {
	if class != "" {
		k = slices.IndexFunc(old, func(t result.Threshold) bool { return t.Class == class })
	}
	if k < 0 || k >= len(old) {
		return 0, false
	}
	return float64(old[k].Theta), true
}

// feasible says what became of a budget.
func feasible(s *subject, p *result.Policy) string {
	at := p.Policy
	if row := rowOf(s.now.m, p.Policy); row != nil {
		at = cmp.Or(row.Title, at)
	}
	at += " on " + s.now.m.Dataset
	if p.Feasible {
		return fmt.Sprintf("%s: its budget of %s errors on the fit part can be met again", at, written(p.Budget))
	}
	return fmt.Sprintf("%s: its budget of %s errors on the fit part can no longer be met: the fewest possible are "+
		"%s, and "+
		"the thresholds are those", at, written(p.Budget), written(p.MinErrors))
}
