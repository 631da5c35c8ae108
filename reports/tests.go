package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// significance is the table of paired tests of our rows against the others, and
// of the area between their curves. ok is false where nothing was tested.
func significance(s *result.Results, c *result.Cascade, f family) (t table.Table, ok bool) {
	t = table.Table{
		Caption: caption(c, fmt.Sprintf("Ours against the other policies on %s tasks: ", f.task)),
		Of:      c.Name, Kind: f.task + "-tests",
		Columns: testColumns(f),
	}
	clustered, datasets := false, 0
	for _, d := range f.datasets {
		for first := 0; first < len(d.Tests); {
			var group []table.Row
			ours := d.Tests[first].Ours
			for first < len(d.Tests) && d.Tests[first].Ours == ours {
				next := first
				for next < len(d.Tests) && d.Tests[next].Ours == ours && d.Tests[next].Baseline == d.Tests[first].Baseline {
					clustered = clustered || d.Tests[next].Clustered
					datasets = max(datasets, d.Tests[next].Datasets)
					next++
				}
				group = append(group, testRow(s, c, d, d.Tests[first:next], &t))
				first = next
			}
			t.Groups = append(t.Groups, group)
		}
	}
	if !slices.ContainsFunc(f.datasets, func(d *result.Dataset) bool { return len(d.Matched) > 0 }) {
		t.Columns[areaColumn].DataOnly = true // chains have no curves
	}
	testRemarks(s, c, &t, datasets, clustered)
	return t, len(t.Groups) > 0
}

