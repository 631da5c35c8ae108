package compare

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/accept"
	"infnet/harness/fault"
)

// relate finds the cascades and datasets that both runs have, and the records that are the same.
func (c *comparing) relate() error {
	names := c.namesakes()
	for i := range c.now.Cascades {
		now := &c.now.Cascades[i]
		old := names[now.Name]
		if now.Incomplete {
			c.Incomplete = append(c.Incomplete, Place{Cascade: now.Name})
		}
		if old == nil {
			c.Added = append(c.Added, Place{Cascade: now.Name})
			continue
		}
		for k := range now.Datasets {
			d := &now.Datasets[k]
			at := slices.IndexFunc(old.Datasets, func(m accept.Measured) bool { return m.Dataset == d.Dataset })
			if at < 0 {
				c.Added = append(c.Added, Place{Cascade: now.Name, Dataset: d.Dataset})
				continue
			}
			c.subject(old, &old.Datasets[at], now, d)
		}
		c.gone(old, now)
	}
	for i := range c.old.Cascades {
		old := &c.old.Cascades[i]
		if !slices.ContainsFunc(c.now.Cascades, func(x accept.Cascade) bool { return names[x.Name] == old }) {
			c.Gone = append(c.Gone, Place{Cascade: old.Name})
		}
	}
	return c.related()
}

// gone lists what a cascade no longer has: datasets, and rows of the tables.
func (c *comparing) gone(old, now *accept.Cascade) {
	for k := range old.Datasets {
		d := &old.Datasets[k]
		at := slices.IndexFunc(now.Datasets, func(m accept.Measured) bool { return m.Dataset == d.Dataset })
		if at < 0 {
			c.Gone = append(c.Gone, Place{Cascade: now.Name, Dataset: d.Dataset})
			continue
		}
		rows := func(from, to *accept.Measured, list *[]Place) {
			for i := range from.Rows {
				name := from.Rows[i].Policy
				if !slices.ContainsFunc(to.Rows, func(r accept.Row) bool { return r.Policy == name }) {
					*list = append(*list, Place{Cascade: now.Name, Dataset: d.Dataset, Policy: name})
				}
			}
		}
		rows(d, &now.Datasets[at], &c.Gone)
		rows(&now.Datasets[at], d, &c.Added)
	}
}

// namesakes finds the old cascade of each new one: of the same name, or of the same place where the studies have the
// same name and as many cascades, since a cascade is named after its models.
func (c *comparing) namesakes() map[string]*accept.Cascade {
	out := map[string]*accept.Cascade{}
	for i := range c.now.Cascades {
		name := c.now.Cascades[i].Name
		at := slices.IndexFunc(c.old.Cascades, func(x accept.Cascade) bool { return x.Name == name })
		if at >= 0 {
			out[name] = &c.old.Cascades[at]
		}
	}
	if len(out) > 0 || c.old.Study != c.now.Study || len(c.old.Cascades) != len(c.now.Cascades) {
		return out
	}
	for i := range c.now.Cascades {
		old, now := &c.old.Cascades[i], &c.now.Cascades[i]
		if len(old.Models) == len(now.Models) {
			out[now.Name] = old
			c.Remarks = append(c.Remarks, fmt.Sprintf("cascade %s is compared with cascade %s, which had its place",
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
	c.subjects = append(c.subjects, s)
	renamed := 0
	for _, p := range s.pairs {
		if old.data.IDs[old.test[p[0]]] != now.data.IDs[now.test[p[1]]] {
			renamed++
		}
	}
	c.Records = append(c.Records, Paired{Cascade: nowC.Name, Dataset: nowD.Dataset, Old: len(old.test),
		New: len(now.test), Both: len(s.pairs), Renamed: renamed})
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
	refuse := func(why string) error {
		return fault.Unrelated.Wrap(fmt.Errorf("%s (study %s) and %s (study %s) cannot be compared: %s", c.old.Name,
			c.old.Study, c.now.Name, c.now.Study, why))
	}
	if len(c.subjects) == 0 {
		return refuse(fmt.Sprintf("no cascade has a dataset in both. The first measures %s, the second %s",
			measures(c.old), measures(c.now)))
	}
	records := 0
	for _, s := range c.subjects {
		records += s.of.both()
	}
	if records == 0 {
		return refuse("their datasets have the same names, and not one record in common")
	}
	if c.old.Study != c.now.Study {
		c.Remarks = append(c.Remarks, fmt.Sprintf("the study was called %s, and is called %s", c.old.Study, c.now.Study))
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
	if len(out) == 0 {
		return "no cascade"
	}
	return some(out)
}
