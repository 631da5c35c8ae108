package reports

import (
	"fmt"

	"infnet/harness/result"
	"infnet/reports/table"
)

// compared is the table of other solvers and forms next to the exact thresholds:
// what they do on the fit part, where the exact ones are optimal, and on the
// test part. ok is false where the study compares nothing.
func compared(s *result.Results, c *result.Cascade) (t table.Table, ok bool) {
	t = table.Table{
		Caption: caption(c, "Other ways to find a policy, beside the exact thresholds: "),
		Of:      c.Name, Kind: "compared",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Policy"), Fields: []string{"policy"}},
			{Head: table.Words("Policy id"), Fields: []string{"policy_id"}, DataOnly: true},
			{Head: table.Words("Fit errors / B"), Fields: []string{"fit_errors", "budget_errors"}, Exact: true,
				Align: table.Right},
			{Head: table.Words("Fit deferred / exact"), Fields: []string{"fit_deferred", "exact_deferred"}, Exact: true,
				Align: table.Right},
			{Head: table.Words("Budget met"), Fields: []string{"budget_met"}},
			{Head: table.Words("Test error (%)"), Fields: []string{"error"}, Align: table.Right},
			{Head: table.Words("Test deferred (%)"), Fields: []string{"deferred"}, Align: table.Right},
			{Head: table.Words("Cost Saved (%)"), Fields: []string{"cost_saved_pct"}, Align: table.Right},
		},
	}
	for i := range c.Datasets {
		d := &c.Datasets[i]
		var group []table.Row
		for j := range d.Rows {
			if r := &d.Rows[j]; r.Compared != nil {
				group = append(group, comparedRow(s, c, d, r, &t))
			}
		}
		if len(group) > 0 {
			t.Groups = append(t.Groups, group)
		}
	}
	estimates(&t, all(c))
	if byCost(c) {
		t.Columns[fitObjective] = table.Column{Head: table.Words("Fit cost / exact"),
			Fields: []string{"fit_cost", "exact_cost"}, Exact: true, Align: table.Right}
		t.Remark(table.Plain(fmt.Sprintf("Fit cost: what the master costs on the deferred records of the fit part, in %s. "+
			"The exact thresholds have the least of any thresholds within the budget of B errors; a method that has less "+
			"misses the budget, or is not of that form.", objectiveUnit(c))))
		return t, len(t.Groups) > 0
	}
	t.Remark(table.Plain("On the fit part the exact thresholds defer the fewest records that any thresholds within the " +
		"budget of B errors can; a method that defers fewer misses the budget, or is not of that form."))
	return t, len(t.Groups) > 0
}

// fitObjective is the index of the column of what the policies minimise.
const fitObjective = 6

func comparedRow(s *result.Results, c *result.Cascade, d *result.Dataset, r *result.Row, t *table.Table) table.Row {
	policy := table.Of(table.Plain(r.Title))
	for _, n := range rowNotes(c, d, r) {
		if n.Kind != "own-cost" {
			policy.Mark(t.Note(string(n.Kind), n.Text))
		}
	}
	fit := table.Of(count(r.Compared.Deferred), table.Plain(" / "), count(float64(r.Compared.Exact)))
	if byCost(c) {
		fit = table.Of(objective(c, r.Compared.Cost), table.Plain(" / "), objective(c, r.Compared.ExactCost))
	}
	return table.Row{
		table.Of(table.Plain(s.Name)),
		table.Of(table.Plain(c.Name)),
		table.Of(table.Name(d.Name)),
		policy,
		table.Of(table.Plain(r.Policy)),
		table.Of(count(r.Compared.Errors), table.Plain(" / "), count(d.Budget.Errors)),
		fit,
		table.Of(table.Plain(yesNo(r.Compared.Met))),
		table.Of(table.Num(table.Estimated(r.Error.Value, r.Error.Low, r.Error.High, 1).AsPercent())),
		table.Of(table.Num(table.Estimated(r.Deferred.Value, r.Deferred.Low, r.Deferred.High, 1).AsPercent())),
		table.Of(table.Num(table.Estimated(r.Saved.Value, r.Saved.Low, r.Saved.High, 2))),
	}
}
