package reports

import (
	"fmt"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// gridRow is a policy at one value of an axis.
type gridRow struct {
	s *result.Results
	*result.Point
}

func (x gridRow) outcome() *result.Realised { return &x.Realised }

// axisWords are what tables call an axis, in a head and in a sentence.
var axisWords = map[string][2]string{"target": {"Target", "target"},
	"tau":         {"τ", "the threshold τ of the rule of correctness"},
	"fit_records": {"Records that fit", "the number of records that fit"}, "models": {"Models", "models"},
	"seed": {"Seed", "seed"}}

// grid is what policies come to along an axis of the study's grid, policy by policy.
func grid(s *result.Results, v *result.Varied) table.Table {
	t := table.Table{Kind: "grid-" + table.Segment(v.Axis),
		Caption: table.Words(fmt.Sprintf("What policies come to by %s, all else as the study has it.", axisWords[v.Axis][1]))}
	models := v.Axis == "models"
	var groups [][]gridRow
	for _, points := range result.Chunks(v.Points, func(p *result.Point) string {
		if models {
			return p.Dataset
		}
		return p.Cascade + "/" + p.Dataset
	}) {
		var group []gridRow
		for i := range points {
			group = append(group, gridRow{s, &points[i]})
		}
		groups = append(groups, group)
	}
	several := !models && len(result.Chunks(v.Points, func(p *result.Point) string { return p.Cascade })) > 1
	fill(&t, append([]column[gridRow]{
		text("Study", "study", func(x gridRow) string { return x.s.Name }, csvOnly),
		text("Cascade", "cascade", func(x gridRow) string { return x.Cascade }, only(several), merge, named(style.Cascade)),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x gridRow) table.Cell {
			return table.Of(table.Name(x.Dataset))
		}, merge, named(style.Dataset)),
		text("Policy", "policy", func(x gridRow) string { return x.Title }),
		text(axisWords[v.Axis][0], v.Axis, func(x gridRow) string { return x.Value }, alignRight),
		number("Fit", "fit", func(x gridRow) table.Part { return count(float64(x.Fit)) }, exact, csvOnly),
		number("Test", "test", func(x gridRow) table.Part { return count(float64(x.Test)) }, exact, csvOnly),
	}, realisedColumns[gridRow]()...), groups)
	budgetRemark(s, &t, "the rows of this table")
	switch v.Axis {
	case "fit_records":
		t.Remark(table.Plain("All are measured on one test part. Fewer records are among more, so that the points of a " +
			"curve are not independent; costs are constants of the records that fit."))
	case "seed":
		t.Remark(table.Plain("The intervals of the means are of what is expected of a further seed: the corrected t of " +
			"Nadeau and Bengio (2003), as splits drawn by seeds share records. Where the data give the split, seeds change " +
			"folds, halves and learners alone, and the interval is of these: a budget is then kept or broken where all seeds " +
			"say so."))
	}
	return t
}
