// Package reports turns results into the tables of a paper. It owns which
// tables there are, which rows, columns and footnotes they have, and the files
// they are written to; numbers are rounded and texts escaped by reports/table.
// It refuses to compute: every number comes from the results. Its opinion: a
// caveat belongs under the table that needs it, and a table says what it was
// made from.
package reports

import (
	"io"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// Tables returns the study's tables. For each cascade: one table of policies
// for each family of tasks (classification, generation) and set of metrics, as
// the paper has them, over repeated splits if the study has any, and the policies
// at equal cost, at equal error and in paired tests; then the learned baselines,
// the fitted thresholds, how good each model and its confidence are, and which
// records the numbers rest on. Then, for each pool, what its models are worth. Last, for the whole
// study, whether the confidence is sufficient. Labels are unique.
func Tables(s *result.Results) []table.Table {
	var all []table.Table
	together := style.Of(s.Style).OneTable && len(s.Cascades) > 1
	if together {
		all = oneTable(s)
	}
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for _, f := range families(c) {
			if !together {
				all = append(all, policies(s, c, f))
			}
		}
		if t, ok := compared(s, c); ok {
			all = append(all, t)
		}
		if t, ok := latencies(s, c); ok {
			all = append(all, t)
		}
		all = append(all, details(comparisons(s, c)...)...)
		if t, ok := learnedTable(s, c); ok {
			all = append(all, details(t)...)
		}
		thresholds := fitted
		if len(c.Models) > 2 {
			thresholds = stages
		}
		all = append(all, thresholds(s, c))
		all = append(all, details(quality(s, c), counts(s, c))...)
	}
	for i := range s.Pools {
		all = append(all, poolTables(s, &s.Pools[i])...)
	}
	if t, ok := Sufficiency(s); ok {
		all = append(all, t)
	}
	all = append(all, against(s)...)
	for i := range all {
		if all[i].Kind != "classification" && all[i].Kind != "generation" {
			all[i].Intervals(ranges(s, false))
		}
	}
	head(s, all)
	name(s, all)
	shorten(s, all)
	return all
}

// details marks tables that support the others.
func details(tables ...table.Table) []table.Table {
	for i := range tables {
		tables[i].Detail = true
	}
	return tables
}

// comparisons are the tables of repeated splits, and those that compare our policies with the others.
func comparisons(s *result.Results, c *result.Cascade) []table.Table {
	var out []table.Table
	for _, f := range families(c) {
		if t, ok := repeats(s, c, f); ok {
			out = append(out, t)
		}
		for _, at := range []coordinate{cost, errs} {
			if t, ok := matched(s, c, f, at); ok {
				out = append(out, t)
			}
		}
		if t, ok := significance(s, c, f); ok {
			out = append(out, t)
		}
	}
	return out
}

// Screen says how results are written for a terminal.
type Screen struct {
	Width int  // in columns; 0 = no limit
	Color bool //
	All   bool // Brief: a sentence for each headline, however many there are
}

// Terminal writes all tables for a terminal.
func Terminal(w io.Writer, s *result.Results, o Screen) error {
	look := table.Look{Width: o.Width, Color: o.Color}
	for _, t := range Tables(s) {
		if err := t.Terminal(w, look); err != nil {
			return err
		}
		if _, err := io.WriteString(w, "\n"); err != nil {
			return err
		}
	}
	return nil
}

// family is the datasets of a cascade that share one table.
type family struct {
	task     string // "classification" or "generation"
	metrics  []string
	datasets []*result.Dataset
}

// families groups a cascade's datasets in order of first appearance.
func families(c *result.Cascade) []family {
	var out []family
next:
	for i := range c.Datasets {
		d := &c.Datasets[i]
		task := "generation"
		if d.Task == "classification" {
			task = "classification"
		}
		for j := range out {
			if out[j].task == task && strings.Join(out[j].metrics, "\n") == strings.Join(d.Metrics, "\n") {
				out[j].datasets = append(out[j].datasets, d)
				continue next
			}
		}
		out = append(out, family{task: task, metrics: d.Metrics, datasets: []*result.Dataset{d}})
	}
	return out
}

// caption begins a caption: INCOMPLETE where it is, what, of which models.
func caption(c *result.Cascade, what string) table.Text {
	t := table.Text{}
	if c.Incomplete {
		t = incomplete()
	}
	return append(append(append(t, table.Plain(what)), modelList(c)...), table.Plain("."))
}

// incomplete begins the caption of a table of an incomplete cascade.
func incomplete() table.Text {
	return table.Text{table.Plain("INCOMPLETE: more answers are missing than the study allows.").Bold(), table.Plain(" ")}
}

// modelList names a cascade's models: "a (student) and b (master)".
func modelList(c *result.Cascade) (t table.Text) {
	for i, m := range c.Models {
		switch {
		case i > 0 && i == len(c.Models)-1:
			t = append(t, table.Plain(" and "))
		case i > 0:
			t = append(t, table.Plain(", "))
		}
		t = append(t, table.Name(m))
		switch {
		case len(c.Models) < 2:
		case i == 0:
			t = append(t, table.Plain(" (student)"))
		case i == len(c.Models)-1:
			t = append(t, table.Plain(" (master)"))
		}
	}
	return t
}

// percent writes a level, e.g. "95 %".
func percent(level float64) string {
	return strconv.FormatFloat(100*level, 'g', 4, 64) + " %"
}

// short cuts a text that models or servers wrote, so that one hostile name
// cannot fill a page.
func short(s string) string {
	const limit = 120
	r := []rune(s)
	if len(r) <= limit {
		return s
	}
	return string(r[:limit-1]) + "…"
}
