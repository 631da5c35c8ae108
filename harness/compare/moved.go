package compare

import (
	"fmt"
	"slices"

	"infnet/harness/accept"
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
	slices.SortStableFunc(c.out.Moved, func(x, y Moved) int { return tell(y.Part == "test") - tell(x.Part == "test") })
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
	c.out.Moved = append(c.out.Moved, m)
}

// budgets says where a budget can no longer be met, or again.
func (c *comparing) budgets() {
	for _, s := range c.subjects {
		for i := range s.now.m.Policies {
			now := &s.now.m.Policies[i]
			old := policyOf(s.old.m, now.Policy)
			if old == nil || old.Feasible == now.Feasible {
				continue
			}
			text := fmt.Sprintf("%s on %s: its budget of %s errors on the fit part ", c.out.PolicyTitle(now.Policy),
				s.now.m.Dataset, written(now.Budget))
			if now.Feasible {
				text += "can be met again"
			} else {
				text += fmt.Sprintf("can no longer be met: the fewest possible are %s, and the thresholds are those",
					written(now.MinErrors))
			}
			c.out.Remarks = append(c.out.Remarks, text)
		}
	}
}
