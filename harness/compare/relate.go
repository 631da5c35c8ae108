package compare

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/fault"
)

// find returns the first of a list that is what is looked for; nil = none is.
func find[T any](list []T, is func(*T) bool) *T {
	for i := range list {
		if is(&list[i]) {
			return &list[i]
		}
	}
	return nil
}

func measured(c *accept.Cascade, dataset string) *accept.Measured {
	return find(c.Datasets, func(m *accept.Measured) bool { return m.Dataset == dataset })
}

func dataOf(r *accept.Run, name string) *accept.Data {
	return find(r.Data, func(d *accept.Data) bool { return d.Name == name })
}

func rowOf(m *accept.Measured, policy string) *accept.Row {
	return find(m.Rows, func(r *accept.Row) bool { return r.Policy == policy })
}

// relate finds the cascades and datasets that both runs have, the records that are the same, and what one run lacks.
// It refuses two runs that have nothing in common to compare.
func (c *comparing) relate() error {
	olds, records := c.namesakes(), 0
	for i, old := range olds {
		now := &c.now.Cascades[i]
		if now.Incomplete {
			c.out.Incomplete = append(c.out.Incomplete, Place{Cascade: now.Name})
		}
		c.out.Added = append(c.out.Added, lacking(now, old, now.Name)...)
		if old == nil {
			continue
		}
		c.out.Gone = append(c.out.Gone, lacking(old, now, now.Name)...)
		for k := range now.Datasets {
			if d := measured(old, now.Datasets[k].Dataset); d != nil {
				s := c.subject(newArm(c.old, old, d), newArm(c.now, now, &now.Datasets[k]))
				s.of.each(func(_, _ int) { records++ })
			}
		}
	}
	for i := range c.old.Cascades {
		if old := &c.old.Cascades[i]; !slices.Contains(olds, old) {
			c.out.Gone = append(c.out.Gone, Place{Cascade: old.Name})
		}
	}
	if records == 0 {
		why := "their datasets have the same names, and not one record in common"
		if len(c.subjects) == 0 {
			why = fmt.Sprintf("no cascade has a dataset in both. The first measures %s, the second %s", measures(c.old),
				measures(c.now))
		}
		return fault.Unrelated.Wrap(fmt.Errorf("%s (study %s) and %s (study %s) cannot be compared: %s", c.old.Name,
			c.old.Study, c.now.Name, c.now.Study, why))
	}
	if c.old.Study != c.now.Study {
		c.say("the study was called %s, and is called %s", c.old.Study, c.now.Study)
	}
	return nil
}

// measures says what a run measures.
func measures(r *accept.Run) string {
	var out []string
	for _, x := range r.Cascades {
		var names []string
		for _, d := range x.Datasets {
			names = append(names, d.Dataset)
		}
		out = append(out, x.Name+" on "+some(names))
	}
	return cmp.Or(some(out), "no cascade")
}

// lacking lists the places of a cascade that the other run's has not: itself, its datasets, their rows.
func lacking(from, in *accept.Cascade, name string) (out []Place) {
	if in == nil {
		return []Place{{Cascade: name}}
	}
	for _, d := range from.Datasets {
		other := measured(in, d.Dataset)
		if other == nil {
			out = append(out, Place{Cascade: name, Dataset: d.Dataset})
			continue
		}
		for _, row := range d.Rows {
			if rowOf(other, row.Policy) == nil {
				out = append(out, Place{Cascade: name, Dataset: d.Dataset, Policy: row.Policy})
			}
		}
	}
	return out
}

// namesakes finds the old cascade of each new one, nil = there is none: of the same name, or of the same place where
// none has and the studies have the same name and as many cascades, since a cascade is named after its models.
func (c *comparing) namesakes() []*accept.Cascade {
	olds, named := make([]*accept.Cascade, len(c.now.Cascades)), false
	for i, now := range c.now.Cascades {
		olds[i] = find(c.old.Cascades, func(x *accept.Cascade) bool { return x.Name == now.Name })
		named = named || olds[i] != nil
	}
	if named || c.old.Study != c.now.Study || len(c.old.Cascades) != len(olds) {
		return olds
	}
	for i := range olds {
		if old, now := &c.old.Cascades[i], &c.now.Cascades[i]; len(old.Models) == len(now.Models) {
			olds[i] = old
			c.say("cascade %s is compared with cascade %s, which had its place", now.Name, old.Name)
		}
	}
	return olds
}

// answers are those of a model to a dataset in both runs.
type answers struct {
	of       *subject // the first that has them
	old, now *accept.Answered
}

// dataset is the one that is answered.
func (a *answers) dataset() string { return a.of.now.m.Dataset }

// subject adds a dataset that a cascade has in both runs.
func (c *comparing) subject(old, now *arm) *subject {
	name := now.m.Dataset
	m := c.matches[name]
	if m == nil {
		m = pair(old.data, now.data, c.sameFields(name))
		c.matches[name] = m
	}
	s := newSubject(old, now, m)
	c.subjects = append(c.subjects, s)
	for k := range min(len(now.m.Models), len(old.m.Models)) {
		if a := &now.m.Models[k]; c.answered(a.Model, name) == nil {
			c.answers = append(c.answers, answers{s, &old.m.Models[k], a})
		}
	}
	c.out.Records = append(c.out.Records, Paired{Cascade: now.cascade.Name, Dataset: name, Old: len(old.test),
		New: len(now.test), Both: len(s.pairs)})
	return s
}

// answered are a model's answers to a dataset; nil = not in both runs.
func (c *comparing) answered(model, dataset string) *answers {
	return find(c.answers, func(a *answers) bool { return a.now.Model == model && a.dataset() == dataset })
}

// sameFields reports whether the prompts of a dataset name the same fields, which its records are made of.
func (c *comparing) sameFields(dataset string) bool {
	at := "datasets." + dataset + ".fields."
	for _, pair := range [][2]map[string]string{{c.old.Settings, c.now.Settings}, {c.now.Settings, c.old.Settings}} {
		for key := range pair[0] {
			if _, ok := pair[1][key]; !ok && strings.HasPrefix(key, at) && pair[1] != nil {
				return false
			}
		}
	}
	return true
}
