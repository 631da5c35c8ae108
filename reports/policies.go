package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

type policyRow = fact[result.Row]

// policies is what every policy came to: the paper's columns (Dataset, Policy, Performance, Cost Saved) with the error
// that the policies control, its budget, and the deferred share.
func policies(s *result.Results) (t table.Table) {
	list, groups := gather(s, func(p place) []result.Row {
		if len(p.d.Rows) == 0 {
			return []result.Row{{Title: "no rows"}}
		}
		return p.d.Rows
	})
	if len(list) == 0 {
		return t
	}
	c := list[0].c // the setting and the target are the study's
	t = table.Table{Kind: "policies", Caption: append(cascadesCaption("Policies: ", list),
		table.Plain(fmt.Sprintf(" Setting: %s; target: %s.", c.Setting, c.Target)))}
	if paperLayout(s) {
		t.Caption = paperCaption(list)
	}
	columns := policyColumns(&t, list)
	shown := func(x policyRow) bool {
		known, _ := baseline.OfRow(x.r.Policy)
		return known.Printed != "" || x.r == mainRow(x.c, x.d) || len(x.d.Rows) == 0
	}
	if !paperLayout(s) {
		shown = nil
	}
	fill(&t, columns, groups, shown)
	policyRemarks(s, list, &t)
	return t
}

func paperLayout(s *result.Results) bool { return s.Style.Layout == style.Paper }

// precision is how many digits there are after the point: of each metric, and of the numbers in percent.
type precision struct {
	metrics     map[string]int
	saved, rate int
}

// rounding is by column. A metric has 2 digits, as in the paper, or 3 where every interval of
// the column is narrower than 0.02, so that two decimals would hide it; the paper's layout shows none.
func rounding(s *result.Results, list []place) precision {
	d := precision{metrics: map[string]int{}, saved: 1, rate: 1}
	if paperLayout(s) {
		d.saved = 2
	}
	names, _ := metricsOf(list)
	for _, m := range names {
		narrow, wide := false, paperLayout(s)
		for _, p := range list {
			for _, r := range p.d.Rows {
				if iv, ok := r.Metrics[m]; ok && !math.IsNaN(iv.Value) {
					narrow, wide = true, wide || !(iv.High-iv.Low < 0.02)
				}
			}
		}
		if d.metrics[m] = 2; narrow && !wide {
			d.metrics[m] = 3
		}
	}
	return d
}

func policyColumns(t *table.Table, list []place) []column[policyRow] {
	digits := rounding(list[0].s, list)
	names, same := metricsOf(list)
	best := map[*result.Dataset]map[string]float64{}
	for _, p := range list {
		best[p.d] = bests(p.d)
	}
	columns := append(whereColumns[policyRow](t, list),
		text("Metrics", "", func(x policyRow) string { return strings.Join(x.d.Metrics, " / ") }, merge, only(!same)),
		text("Policy", "policy", func(x policyRow) string { return x.r.Title }, csvOnly),
		text("Policy", "", func(x policyRow) table.Cell {
			return table.Cell{Text: table.Words(rowTitle(x.s, x.r)), Marks: marksOf(t, rowNotes(x.c, x.d, x.r))}
		}, named("policy")),
		text("Policy id", "policy_id", func(x policyRow) string { return x.r.Policy }, csvOnly),
		text(performanceHead(names, same), "", func(x policyRow) table.Text {
			return eachMetric(x.d, func(m string) []table.Part {
				iv, ok := x.r.Metrics[m]
				if !ok {
					return []table.Part{exactly(math.NaN(), digits.metrics[m])}
				}
				if v, ok := best[x.d][m]; ok && competes(x.r) && v == iv.Value {
					return []table.Part{interval(iv, digits.metrics[m]).Bold()}
				}
				return []table.Part{interval(iv, digits.metrics[m])}
			})
		}, center, named("performance")))
	for _, m := range names {
		columns = append(columns, number(m, field(m), func(x policyRow) any {
			if iv, ok := x.r.Metrics[m]; ok {
				return interval(iv, 2)
			}
			return nil
		}, csvOnly))
	}
	return append(columns,
		number("Cost Saved (%)", "cost_saved_pct", func(x policyRow) table.Cell {
			cell := table.Of(interval(x.r.Saved, digits.saved))
			switch {
			case paperLayout(x.s) && !math.IsNaN(x.r.Saved.Value):
				cell.Text = append(cell.Text, table.Plain("%"))
			case ownCostDiffers(x.r):
				cell.Text = append(cell.Text, table.Plain(" / "), interval(x.r.SavedPerQuery, digits.saved))
			}
			return cell
		}),
		number("Error (%)", "error", func(x policyRow) table.Part { return percents(x.r.Error, digits.rate) }),
		number("Budget B/N (%)", "budget_errors budget_records budget_rate", func(x policyRow) table.Cell {
			b, n := x.d.Budget.Errors, float64(x.d.Budget.Records)
			return table.Of(count(b), table.Plain("/"), count(n), table.Plain(" = "), exactPercent(b/n, digits.rate))
		}, merge, exact),
		number("Deferred (%)", "deferred", func(x policyRow) table.Part { return percents(x.r.Deferred, digits.rate) }),
		number("Cost Saved, own cost (%)", "cost_saved_per_query_pct", func(x policyRow) table.Part {
			return interval(x.r.SavedPerQuery, digits.saved)
		}, csvOnly),
		number("Test records", "test_records", func(x policyRow) int { return x.d.Counts.Test }, csvOnly, merge, exact),
		hidden("level", func(x policyRow) table.Part { return exactly(x.s.Level, 2) }),
		text("Charged as", "charge", func(x policyRow) string { return x.r.Charge }, csvOnly),
		text("Baseline", "baseline", func(x policyRow) bool { return x.r.Baseline }, csvOnly),
		text("Certified", "certified", func(x policyRow) bool { return x.r.Certified }, csvOnly))
}

