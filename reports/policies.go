package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// policyRow is a policy of a cascade on a dataset.
type policyRow struct {
	place
	r *result.Row
}

// policies is what every policy came to: the paper's columns (Dataset, Policy, Performance, Cost Saved) with the error
// that the policies control, its budget, and the deferred share.
func policies(s *result.Results) (t table.Table, ok bool) {
	list := places(s)
	if len(list) == 0 {
		return t, false
	}
	t = table.Table{Kind: "policies", Caption: policyCaption(s, list)}
	columns := policyColumns(&t, list)
	var shown, all [][]policyRow
	for _, p := range list {
		var group, printed []policyRow
		for i := range p.d.Rows {
			r := &p.d.Rows[i]
			group = append(group, policyRow{p, r})
			if known, _ := baseline.OfRow(r.Policy); !paperLayout(s) || known.Printed != "" || r == mainRow(p.c, p.d) {
				printed = append(printed, policyRow{p, r})
			}
		}
		if len(group) == 0 {
			group = []policyRow{{p, &result.Row{Title: "no rows"}}}
			printed = group
		}
		shown, all = append(shown, printed), append(all, group)
	}
	fill(&t, columns, shown)
	if paperLayout(s) {
		t.Data = rows(columns, all)
	}
	policyRemarks(s, list, &t)
	t.Order = order(s, &t, list)
	return t, true
}

func paperLayout(s *result.Results) bool { return s.Style.Layout == style.Paper }

// policyCaption is the caption that the study asks for, or says whose policies they are.
func policyCaption(s *result.Results, list []place) table.Text {
	if s.Style.Caption != "" && !aboutSufficiency(s) {
		return filled(s, list)
	}
	t := cascadesCaption("Policies: ", cascadesOf(list))
	c := list[0].c // the setting and the target are the study's
	return append(t, table.Plain(fmt.Sprintf(" Setting: %s; target: %s.", c.Setting, c.Target)))
}

// cascadesOf are the cascades of some places.
func cascadesOf(list []place) (out []*result.Cascade) {
	for _, p := range list {
		if !slices.Contains(out, p.c) {
			out = append(out, p.c)
		}
	}
	return out
}

// cascadesCaption begins a caption: what, of which models.
func cascadesCaption(what string, list []*result.Cascade) table.Text {
	if len(list) == 1 {
		return caption(list[0], what)
	}
	var t table.Text
	if slices.ContainsFunc(list, func(c *result.Cascade) bool { return c.Incomplete }) {
		t = incomplete()
	}
	return append(t, table.Plain(what+plural(len(list), "cascade")+"."))
}

