package reports

import (
	"fmt"
	"math"
	"slices"

	"infnet/harness/result"
	"infnet/reports/table"
)

func repeats(s *result.Results) (t table.Table) {
	type row = fact[result.Repeated]
	list, groups := gather(s, func(p place) []result.Repeated {
		if p.d.Repeats == nil {
			return nil
		}
		return p.d.Repeats.Rows
	})
	if len(list) == 0 {
		return t
	}
	t = table.Table{Kind: "repeats", Caption: cascadesCaption("Policies over repeated splits: ", list)}
	names, same := metricsOf(list)
	spread := func(head, field string, decimals int, percent bool, of func(r *result.Repeated) result.Spread,
		looks ...look) column[row] {
		return number(head, field+"_mean "+field+"_sd", func(x row) table.Text {
			return around(of(x.r), decimals, percent)
		}, append(looks, exact)...)
	}
	columns := append(whereColumns[row](&t, list),
		text("Policy", "policy", func(x row) string { return x.r.Title }),
		text("Policy id", "policy_id", func(x row) string { return x.r.Policy }, csvOnly),
		text(performanceHead(names, same), "", func(x row) table.Text {
			return eachMetric(x.d, func(m string) []table.Part { return around(x.r.Metrics[m], 3, false) })
		}, center))
	for _, m := range names {
		columns = append(columns, spread(m, field(m), 3, false, func(r *result.Repeated) result.Spread {
			if v, ok := r.Metrics[m]; ok {
				return v
			}
			return result.Spread{Mean: math.NaN(), SD: math.NaN()}
		}, csvOnly))
	}
	fill(&t, append(columns,
		spread("Cost Saved (%)", "cost_saved_pct", 2, false, func(r *result.Repeated) result.Spread { return r.Saved }),
		spread("Error (%)", "error", 1, true, func(r *result.Repeated) result.Spread { return r.Error }),
		spread("Deferred (%)", "deferred", 1, true, func(r *result.Repeated) result.Spread { return r.Deferred }),
		number("Splits", "splits", func(x row) int { return x.d.Repeats.Count }, exact)), groups, nil)
	t.Remark(table.Plain(fmt.Sprintf("After the ± stands the standard deviation over %d splits of the same answers, each "+
		"fitted anew (thresholds, calibrators, costs, and whatever learns) and measured on its own test part. The splits "+
		"share records, so that it is not a standard error and no interval: it does not shrink with more splits. All other "+
		"tables are of the first split; the sufficiency test is not repeated.", list[0].d.Repeats.Count)))
	return t
}

// around writes mean ± standard deviation.
func around(v result.Spread, decimals int, percent bool) table.Text {
	of := exactly
	if percent {
		of = exactPercent
	}
	return table.Text{of(v.Mean, decimals), table.Plain(" ± "), of(v.SD, decimals)}
}

type stageRow struct {
	policyRow
	p     *result.Policy
	stage int
}

// stages is whom chains ask: one group per policy, the pairs that a chain contains and the chain, one row per model.
func stages(s *result.Results) (t table.Table) {
	list := slices.DeleteFunc(places(s), func(p place) bool { return len(p.c.Models) < 3 })
	if len(list) == 0 {
		return t
	}
	var groups [][]stageRow
	for _, p := range list {
		for _, x := range factsOf(p, p.d.Rows) {
			var group []stageRow
			if fitted := fittedFor(p.d, x.r.Policy); fitted != nil {
				for k := range x.r.Asked {
					group = append(group, stageRow{x, fitted, k})
				}
			}
			groups = append(groups, group)
		}
	}
	t = table.Table{Kind: "stages",
		Caption: cascadesCaption("Stages of chains and of the pairs that they contain, fitted to the same budget: ", list)}
	fill(&t, append(whereColumns[stageRow](&t, list),
		text("Policy", "policy", func(x stageRow) table.Cell {
			cell := table.Of(table.Plain(x.r.Title))
			if infeasible(x.p) {
				cell.Mark(t.Note("infeasible", "Infeasible: no thresholds meet the budget; see the table of policies."))
			}
			return cell
		}, merge),
		text("Policy id", "policy_id", func(x stageRow) string { return x.r.Policy }, csvOnly),
		text("Stage", "stage", func(x stageRow) table.Part { return table.Name(x.r.Asked[x.stage].Model) }),
		number("Threshold θ", "theta", func(x stageRow) table.Part {
			if x.stage < len(x.p.Thresholds) {
				return exactly(float64(x.p.Thresholds[x.stage].Theta), 4)
			}
			return none
		}, exact),
		number("Asked / N", "fit_asked fit_records", func(x stageRow) table.Cell {
			asked := math.NaN()
			if x.stage < len(x.p.FitAsked) {
				asked = float64(x.p.FitAsked[x.stage])
			}
			return table.Of(count(asked), table.Plain(" / "), count(float64(x.d.Budget.Records)))
		}, exact),
		number("Asked, test (%)", "asked", func(x stageRow) table.Part { return percents(x.r.Asked[x.stage].Share, 1) }),
		number("Errors / B", "fit_errors budget_errors", func(x stageRow) table.Cell {
			return table.Of(count(x.p.FitErrors), table.Plain(" / "), count(x.p.Budget))
		}, exact, merge),
		number("Cost per query", "fit_cost", func(x stageRow) table.Number { return significant(x.p.FitCost) }, exact,
			merge),
		text("Proved optimal", "optimal", func(x stageRow) bool {
			return x.p.Certificate != nil && x.p.Certificate.Optimal
		}, merge),
		text("Feasible", "feasible", func(x stageRow) bool { return x.p.Feasible }, csvOnly)), groups, nil)
	t.Remark(table.Plain("A model's answer stands where its confidence is at least θ, else the next model is asked; θ " +
		"= inf asks it always, θ = 0 never; the last has no θ. Errors, cost and asked / N are of the fit part, of N " +
		"records with a budget of B errors; a query pays every model it asks. Optimal: of all thresholds within the budget " +
		"a pair's defer the fewest records, the chain's cost the least."))
	return t
}
