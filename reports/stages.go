package reports

import (
	"math"

	"infnet/harness/result"
	"infnet/reports/table"
)

// stages is the table of thresholds of a chain: one group per
// policy, the pairs it contains and the chain, one row per model it may ask.
func stages(s *result.Results, c *result.Cascade) table.Table {
	t := table.Table{
		Caption: caption(c, "Stages of the chain and of the pairs it contains, fitted to the same budget: "),
		Of:      c.Name, Kind: "stages",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Policy"), Fields: []string{"policy"}, Merge: true},
			{Head: table.Words("Policy id"), Fields: []string{"policy_id"}, DataOnly: true},
			{Head: table.Words("Stage"), Fields: []string{"stage"}},
			{Head: table.Words("Threshold θ"), Fields: []string{"theta"}, Exact: true, Align: table.Right},
			{Head: table.Words("Asked / N"), Fields: []string{"fit_asked", "fit_records"}, Exact: true, Align: table.Right},
			{Head: table.Words("Asked, test (%)"), Fields: []string{"asked"}, Align: table.Right},
			{Head: table.Words("Errors / B"), Fields: []string{"fit_errors", "budget_errors"}, Merge: true, Exact: true,
				Align: table.Right},
			{Head: table.Words("Cost per query"), Fields: []string{"fit_cost"}, Merge: true, Exact: true, Align: table.Right},
			{Head: table.Words("Proved optimal"), Fields: []string{"optimal"}, Merge: true},
			{Head: table.Words("Feasible"), Fields: []string{"feasible"}, DataOnly: true},
		},
	}
	for i := range c.Datasets {
		d := &c.Datasets[i]
		for j := range d.Policies {
			t.Groups = append(t.Groups, stagesGroup(s, c, d, &d.Policies[j], &t))
		}
	}
	t.Remark(table.Plain("A model's answer stands where its confidence is at least θ, else the next model is asked; θ "+
		"= inf asks it always, θ = 0 never; the last has no θ. Errors, cost and asked / N are of the fit part, of N "+
		"records with a budget of B errors; a query pays every model it asks."),
		table.Plain(" Optimal: of all thresholds within the budget a pair's defer the fewest records, the chain's cost "+
			"the least; a chain of more than three models has a bound in its footnote instead."))
	estimates(&t, all(c))
	return t
}

// stagesGroup is one policy.
func stagesGroup(s *result.Results, c *result.Cascade, d *result.Dataset, p *result.Policy,
	t *table.Table) []table.Row {
	policy := table.Of(table.Plain(title(d, p.Policy)))
	if infeasible(p) {
		policy.Mark(t.Note("infeasible", "Infeasible: no thresholds meet the budget; see the table of policies."))
	}
	for _, n := range notesOf(d, p.Policy) {
		if n.Kind == "descent" {
			policy.Mark(t.Note(string(n.Kind), n.Text))
		}
	}
	optimal := "no"
	if p.Certificate != nil {
		optimal = yesNo(p.Certificate.Optimal)
	}
	var group []table.Row
	for k, asked := range askedOf(d, p.Policy) {
		theta, records := math.NaN(), math.NaN()
		if k < len(p.Thresholds) {
			theta = float64(p.Thresholds[k].Theta)
		}
		if k < len(p.FitAsked) {
			records = float64(p.FitAsked[k])
		}
		v := asked.Share
		group = append(group, table.Row{
			table.Of(table.Plain(s.Name)),
			table.Of(table.Plain(c.Name)),
			table.Of(table.Name(d.Name)),
			policy,
			table.Of(table.Plain(p.Policy)),
			table.Of(table.Name(asked.Model)),
			table.Of(table.Num(table.Exactly(theta, 4))),
			table.Of(count(records), table.Plain(" / "), count(float64(d.Budget.Records))),
			table.Of(table.Num(table.Estimated(v.Value, v.Low, v.High, 1).AsPercent())),
			table.Of(count(p.FitErrors), table.Plain(" / "), count(p.Budget)),
			table.Of(table.Num(significant(p.FitCost))),
			table.Of(table.Plain(optimal)),
			table.Of(table.Plain(yesNo(p.Feasible))),
		})
	}
	return group
}

// notesOf are the notes of a policy's row.
func notesOf(d *result.Dataset, policy string) []result.Note {
	for _, r := range d.Rows {
		if r.Policy == policy {
			return r.Notes
		}
	}
	return nil
}

// askedOf is which models a policy's row may ask, in this order.
func askedOf(d *result.Dataset, policy string) []result.Asked {
	for _, r := range d.Rows {
		if r.Policy == policy {
			return r.Asked
		}
	}
	return nil
}
