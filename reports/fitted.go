package reports

import (
	"fmt"
	"math"

	"infnet/harness/policy"
	"infnet/harness/result"
	"infnet/reports/table"
)

// fitted is the table of what was fitted: thresholds, how they do on the fit
// part against the budget, and what is proved about them. One group per
// fitted policy, one row per threshold.
func fitted(s *result.Results, c *result.Cascade) table.Table {
	t := table.Table{
		Caption: caption(c, "Fitted thresholds: "),
		Of:      c.Name, Kind: "fitted",
		Columns: []table.Column{
			{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
			{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
			{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
			{Head: table.Words("Policy"), Fields: []string{"policy"}, Merge: true},
			{Head: table.Words("Class"), Fields: []string{"class"}},
			{Head: table.Words("Threshold θ"), Fields: []string{"theta"}, Exact: true, Align: table.Right},
			{Head: table.Words("Errors / B"), Fields: []string{"fit_errors", "budget_errors"}, Merge: true, Exact: true,
				Align: table.Right},
			{Head: table.Words("Deferred / N"), Fields: []string{"fit_deferred", "fit_records"}, Merge: true, Exact: true,
				Align: table.Right},
			{Head: table.Words("Method"), Fields: []string{"method"}, Merge: true},
			{Head: table.Words("Gap"), Fields: []string{"gap"}, Merge: true, Exact: true, Align: table.Right},
			{Head: table.Words("Least errors"), Fields: []string{"min_errors"}, Exact: true, DataOnly: true},
			{Head: table.Words("Lower bound"), Fields: []string{"lower_bound"}, Exact: true, DataOnly: true},
			{Head: table.Words("Unit of gap and bound"), Fields: []string{"objective_unit"}, DataOnly: true},
			{Head: table.Words("Proved optimal"), Fields: []string{"optimal"}, DataOnly: true},
			{Head: table.Words("Feasible"), Fields: []string{"feasible"}, DataOnly: true},
		},
	}
	for i := range c.Datasets {
		d := &c.Datasets[i]
		for j := range d.Policies {
			t.Groups = append(t.Groups, fittedGroup(s, c, d, &d.Policies[j], &t))
		}
	}
	t.Remark(table.Plain("The student's answer is accepted where its confidence is at least θ; θ = inf defers always, "+
		"θ = 0 never. Errors and deferrals are of the fit part, of N records with a budget of B errors."),
		table.Plain(gapWords(c)))
	for i := range c.Datasets {
		if d := &c.Datasets[i]; d.Form.Text != "" {
			t.Remark(table.Name(d.Name), table.Plain(": "+d.Form.Text))
		}
	}
	return t
}

// fittedGroup is one fitted policy.
func fittedGroup(s *result.Results, c *result.Cascade, d *result.Dataset, p *result.Policy,
	t *table.Table) []table.Row {
	thresholds := p.Thresholds
	if len(thresholds) == 0 {
		thresholds = []result.Threshold{{Class: "no thresholds", Theta: result.Float(math.NaN())}}
	}
	named := table.Of(table.Plain(title(d, p.Policy)))
	switch {
	case infeasible(p):
		named.Mark(t.Note("infeasible", "Infeasible: no thresholds meet the budget; see the table of policies."))
	case !p.Feasible:
		named.Mark(t.Note("budget-missed", "Misses the budget on the fit part, though it can be met."))
	}
	gap, bound, optimal := math.NaN(), math.NaN(), "no"
	if k := p.Certificate; k != nil {
		gap, bound, optimal = k.Gap, k.LowerBound, yesNo(k.Optimal)
	}
	var group []table.Row
	for _, th := range thresholds {
		class := th.Class
		if class == "" {
			class = "all"
		}
		group = append(group, table.Row{
			table.Of(table.Plain(s.Name)),
			table.Of(table.Plain(c.Name)),
			table.Of(table.Name(d.Name)),
			named,
			table.Of(table.Plain(short(class))),
			table.Of(table.Num(table.Exactly(float64(th.Theta), 4))),
			table.Of(count(p.FitErrors), table.Plain(" / "), count(p.Budget)),
			table.Of(count(float64(p.FitDeferred)), table.Plain(" / "), count(float64(d.Budget.Records))),
			table.Of(table.Plain(p.Method)),
			table.Of(objective(c, gap)),
			table.Of(count(p.MinErrors)),
			table.Of(objective(c, bound)),
			table.Of(table.Plain(objectiveUnit(c))),
			table.Of(table.Plain(optimal)),
			table.Of(table.Plain(yesNo(p.Feasible))),
		})
	}
	return group
}

// byCost reports whether thresholds minimise the cost of the deferred records,
// not their number.
func byCost(c *result.Cascade) bool { return policy.Objective(c.Objective).Summed() }

// gapWords say what a gap is.
func gapWords(c *result.Cascade) string {
	saved := "the most deferrals"
	if byCost(c) {
		what := "cost"
		if c.Objective == string(policy.Latency) {
			what = "time"
		}
		saved = fmt.Sprintf("the most of the master's %s on deferred records, in %s,", what, objectiveUnit(c))
	}
	return fmt.Sprintf(" Gap: %s that any thresholds within the budget could save over these; 0 is proved optimal, "+
		"n/a: nothing is proved.", saved)
}

// objectiveUnit is what thresholds minimise is counted in.
func objectiveUnit(c *result.Cascade) string {
	if !byCost(c) {
		return "records"
	}
	if c.Objective == string(policy.Latency) {
		return "seconds"
	}
	return costUnitWords(c)
}

// objective prints a number in the objective's unit.
func objective(c *result.Cascade, v float64) table.Part {
	if byCost(c) {
		return table.Num(significant(v))
	}
	return count(v)
}

// title is a row's title, or the policy's identifier where it has no row.
func title(d *result.Dataset, policy string) string {
	for _, r := range d.Rows {
		if r.Policy == policy && r.Title != "" {
			return r.Title
		}
	}
	return policy
}
