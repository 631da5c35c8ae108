package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// oneTable is the policies of all cascades in one table for each family of tasks and set of metrics.
func oneTable(s *result.Results) []table.Table {
	var all []table.Table
	var of []family
	var cascades [][]*result.Cascade
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for _, f := range families(c) {
			t := policies(s, c, f)
			at := slices.IndexFunc(of, func(g family) bool {
				return g.task == f.task && strings.Join(g.metrics, "\n") == strings.Join(f.metrics, "\n")
			})
			if at < 0 {
				all, of, cascades = append(all, t), append(of, f), append(cascades, []*result.Cascade{c})
				continue
			}
			join(&all[at], &t)
			cascades[at] = append(cascades[at], c)
			for _, d := range f.datasets {
				if !slices.ContainsFunc(of[at].datasets, func(x *result.Dataset) bool { return x.Name == d.Name }) {
					of[at].datasets = append(of[at].datasets, d)
				}
			}
		}
	}
	for i := range all {
		t := &all[i]
		t.Of = ""
		for k := range t.Columns {
			if t.Columns[k].Fields[0] == columnFields[style.Cascade] {
				t.Columns[k].Merge = true
			}
		}
		t.Order = order(s, t, true)
		t.Caption = manyCaption(s, cascades[i], of[i])
	}
	return all
}

// manyCaption is the caption of a table of several cascades.
func manyCaption(s *result.Results, cascades []*result.Cascade, f family) table.Text {
	if style.Of(s.Style).Caption != "" {
		return filled(s, cascades, f)
	}
	var t table.Text
	if slices.ContainsFunc(cascades, func(c *result.Cascade) bool { return c.Incomplete }) {
		t = incomplete()
	}
	c := cascades[0] // the setting and the target are the study's
	return append(t, table.Plain(fmt.Sprintf("Policies of %d cascades on %s tasks, %s setting, target %s.", len(cascades),
		f.task, c.Setting, c.Target)))
}

// join appends the rows of a table to another of the same columns, with their footnotes and what is said of them.
func join(to, from *table.Table) {
	for _, group := range slices.Concat(from.Groups, from.Data) {
		for _, row := range group {
			for i := range row {
				marks := row[i].Marks
				row[i].Marks = nil
				for _, n := range marks {
					row[i].Mark(to.Note(from.Notes[n].Kind, from.Notes[n].Text))
				}
			}
		}
	}
	to.Groups, to.Data = append(to.Groups, from.Groups...), append(to.Data, from.Data...)
	said := func(r table.Text) string { return fmt.Sprintf("%v", r) }
	for _, r := range from.Remarks {
		if !slices.ContainsFunc(to.Remarks, func(x table.Text) bool { return said(x) == said(r) }) {
			to.Remarks = append(to.Remarks, r)
		}
	}
}