// metricsOf are the metrics of some places, and whether all have the same.
func metricsOf(list []place) (names []string, same bool) {
	same = true
	for _, p := range list {
		same = same && slices.Equal(p.d.Metrics, list[0].d.Metrics)
		for _, m := range p.d.Metrics {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return names, same
}

// precision is how many digits there are after the point: of each metric, and of the numbers in percent.
type precision struct {
	metrics     map[string]int
	saved, rate int
}

// rounding is as the style asks, else by column.
func rounding(s *result.Results, list []place) precision {
	d := precision{metrics: map[string]int{}, saved: 1, rate: 1}
	digits := s.Style.Digits
	names, _ := metricsOf(list)
	for _, m := range names {
		d.metrics[m] = performanceDecimals(list, m)
		if digits != nil {
			d.metrics[m] = *digits
		}
	}
	if paperLayout(s) {
		d.saved = 2
	}
	if digits != nil {
		d.saved, d.rate = max(0, *digits-2), max(0, *digits-2)
	}
	return d
}

// policyColumns are the columns of the table of policies.
func policyColumns(t *table.Table, list []place) []column[policyRow] {
	digits := rounding(list[0].s, list)
	names, same := metricsOf(list)
	best := map[*result.Dataset]map[string]float64{}
	for _, p := range list {
		best[p.d] = bests(p.d)
	}
	performance := func(x policyRow) table.Cell {
		return performanceCell(x.d, x.r.Metrics, digits.metrics, func(metric string, v float64) bool {
			b, ok := best[x.d][metric]
			return ok && competes(x.r) && v == b
		})
	}
	columns := append(whereColumns[policyRow](t, list),
		cells(table.Words("Metrics"), nil, func(x policyRow) table.Cell {
			return table.Of(table.Plain(strings.Join(x.d.Metrics, " / ")))
		}, merge, only(!same)),
		text("Policy", "policy", func(x policyRow) string { return x.r.Title }, csvOnly),
		cells(table.Words("Policy"), nil, func(x policyRow) table.Cell {
			return table.Cell{Text: table.Words(rowTitle(x.s, x.r)), Marks: marksOf(t, rowNotes(x.c, x.d, x.r))}
		}, named(style.Policy)),
		text("Policy id", "policy_id", func(x policyRow) string { return x.r.Policy }, csvOnly),
		cells(performanceHead(names, same), nil, performance, center, named(style.Performance)))
	for _, m := range names {
		columns = append(columns, number(m, field(m), func(x policyRow) table.Part {
			if iv, ok := x.r.Metrics[m]; ok {
				return interval(iv, 2)
			}
			return table.Plain("")
		}, csvOnly))
	}
	columns = append(columns,
		cells(table.Words("Cost Saved (%)"), []string{"cost_saved_pct"}, func(x policyRow) table.Cell {
			if paperLayout(x.s) && !math.IsNaN(x.r.Saved.Value) {
				return table.Of(interval(x.r.Saved, digits.saved), table.Plain("%"))
			}
			return savedCell(x.r, digits.saved)
		}, alignRight, named(style.Saved)),
		number("Error (%)", "error", func(x policyRow) table.Part { return percents(x.r.Error, digits.rate) },
			named(style.Error)),
		cells(table.Words("Budget B/N (%)"), []string{"budget_errors", "budget_records", "budget_rate"},
			func(x policyRow) table.Cell {
				b, n := x.d.Budget.Errors, float64(x.d.Budget.Records)
				return table.Of(count(b), table.Plain("/"), count(n), table.Plain(" = "),
					table.Num(table.Exactly(b/n, digits.rate).AsPercent()))
			}, alignRight, merge, exact, named(style.Budget)),
		number("Deferred (%)", "deferred", func(x policyRow) table.Part { return percents(x.r.Deferred, digits.rate) },
			named(style.Deferred)),
		number("Cost Saved, own cost (%)", "cost_saved_per_query_pct", func(x policyRow) table.Part {
			return interval(x.r.SavedPerQuery, digits.saved)
		}, csvOnly, named(style.OwnSaved)),
		number("Test records", "test_records", func(x policyRow) table.Part { return count(float64(x.d.Counts.Test)) },
			csvOnly, merge, exact, named(style.Records)),
		hidden("level", func(x policyRow) table.Part { return table.Num(table.Exactly(x.s.Level, 2)) }),
		text("Charged as", "charge", func(x policyRow) string { return x.r.Charge }, csvOnly),
		text("Baseline", "baseline", func(x policyRow) string { return yesNo(x.r.Baseline) }, csvOnly),
		text("Certified", "certified", func(x policyRow) string { return yesNo(x.r.Certified) }, csvOnly))
	return slices.Concat(columns, rivalColumns(), fittedColumns(), comparedColumns(), learnedColumns(),
		trainingColumns())
}

// performanceHead names the metrics where all datasets have the same.
func performanceHead(names []string, same bool) table.Text {
	if !same {
		return table.Words("Performance")
	}
	head := table.Text{table.Plain("Performance (")}
	for i, m := range names {
		if i > 0 {
			head = append(head, table.Plain(" / "))
		}
		head = append(head, table.Name(m))
	}
	return append(head, table.Plain(")"))
}

// performanceCell writes metrics side by side, those in bold that are the best;
// best nil: none is.
func performanceCell(d *result.Dataset, metrics map[string]infer.Interval, decimals map[string]int,
	best func(metric string, v float64) bool) table.Cell {
	var cell table.Cell
	for i, m := range d.Metrics {
		if i > 0 {
			cell.Text = append(cell.Text, table.Plain(" / "))
		}
		p := table.Num(table.Exactly(math.NaN(), decimals[m]))
		if iv, ok := metrics[m]; ok {
			p = table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals[m]))
			if best != nil && best(m, iv.Value) {
				p = p.Bold()
			}
		}
		cell.Text = append(cell.Text, p)
	}
	return cell
}

// count is a number of records or errors: whole, or with two decimals where
// errors are soft.
func count(v float64) table.Part {
	if v == math.Trunc(v) {
		return table.Num(table.Exactly(v, 0))
	}
	return table.Num(table.Exactly(v, 2))
}