// performanceHead names the metrics where all datasets have the same.
func performanceHead(names []string, same bool) table.Text {
	if !same {
		return table.Words("Performance")
	}
	return append(append(table.Words("Performance ("), namesWith(" / ", names)...), table.Plain(")"))
}

// eachMetric writes the metrics of a dataset side by side.
func eachMetric(d *result.Dataset, of func(metric string) []table.Part) (t table.Text) {
	for i, m := range d.Metrics {
		if i > 0 {
			t = append(t, table.Plain(" / "))
		}
		t = append(t, of(m)...)
	}
	return t
}

// competes reports whether a row may be the best: the oracle routers may not, as they look at the references.
func competes(r *result.Row) bool { return !strings.HasPrefix(r.Policy, "oracle") }

// bests returns the largest unrounded value of each metric among the rows that compete. All metrics are better when
// larger.
func bests(d *result.Dataset) map[string]float64 {
	best := map[string]float64{}
	for i := range d.Rows {
		if !competes(&d.Rows[i]) || d.Rows[i].Compared != nil {
			continue
		}
		for _, m := range d.Metrics {
			if iv, ok := d.Rows[i].Metrics[m]; ok && !math.IsNaN(iv.Value) {
				if b, ok := best[m]; !ok || iv.Value > b {
					best[m] = iv.Value
				}
			}
		}
	}
	return best
}

func policyRemarks(s *result.Results, list []place, t *table.Table) {
	some := func(of func(c *result.Cascade) bool) bool { return slices.ContainsFunc(cascadesOf(list), of) }
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. Bold: the best "+
		"performance on a dataset, decided on unrounded values, ties included; the oracle router does not compete, as it "+
		"looks at the references.", withRanges(s))))
	costs := distinct(list, func(p place) string {
		if p.c.CostModel == "recorded" {
			return p.c.Summary + " of the recorded costs (" + p.c.Unit + ")"
		}
		return p.c.Summary + " of " + costWords(p.c)
	})
	t.Remark(table.Plain("Cost saved: relative to sending every query straight to the master, the last model; the cost " +
		"of a query is the " + strings.Join(costs, ", or the ") + " over the fit part."))
	if p := s.Spec.Prices; p != nil {
		t.Remark(table.Plain(fmt.Sprintf("Prices of %s, from %s (SHA-256 %.12s…).", p.Date, short(p.File), p.Hash)))
	}
	if some(func(c *result.Cascade) bool { return c.Summary == "signature" }) {
		t.Remark(table.Plain("The cost summary “signature” is the published protocol's weighted sum of statistics, " +
			"scaled by the number of parameters. It is not a physical cost: the savings are not savings of computation, " +
			"money or time.").Bold())
	}
	if some(func(c *result.Cascade) bool { return len(c.Models) > 2 }) {
		t.Remark(table.Plain("Deferred, of a chain: share of the records asked of the last model. The chain and the " +
			"pairs it contains are fitted to the same budget, on the records that all models answered; the table of stages " +
			"says whom they ask how often."))
	}
	if some(func(c *result.Cascade) bool { return c.Within != "" }) {
		t.Remark(table.Plain("A pair that is part of a chain is measured on the records that all of the chain's models " +
			"answered."))
	}
	rules := table.Text{table.Plain("Error: share of test records wrong under the correctness rule")}
	said, sep := map[string]bool{}, " ("
	for _, p := range list {
		if !said[p.d.Name] {
			rules = append(rules, table.Plain(sep), table.Name(p.d.Name), table.Plain(": "+ruleWords(p.d)))
			said[p.d.Name], sep = true, ", "
		}
	}
	where := ""
	if some(func(c *result.Cascade) bool { return c.Setting == "oracle" }) {
		where = ", where the reference is the master's answer"
	}
	t.Remark(append(rules, table.Plain(")"+where+"; policies are fitted to make at most B errors on the N records of "+
		"the fit part."))...)
}

func ruleWords(d *result.Dataset) string {
	switch {
	case d.Soft:
		return "soft, mean of 1 − " + d.Rule
	case d.Tau > 0:
		return fmt.Sprintf("%s ≥ %v", d.Rule, d.Tau)
	}
	return d.Rule
}

func field(metric string) string {
	return strings.ReplaceAll(table.Slug(metric), "-", "_")
}

// curveTitle is what a policy is called next to its curve, which holds for every random decision.
func curveTitle(d *result.Dataset, policy string) string {
	if c := d.Curve(policy); c != nil {
		return c.Title
	}
	return title(d, policy)
}

// title is a row's title, or the policy's identifier where it has no row.
func title(d *result.Dataset, policy string) string {
	if r := d.Row(policy); r != nil && r.Title != "" {
		return r.Title
	}
	return policy
}

func fittedFor(d *result.Dataset, policy string) *result.Policy {
	return result.Find(d.Policies, func(p *result.Policy) bool { return p.Policy == policy })
}
