package reports

import (
	"math"

	"infnet/harness/result"
	"infnet/reports/table"
)

// stageRow is a model that a policy of a chain may ask.
type stageRow struct {
	policyRow
	p     *result.Policy
	stage int
}

// stages is whom chains ask: one group per policy, the pairs that a chain contains and the chain, one row per model.
// ok is false where a study has no chains.
func stages(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "stages"}
	var list []place
	var groups [][]stageRow
	for _, p := range places(s) {
		if len(p.c.Models) < 3 {
			continue
		}
		list = append(list, p)
		for i := range p.d.Rows {
			x := policyRow{p, &p.d.Rows[i]}
			if fitted := x.fitted(); fitted != nil {
				var group []stageRow
				for k := range x.r.Asked {
					group = append(group, stageRow{x, fitted, k})
				}
				groups = append(groups, group)
			}
		}
	}
	if len(list) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("Stages of chains and of the pairs that they contain, fitted to the same budget: ",
		cascadesOf(list))
	fill(&t, stageColumns(&t, list), groups)
	t.Remark(table.Plain("A model's answer stands where its confidence is at least θ, else the next model is asked; θ " +
		"= inf asks it always, θ = 0 never; the last has no θ. Errors, cost and asked / N are of the fit part, of N " +
		"records with a budget of B errors; a query pays every model it asks. Optimal: of all thresholds within the budget " +
		"a pair's defer the fewest records, the chain's cost the least; a chain of more than three models has a bound in " +
		"its footnote instead."))
	return t, true
}

func stageColumns(t *table.Table, list []place) []column[stageRow] {
	return append(whereColumns[stageRow](t, list),
		cells(table.Words("Policy"), []string{"policy"}, func(x stageRow) table.Cell {
			cell := table.Of(table.Plain(x.r.Title))
			if infeasible(x.p) {
				cell.Mark(t.Note("infeasible", "Infeasible: no thresholds meet the budget; see the table of policies."))
			}
			for _, n := range x.r.Notes {
				if n.Kind == "descent" {
					cell.Mark(t.Note(string(n.Kind), n.Text))
				}
			}
			return cell
		}, merge),
		text("Policy id", "policy_id", func(x stageRow) string { return x.r.Policy }, csvOnly),
		cells(table.Words("Stage"), []string{"stage"}, func(x stageRow) table.Cell {
			return table.Of(table.Name(x.r.Asked[x.stage].Model))
		}),
		number("Threshold θ", "theta", func(x stageRow) table.Part {
			theta := math.NaN()
			if x.stage < len(x.p.Thresholds) {
				theta = float64(x.p.Thresholds[x.stage].Theta)
			}
			return table.Num(table.Exactly(theta, 4))
		}, exact),
		cells(table.Words("Asked / N"), []string{"fit_asked", "fit_records"}, func(x stageRow) table.Cell {
			asked := math.NaN()
			if x.stage < len(x.p.FitAsked) {
				asked = float64(x.p.FitAsked[x.stage])
			}
			return table.Of(count(asked), table.Plain(" / "), count(float64(x.d.Budget.Records)))
		}, exact, alignRight),
		number("Asked, test (%)", "asked", func(x stageRow) table.Part { return percents(x.r.Asked[x.stage].Share, 1) }),
		cells(table.Words("Errors / B"), []string{"fit_errors", "budget_errors"}, func(x stageRow) table.Cell {
			return table.Of(count(x.p.FitErrors), table.Plain(" / "), count(x.p.Budget))
		}, exact, merge, alignRight),
		number("Cost per query", "fit_cost", func(x stageRow) table.Part { return table.Num(significant(x.p.FitCost)) },
			exact, merge),
		text("Proved optimal", "optimal", func(x stageRow) string {
			return yesNo(x.p.Certificate != nil && x.p.Certificate.Optimal)
		}, merge),
		text("Feasible", "feasible", func(x stageRow) string { return yesNo(x.p.Feasible) }, csvOnly))
}
