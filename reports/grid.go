package reports

import (
	"fmt"
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// gridRow is a policy at one value of an axis.
type gridRow struct {
	s *result.Results
	p *result.Point
}

func (x gridRow) outcome() *result.Realised { return &x.p.Realised }

// axisWords are what tables and figures call an axis.
var axisWords = map[string]string{"target": "Target", "tau": "τ", "fit_records": "Records that fit", "models": "Models",
	"seed": "Seed"}

// grids are the tables of the study's grid, one for each setting that varies.
func grids(s *result.Results) (all []table.Table) {
	for i := range s.Grid {
		all = append(all, grid(s, &s.Grid[i]))
	}
	return all
}

// grid is what the policies come to along an axis, policy by policy.
func grid(s *result.Results, v *result.Varied) table.Table {
	seeds := v.Axis == "seed"
	t := table.Table{Kind: "grid-" + table.Segment(v.Axis),
		Caption: table.Words(fmt.Sprintf("What policies come to by %s, all else as the study has it.", axisInText(v.Axis)))}
	var shown, every [][]gridRow
	for _, group := range pointGroups(v) {
		var rows, data []gridRow
		for _, p := range group {
			data = append(data, gridRow{s, p})
			if !seeds || p.Mean != nil {
				rows = append(rows, gridRow{s, p})
			}
		}
		shown, every = append(shown, rows), append(every, data)
	}
	columns := gridColumns(v)
	fill(&t, columns, shown)
	t.Data = rows(columns, every)
	if seeds {
		t.Remark(table.Plain(fmt.Sprintf("Means over the seeds, with %s intervals of what is expected of a further one, by "+
			"the corrected t of Nadeau and Bengio (2003), as splits drawn by seeds share records; where the data give the "+
			"split, seeds change folds, halves and learners alone, and the interval is of these. Each holds by itself. SD: "+
			"over the seeds, no standard error. The CSV file has every seed.", percent(s.Level))))
		return t
	}
	budgetRemark(s, &t, "the rows of this table")
	if v.Axis == "fit_records" {
		t.Remark(table.Plain("All are measured on one test part. Fewer records are among more, so that the points of a " +
			"curve are not independent; costs are constants of the records that fit."))
	}
	return t
}

// axisInText names an axis in a sentence.
func axisInText(axis string) string {
	return map[string]string{"target": "target", "tau": "the threshold τ of the rule of correctness",
		"fit_records": "the number of records that fit", "models": "models", "seed": "seed"}[axis]
}

// pointGroups are the points by cascade and dataset, those of a policy next to each other. Where models vary, the
// cascade is the value, and a group is a dataset.
func pointGroups(v *result.Varied) (out [][]*result.Point) {
	key := func(p *result.Point) [2]string {
		if v.Axis == "models" {
			return [2]string{"", p.Dataset}
		}
		return [2]string{p.Cascade, p.Dataset}
	}
	for i := range v.Points {
		p := &v.Points[i]
		at := slices.IndexFunc(out, func(g []*result.Point) bool { return key(g[0]) == key(p) })
		if at < 0 {
			at, out = len(out), append(out, nil)
		}
		out[at] = append(out[at], p)
	}
	for _, group := range out {
		var policies []string
		for _, p := range group {
			if !slices.Contains(policies, p.Policy) {
				policies = append(policies, p.Policy)
			}
		}
		slices.SortStableFunc(group, func(a, b *result.Point) int {
			return slices.Index(policies, a.Policy) - slices.Index(policies, b.Policy)
		})
	}
	return out
}

// gridColumns are the columns of the table of an axis.
func gridColumns(v *result.Varied) []column[gridRow] {
	seeds := v.Axis == "seed"
	several := severalOf(v.Points, func(p *result.Point) string { return p.Cascade }) && v.Axis != "models"
	mean := func(head, field string, part func(m *result.Mean) table.Part, looks ...look) column[gridRow] {
		return number(head, field, func(x gridRow) table.Part {
			if x.p.Mean == nil {
				return noEstimate()
			}
			return part(x.p.Mean)
		}, append(looks, only(seeds))...)
	}
	columns := []column[gridRow]{
		text("Study", "study", func(x gridRow) string { return x.s.Name }, csvOnly),
		text("Cascade", "cascade", func(x gridRow) string { return x.p.Cascade }, only(several), merge, named(style.Cascade)),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x gridRow) table.Cell {
			return table.Of(table.Name(x.p.Dataset))
		}, merge, named(style.Dataset)),
		text("Policy", "policy", func(x gridRow) string { return x.p.Title }),
		text(axisWords[v.Axis], v.Axis, func(x gridRow) string { return x.p.Value }, only(!seeds), alignRight),
		number("Fit", "fit", func(x gridRow) table.Part { return count(float64(x.p.Fit)) }, exact, csvOnly),
		number("Test", "test", func(x gridRow) table.Part { return count(float64(x.p.Test)) }, exact, csvOnly),
		mean("Mean error (%)", "mean_error", func(m *result.Mean) table.Part { return percents(m.Error, 1) }),
		mean("SD", "sd_error", func(m *result.Mean) table.Part {
			return table.Num(table.Exactly(m.SD[0], 1).AsPercent())
		}, exact),
		mean("Mean cost saved (%)", "mean_cost_saved_pct", func(m *result.Mean) table.Part { return interval(m.Saved, 1) }),
		mean("SD", "sd_cost_saved_pct", func(m *result.Mean) table.Part { return table.Num(table.Exactly(m.SD[1], 1)) },
			exact),
		mean("Seeds", "seeds", func(m *result.Mean) table.Part { return count(float64(m.Seeds)) }, exact),
	}
	return append(columns, realisedColumns[gridRow](!seeds)...)
}
