package reports

import (
	"fmt"

	"infnet/harness/result"
	"infnet/reports/table"
)

// repeats is the table of policies over repeated splits: mean ± standard
// deviation. ok is false where the study has one split.
func repeats(s *result.Results, c *result.Cascade, f family) (t table.Table, ok bool) {
	number := func(head, field string) table.Column {
		return table.Column{Head: table.Words(head), Fields: []string{field + "_mean", field + "_sd"}, Exact: true,
			Align: table.Right}
	}
	performance := policyColumns(f)[5]
	var fields []string
	for _, name := range performance.Fields {
		fields = append(fields, name+"_mean", name+"_sd")
	}
	performance.Fields, performance.Exact = fields, true
	t = table.Table{
		Caption: caption(c, fmt.Sprintf("Policies on %s tasks over repeated splits, mean ± standard deviation, %s "+
			"setting, target %s: ", f.task, c.Setting, c.Target)),
		Of: c.Name, Kind: f.task + "-repeats",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Policy"), Fields: []string{"policy"}},
			{Head: table.Words("Policy id"), Fields: []string{"policy_id"}, DataOnly: true},
			performance,
			number("Cost Saved (%)", "cost_saved_pct"),
			number("Error (%)", "error"),
			number("Deferred (%)", "deferred"),
			{Head: table.Words("Splits"), Fields: []string{"splits"}, DataOnly: true, Exact: true},
		},
	}
	for _, d := range f.datasets {
		if d.Repeats == nil {
			continue
		}
		var group []table.Row
		for k := range d.Repeats.Rows {
			r := &d.Repeats.Rows[k]
			var scores table.Cell
			for i, m := range d.Metrics {
				if i > 0 {
					scores.Text = append(scores.Text, table.Plain(" / "))
				}
				scores.Text = append(scores.Text, around(r.Metrics[m], 3, false)...)
			}
			group = append(group, table.Row{
				table.Of(table.Plain(s.Name)), table.Of(table.Plain(c.Name)), table.Of(table.Name(d.Name)),
				table.Of(table.Plain(r.Title)), table.Of(table.Plain(r.Policy)), scores,
				table.Of(around(r.Saved, 2, false)...), table.Of(around(r.Error, 1, true)...),
				table.Of(around(r.Deferred, 1, true)...),
				table.Of(count(float64(d.Repeats.Count))),
			})
		}
		if len(group) > 0 {
			group[0][2].Mark(t.Note("splits", fmt.Sprintf("%d splits.", d.Repeats.Count)))
			t.Groups = append(t.Groups, group)
		}
	}
	t.Remark(table.Plain("After the ± stands the standard deviation over the splits, of the same answers, each fitted " +
		"anew (thresholds, calibrators, costs, and whatever learns) and measured on its own test part. The splits share " +
		"records, so that it is not a standard error and no interval: it does not shrink with more splits. All other " +
		"tables are of the first split; the sufficiency test is not repeated."))
	estimates(&t, f.datasets)
	return t, len(t.Groups) > 0
}

// around writes mean ± standard deviation.
func around(v result.Spread, decimals int, percent bool) []table.Part {
	mean, sd := table.Exactly(v.Mean, decimals), table.Exactly(v.SD, decimals)
	if percent {
		mean, sd = mean.AsPercent(), sd.AsPercent()
	}
	return []table.Part{table.Num(mean), table.Plain(" ± "), table.Num(sd)}
}
