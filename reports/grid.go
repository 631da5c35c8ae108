package reports

import (
	"fmt"
	"slices"

	"infnet/harness/result"
	"infnet/reports/table"
)

func realisedColumns[T any](of func(x T) *result.Realised) []column[T] {
	return []column[T]{
		text("Policy id", "policy_id", func(x T) string { return of(x).Policy }, csvOnly),
		number("Error (%)", "error", func(x T) table.Part { return percents(of(x).Error, 1) }),
		number("Allowed (%)", "allowed", func(x T) table.Part { return exactPercent(of(x).Allowed, 1) }, exact),
		number("Error − budget", "excess", func(x T) table.Part { return percents(of(x).Excess, 1) }),
		text("Budget", "budget", func(x T) result.Kept { return of(x).Budget }),
		number("Cost Saved (%)", "cost_saved_pct", func(x T) table.Part { return interval(of(x).Saved, 1) }),
		number("Deferred (%)", "deferred", func(x T) table.Part { return exactPercent(of(x).Deferred, 1) }, exact),
		text("Certified", "certified", func(x T) bool { return of(x).Certified }, csvOnly),
	}
}

func budgetRemark(s *result.Results, t *table.Table, over string) {
	t.Remark(table.Plain(fmt.Sprintf("Allowed: what the error budget stands for on these test records: where the target "+
		"names a model, that model's error on them (best: of the one that errs least on their fit part), else the number; a "+
		"guarantee adds its margin. The budget is kept or broken where the interval of the error less what is allowed says "+
		"so, else open. The %s intervals of these differences hold together over %s (Bonferroni), those of errors and "+
		"savings each by itself. Savings are of the master's cost on the same records.", percent(s.Level), over)))
}

type gridRow struct{ *result.Point }

var axisWords = map[string][2]string{"target": {"Target", "target"},
	"tau":         {"τ", "the threshold τ of the rule of correctness"},
	"fit_records": {"Records that fit", "the number of records that fit"},
	"seed":        {"Seed", "seed"}}

// grid is what policies come to along an axis of the study's grid, policy by policy.
func grid(s *result.Results, v *result.Varied) table.Table {
	t := table.Table{Kind: "grid-" + table.Segment(v.Axis),
		Caption: table.Words(fmt.Sprintf("What policies come to by %s, all else as the study has it.", axisWords[v.Axis][1]))}
	var groups [][]gridRow
	for _, points := range result.Chunks(v.Points, func(p *result.Point) string {
		return p.Cascade + "/" + p.Dataset
	}) {
		var group []gridRow
		for i := range points {
			group = append(group, gridRow{&points[i]})
		}
		groups = append(groups, group)
	}
	several := len(result.Chunks(v.Points, func(p *result.Point) string { return p.Cascade })) > 1
	fill(&t, append([]column[gridRow]{
		text("Study", "study", func(gridRow) string { return s.Name }, csvOnly),
		text("Cascade", "cascade", func(x gridRow) string { return x.Cascade }, only(several), merge),
		text("Dataset", "dataset", func(x gridRow) table.Part { return table.Name(x.Dataset) }, merge),
		text("Policy", "policy", func(x gridRow) string { return x.Title }),
		number(axisWords[v.Axis][0], v.Axis, func(x gridRow) string { return x.Value }),
		number("Fit", "fit", func(x gridRow) int { return x.Fit }, exact, csvOnly),
		number("Test", "test", func(x gridRow) int { return x.Test }, exact, csvOnly),
	}, realisedColumns(func(x gridRow) *result.Realised { return &x.Realised })...), groups, nil)
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

// mostDomains is the number of domains up to which a table has a row for each pair of them. Of more it has a row for
// each that is fitted on, and CSV files have the pairs.
const mostDomains = 6

type transferRow struct {
	t *result.Transferred
	*result.Cell
}

// transfers is what policies that are fitted on one domain come to on every other.
func transfers(s *result.Results) (t table.Table) {
	if len(s.Transfer) == 0 {
		return t
	}
	many := slices.ContainsFunc(s.Transfer, func(x result.Transferred) bool { return len(x.Domains) > mostDomains })
	var groups [][]transferRow
	for i := range s.Transfer {
		for _, cells := range result.Chunks(s.Transfer[i].Cells, func(c *result.Cell) string { return c.Policy }) {
			var group []transferRow
			for k := range cells {
				group = append(group, transferRow{&s.Transfer[i], &cells[k]})
			}
			groups = append(groups, group)
		}
	}
	by := "dataset"
	if s.Transfer[0].Dataset != "" {
		by = "value of the column " + s.Transfer[0].By
	}
	t = table.Table{Kind: "transfer", Caption: table.Words("Policies fitted on the fit part of one " + by +
		" and used on the test part of another.")}
	fill(&t, transferColumns(&t, s, many), groups, func(x transferRow) bool { return !many || x.FittedOn == x.UsedOn })
	budgetRemark(s, &t, "all pairs of one cascade and dataset")
	if many {
		t.Remark(table.Plain("Shown is each policy on the domain that it was fitted on, and on how many others its budget " +
			"is broken, open and kept; the CSV file has every pair."))
	}
	return t
}

func transferColumns(t *table.Table, s *result.Results, many bool) []column[transferRow] {
	cascades := result.Chunks(s.Transfer, func(x *result.Transferred) string { return x.Cascade })
	domain := func(x transferRow, name string) *result.Domain {
		return &x.t.Domains[slices.IndexFunc(x.t.Domains, func(d result.Domain) bool { return d.Name == name })]
	}
	return append(append([]column[transferRow]{
		text("Study", "study", func(transferRow) string { return s.Name }, csvOnly),
		text("Cascade", "cascade", func(x transferRow) string { return x.t.Cascade }, only(len(cascades) > 1), merge),
		text("Dataset", "dataset", func(x transferRow) string { return x.t.Dataset }, only(s.Transfer[0].Dataset != ""),
			merge),
		text("Policy", "policy", func(x transferRow) table.Cell {
			cell := table.Of(table.Plain(x.Title))
			if x.Certified && (many || x.FittedOn != x.UsedOn) {
				cell.Mark(t.Note("transferred-promise", "The promise is about records drawn as those that it was fitted on. "+
					"Records of another domain are others: of them it says nothing."))
			}
			return cell
		}),
		text("Fitted on", "fitted_on", func(x transferRow) string { return x.FittedOn }),
		text("Used on", "used_on", func(x transferRow) string { return x.UsedOn }, only(!many)),
		number("Fit", "fit", func(x transferRow) int { return domain(x, x.FittedOn).Fit }, exact, csvOnly),
		number("Test", "test", func(x transferRow) int { return domain(x, x.UsedOn).Test }, exact, csvOnly),
	}, realisedColumns(func(x transferRow) *result.Realised { return &x.Realised })...),
		text("Elsewhere broken, open, kept", "", func(x transferRow) string {
			n := map[result.Kept]int{} // of the other domains
			for _, c := range x.t.Cells {
				if c.Policy == x.Policy && c.FittedOn == x.FittedOn && c.UsedOn != x.FittedOn {
					n[c.Budget]++
				}
			}
			return fmt.Sprintf("%d, %d, %d", n[result.BudgetBroken], n[result.BudgetOpen], n[result.BudgetKept])
		}, only(many)))
}