// performanceDecimals is 2, as in the paper, or 3 where every interval of the column is narrower than 0.02, so that two
// decimals would hide it; the paper's layout shows none.
func performanceDecimals(list []place, metric string) int {
	seen := false
	for _, p := range list {
		if paperLayout(p.s) {
			return 2
		}
		for _, r := range p.d.Rows {
			iv, ok := r.Metrics[metric]
			if !ok || math.IsNaN(iv.Value) {
				continue
			}
			if !(iv.High-iv.Low < 0.02) {
				return 2
			}
			seen = true
		}
	}
	if seen {
		return 3
	}
	return 2
}

// competes reports whether a row may be the best: the oracle routers may not,
// as they look at the references.
func competes(r *result.Row) bool { return !strings.HasPrefix(r.Policy, "oracle") }

// bests returns the largest unrounded value of each metric among the rows that
// compete. All metrics are better when larger.
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

// policyRemarks says how to read the table.
func policyRemarks(s *result.Results, list []place, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. Bold: the best "+
		"performance on a dataset, decided on unrounded values, ties included; the oracle router does not compete, as it "+
		"looks at the references.", withRanges(s, true))))
	cascades := cascadesOf(list)
	var costs []string
	for _, c := range cascades {
		if text := c.Summary + " of " + costsOf(c); !slices.Contains(costs, text) {
			costs = append(costs, text)
		}
	}
	t.Remark(table.Plain("Cost saved: relative to sending every query straight to the master, the last model; the cost " +
		"of a query is the " + strings.Join(costs, ", or the ") + " over the fit part."))
	if p := s.Spec.Prices; p != nil {
		t.Remark(table.Plain(fmt.Sprintf("Prices of %s, from %s (SHA-256 %.12s…).", p.Date, short(p.File), p.Hash)))
	}
	if slices.ContainsFunc(cascades, func(c *result.Cascade) bool { return c.Summary == "signature" }) {
		t.Remark(table.Plain("The cost summary “signature” is the published protocol's weighted sum of statistics, " +
			"scaled by the number of parameters. It is not a physical cost: the savings are not savings of computation, " +
			"money or time.").Bold())
	}
	if slices.ContainsFunc(cascades, func(c *result.Cascade) bool { return len(c.Models) > 2 }) {
		t.Remark(table.Plain("Deferred, of a chain: share of the records asked of the last model. The chain and the " +
			"pairs it contains are fitted to the same budget, on the records that all models answered; the table of stages " +
			"says whom they ask how often."))
	}
	if slices.ContainsFunc(cascades, func(c *result.Cascade) bool { return c.Within != "" }) {
		t.Remark(table.Plain("A pair that is part of a chain is measured on the records that all of the chain's models " +
			"answered."))
	}
	rules := table.Text{table.Plain("Error: share of test records wrong under the correctness rule")}
	var said []string
	for _, p := range list {
		if slices.Contains(said, p.d.Name) {
			continue
		}
		sep := ", "
		if len(said) == 0 {
			sep = " ("
		}
		said = append(said, p.d.Name)
		rules = append(rules, table.Plain(sep), table.Name(p.d.Name), table.Plain(": "+ruleWords(p.d)))
	}
	against := "); policies are fitted to make at most B errors on the N records of the fit part."
	if slices.ContainsFunc(cascades, func(c *result.Cascade) bool { return c.Setting == "oracle" }) {
		against = "), where the reference is the master's answer; policies are fitted to make at most B errors on the N " +
			"records of the fit part."
	}
	t.Remarks = append(t.Remarks, append(rules, table.Plain(against)))
}

// ruleWords is the correctness rule of a dataset.
func ruleWords(d *result.Dataset) string {
	switch {
	case d.Soft:
		return "soft, mean of 1 − " + d.Rule
	case d.Tau > 0:
		return fmt.Sprintf("%s ≥ %v", d.Rule, d.Tau)
	}
	return d.Rule
}

// costWords names what a query's cost is.
func costWords(c *result.Cascade) string {
	switch {
	case c.Unit == "":
		return c.CostModel
	case strings.EqualFold(c.Unit, c.CostModel):
		return c.Unit
	}
	return c.CostModel + " (" + c.Unit + ")"
}

// costsOf are the costs in a sentence.
func costsOf(c *result.Cascade) string {
	if c.CostModel == "recorded" {
		return "the recorded costs (" + c.Unit + ")"
	}
	return costWords(c)
}

// field is a metric's name in CSV files.
func field(metric string) string {
	return strings.ReplaceAll(table.Slug(metric), "-", "_")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
