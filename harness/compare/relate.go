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

// relate finds the cascades and datasets that both runs have, the records that are the same, and what one run lacks.
func (c *comparing) relate() error {
	names := c.namesakes()
	for i := range c.now.Cascades {
		now := &c.now.Cascades[i]
		if now.Incomplete {
			c.out.Incomplete = append(c.out.Incomplete, Place{Cascade: now.Name})
		}
		old := names[now.Name]
		c.out.Added = append(c.out.Added, lacking(now, old, now.Name)...)
		if old == nil {
			continue
		}
		c.out.Gone = append(c.out.Gone, lacking(old, now, now.Name)...)
		for k := range now.Datasets {
			if d := measured(old, now.Datasets[k].Dataset); d != nil {
				c.subject(old, d, now, &now.Datasets[k])
			}
		}
	}
	for i := range c.old.Cascades {
		old := &c.old.Cascades[i]
		if find(c.now.Cascades, func(x *accept.Cascade) bool { return names[x.Name] == old }) == nil {
			c.out.Gone = append(c.out.Gone, lacking(old, nil, old.Name)...)
		}
	}
	return c.related()
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

func measured(c *accept.Cascade, dataset string) *accept.Measured {
	return find(c.Datasets, func(m *accept.Measured) bool { return m.Dataset == dataset })
}

func dataOf(r *accept.Run, name string) *accept.Data {
	return find(r.Data, func(d *accept.Data) bool { return d.Name == name })
}

func rowOf(m *accept.Measured, policy string) *accept.Row {
	return find(m.Rows, func(r *accept.Row) bool { return r.Policy == policy })
}

// namesakes finds the old cascade of each new one: of the same name, or of the same place where the studies have the
// same name and as many cascades, since a cascade is named after its models.
func (c *comparing) namesakes() map[string]*accept.Cascade {
	out := map[string]*accept.Cascade{}
	for _, now := range c.now.Cascades {
		if old := find(c.old.Cascades, func(x *accept.Cascade) bool { return x.Name == now.Name }); old != nil {
			out[now.Name] = old
		}
	}
	if len(out) > 0 || c.old.Study != c.now.Study || len(c.old.Cascades) != len(c.now.Cascades) {
		return out
	}
	for i := range c.now.Cascades {
		old, now := &c.old.Cascades[i], &c.now.Cascades[i]
		if len(old.Models) == len(now.Models) {
			out[now.Name] = old
			c.out.Remarks = append(c.out.Remarks, fmt.Sprintf("cascade %s is compared with cascade %s, which had its place",
				now.Name, old.Name))
		}
	}
	return out
}

// subject adds a dataset that a cascade has in both runs.
func (c *comparing) subject(oldC *accept.Cascade, oldD *accept.Measured, nowC *accept.Cascade, nowD *accept.Measured) {
	old, now := newArm(c.old, oldC, oldD), newArm(c.now, nowC, nowD)
	m := c.matches[nowD.Dataset]
	if m == nil {
		m = pair(old.data, now.data, c.sameFields(nowD.Dataset))
		c.matches[nowD.Dataset] = m
	}
	s := newSubject(old, now, m)
	for k := range min(len(nowD.Models), len(oldD.Models)) {
		if !slices.ContainsFunc(c.subjects, func(x *subject) bool { return x.lists(nowD.Dataset, nowD.Models[k].Model) }) {
			s.models = append(s.models, k)
		}
	}
	c.subjects = append(c.subjects, s)
	c.out.Records = append(c.out.Records, Paired{Cascade: nowC.Name, Dataset: nowD.Dataset, Old: len(old.test),
		New: len(now.test), Both: len(s.pairs)})
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

// related refuses two runs that have nothing in common to compare.
func (c *comparing) related() error {
	records, why := 0, "their datasets have the same names, and not one record in common"
	for _, s := range c.subjects {
		s.of.each(func(_, _ int) { records++ })
	}
	if len(c.subjects) == 0 {
		why = fmt.Sprintf("no cascade has a dataset in both. The first measures %s, the second %s", measures(c.old),
			measures(c.now))
	}
	if records == 0 {
		return fault.Unrelated.Wrap(fmt.Errorf("%s (study %s) and %s (study %s) cannot be compared: %s", c.old.Name,
			c.old.Study, c.now.Name, c.now.Study, why))
	}
	if c.old.Study != c.now.Study {
		c.out.Remarks = append(c.out.Remarks,
			fmt.Sprintf("the study was called %s, and is called %s", c.old.Study, c.now.Study))
	}
	return nil
}

// measures says what a run measures.
func measures(r *accept.Run) string {
	out := []string{}
	for _, x := range r.Cascades {
		var names []string
		for _, d := range x.Datasets {
			names = append(names, d.Dataset)
		}
		out = append(out, x.Name+" on "+some(names))
	}
	return cmp.Or(some(out), "no cascade")
}