// testColumns are the columns of the table of tests; testRow fills them.
func testColumns(f family) []table.Column {
	var metrics []string
	head := table.Text{table.Plain("Performance p ("), table.Name(strings.Join(f.metrics, " / ")), table.Plain(")")}
	cols := []table.Column{
		{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
		{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
		{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
		{Head: table.Words("Ours"), Fields: []string{"ours"}, Merge: true},
		{Head: table.Words("Against"), Fields: []string{"policy"}},
		{Head: table.Words("Ours id"), Fields: []string{"ours_id"}, DataOnly: true},
		{Head: table.Words("Against id"), Fields: []string{"policy_id"}, DataOnly: true},
		{Head: table.Words("Right alone"), Fields: []string{"only_ours", "only_baseline"}, Exact: true, Align: table.Right},
		{Head: table.Words("Correct p"), Fields: []string{"correct_p_holm", "correct_p_bh"}, Exact: true, Align: table.Right},
	}
	for _, m := range f.metrics {
		metrics = append(metrics, field(m)+"_p_holm", field(m)+"_p_bh")
	}
	cols = append(cols,
		table.Column{Head: head, Fields: metrics, Exact: true, Align: table.Center},
		table.Column{Head: table.Words("Cost p"), Fields: []string{"cost_p_holm", "cost_p_bh"}, Exact: true,
			Align: table.Right},
		table.Column{Head: table.Words("Area (points)"), Fields: []string{"area_mean_error_difference"}, Align: table.Right})
	raw := func(what string) table.Column {
		return table.Column{Head: table.Words(what), Fields: []string{what + "_difference", what + "_p"}, Exact: true,
			DataOnly: true}
	}
	cols = append(cols, raw("correct"))
	for _, m := range f.metrics {
		cols = append(cols, raw(field(m)))
	}
	return append(cols, raw("cost"))
}

// areaColumn is the index of the area in testColumns.
const areaColumn = 11

// testRow is all tests of one pair of rows.
func testRow(s *result.Results, c *result.Cascade, d *result.Dataset, tests []result.Test, t *table.Table) table.Row {
	of := func(what string) *result.Test {
		for k := range tests {
			if tests[k].What == what {
				return &tests[k]
			}
		}
		return &result.Test{P: math.NaN(), Holm: math.NaN(), BH: math.NaN(), Difference: math.NaN()}
	}
	p := func(x *result.Test) []table.Part {
		return []table.Part{table.Num(twoDigits(x.Holm)), table.Plain(" ("), table.Num(twoDigits(x.BH)), table.Plain(")")}
	}
	raw := func(x *result.Test) table.Cell {
		return table.Of(table.Num(significant(x.Difference)), table.Plain(" "), table.Num(significant(x.P)))
	}
	first, correct, paid := &tests[0], of("correct"), of("cost")
	against := table.Of(table.Plain(title(d, first.Baseline)))
	discordant := table.Of(count(math.NaN()), table.Plain(" / "), count(math.NaN()))
	if correct.Test == "mcnemar" {
		discordant = table.Of(count(float64(correct.OnlyOurs)), table.Plain(" / "), count(float64(correct.OnlyTheirs)))
	}
	var performance table.Cell
	for i, m := range d.Metrics {
		if i > 0 {
			performance.Text = append(performance.Text, table.Plain(" / "))
		}
		performance.Text = append(performance.Text, p(of(m))...)
	}
	area := table.Of(table.Num(table.Exactly(math.NaN(), 2)))
	for _, m := range d.Matched {
		if m.Ours == first.Ours && m.Baseline == first.Baseline {
			area = table.Of(percents(m.Area.Mean, 2))
		}
	}
	row := table.Row{
		table.Of(table.Plain(s.Name)), table.Of(table.Plain(c.Name)), table.Of(table.Name(d.Name)),
		table.Of(table.Plain(title(d, first.Ours))), against, table.Of(table.Plain(first.Ours)),
		table.Of(table.Plain(first.Baseline)),
		discordant, table.Of(p(correct)...), performance, table.Of(p(paid)...), area, raw(correct),
	}
	for _, m := range d.Metrics {
		row = append(row, raw(of(m)))
	}
	return append(row, raw(paid))
}

// twoDigits is how p-values are printed.
func twoDigits(v float64) table.Number { return table.Number{Value: v, Significant: 2} }

// testRemarks say how to read the table.
func testRemarks(s *result.Results, c *result.Cascade, t *table.Table, datasets int, clustered bool) {
	correct := "exact McNemar, records taken as independent"
	if clustered {
		correct = "exact McNemar; where records share a source, sign flips by source"
	}
	if slices.ContainsFunc(c.Datasets, func(d result.Dataset) bool { return d.Soft }) {
		correct += "; where errors are soft, sign flips of 1 − error"
	}
	t.Remark(table.Plain(fmt.Sprintf("Paired tests on the test part, two-sided, of rows with their own thresholds: a "+
		"policy that errs less may have cost more. Right alone: records that only ours has right / only the other; "+
		"correct: %s. Performance: random sign flips of the difference per record (F1, BLEU and chrF: exchanging the two "+
		"answers, and none against coins, whose expectation is tested); cost: sign flips of what each query "+
		"paid, and a test of the mean, with no small p where few queries carry the difference; %d permutations, so that no "+
		"p is below %.1g.", correct,
		infer.Permutations, 1./(infer.Permutations+1))))
	if datasets > 1 {
		t.Remark(table.Plain(fmt.Sprintf("Each p is Holm's, adjusted for asking the same of up to %d datasets, with "+
			"Benjamini and Hochberg's in parentheses; not adjusted for the number of policies.", datasets)))
	} else {
		t.Remark(table.Plain("Holm's and, in parentheses, Benjamini and Hochberg's adjustments change nothing here: no " +
			"question is asked of two datasets. Not adjusted for the number of policies."))
	}
	for _, d := range c.Datasets {
		if len(d.Matched) > 0 {
			t.Remark(table.Plain(fmt.Sprintf("Area: that between the two cost–error curves, as the mean difference of errors "+
				"(ours minus the other's) at equal savings from 0 %% to what the student alone saves, with a paired %s "+
				"interval; n/a where a policy has no curve.", percent(s.Level))))
			return
		}
	}
}
