package reports

import (
	"fmt"
	"math"

	"infnet/harness/result"
	"infnet/reports/table"
)

// repeatedRow is a policy over repeated splits.
type repeatedRow struct {
	place
	r *result.Repeated
}

// repeats is what policies come to over repeated splits. ok is false where a study has one split.
func repeats(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "repeats"}
	var list []place
	var groups [][]repeatedRow
	for _, p := range places(s) {
		if p.d.Repeats == nil || len(p.d.Repeats.Rows) == 0 {
			continue
		}
		var group []repeatedRow
		for k := range p.d.Repeats.Rows {
			group = append(group, repeatedRow{p, &p.d.Repeats.Rows[k]})
		}
		list, groups = append(list, p), append(groups, group)
	}
	if len(list) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("Policies over repeated splits: ", cascadesOf(list))
	names, same := metricsOf(list)
	spread := func(head, field string, decimals int, percent bool, of func(r *result.Repeated) result.Spread,
		looks ...look) column[repeatedRow] {
		return cells(table.Words(head), []string{field + "_mean", field + "_sd"}, func(x repeatedRow) table.Cell {
			return table.Of(around(of(x.r), decimals, percent)...)
		}, append(looks, exact, alignRight)...)
	}
	columns := append(whereColumns[repeatedRow](&t, list),
		text("Policy", "policy", func(x repeatedRow) string { return x.r.Title }),
		text("Policy id", "policy_id", func(x repeatedRow) string { return x.r.Policy }, csvOnly),
		cells(performanceHead(names, same), nil, func(x repeatedRow) (cell table.Cell) {
			for i, m := range x.d.Metrics {
				if i > 0 {
					cell.Text = append(cell.Text, table.Plain(" / "))
				}
				cell.Text = append(cell.Text, around(x.r.Metrics[m], 3, false)...)
			}
			return cell
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
		number("Splits", "splits", func(x repeatedRow) table.Part { return count(float64(x.d.Repeats.Count)) }, exact)),
		groups)
	t.Remark(table.Plain(fmt.Sprintf("After the ± stands the standard deviation over %d splits of the same answers, each "+
		"fitted anew (thresholds, calibrators, costs, and whatever learns) and measured on its own test part. The splits "+
		"share records, so that it is not a standard error and no interval: it does not shrink with more splits. All other "+
		"tables are of the first split; the sufficiency test is not repeated.", list[0].d.Repeats.Count)))
	return t, true
}

// around writes mean ± standard deviation.
func around(v result.Spread, decimals int, percent bool) []table.Part {
	mean, sd := table.Exactly(v.Mean, decimals), table.Exactly(v.SD, decimals)
	if percent {
		mean, sd = mean.AsPercent(), sd.AsPercent()
	}
	return []table.Part{table.Num(mean), table.Plain(" ± "), table.Num(sd)}
}
