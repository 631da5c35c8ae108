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

// policies is the paper's table (Dataset, Policy, Performance, Cost Saved) with
// the error that the policies control, its budget, and the deferred share.
func policies(s *result.Results, c *result.Cascade, f family) table.Table {
	t := table.Table{
		Caption: caption(c, fmt.Sprintf("Policies on %s tasks, %s setting, target %s: ", f.task, c.Setting, c.Target)),
		Of:      c.Name, Kind: f.task,
		Columns: policyColumns(f),
	}
	st := style.Of(s.Style)
	if st.Caption != "" {
		t.Caption = filled(s, []*result.Cascade{c}, f)
	}
	digits, paper := rounding(st, f), st.Layout == style.Paper
	for _, d := range f.datasets {
		best := bests(d)
		var about []int
		for _, n := range datasetNotes(d) {
			about = append(about, t.Note(string(n.Kind), n.Text))
		}
		var group, shown []table.Row
		for i := range d.Rows {
			if d.Rows[i].Compared != nil {
				continue // they have a table of their own
			}
			row := policyRow(s, c, d, &d.Rows[i], digits, best)
			policy := &row[3]
			for _, n := range rowNotes(c, d, &d.Rows[i]) {
				policy.Mark(t.Note(string(n.Kind), n.Text))
			}
			group = append(group, row)
			if !paper || !baseline.Of(baseline.Kind(d.Rows[i].Policy)).Foresees { // the paper's tables have no oracles
				shown = append(shown, slices.Clone(row))
				shown[len(shown)-1][3].Text = table.Words(rowTitle(s, &d.Rows[i]))
			}
		}
		if len(shown) == 0 {
			shown = []table.Row{policyRow(s, c, d, &result.Row{Title: "no rows", Metrics: nil}, digits, best)}
		}
		shown[0][2].Marks = about
		t.Groups = append(t.Groups, shown)
		if paper && len(group) > 0 {
			group[0][2].Marks = about
			t.Data = append(t.Data, group)
		}
	}
	policyRemarks(s, c, f, &t)
	t.Order = order(s, &t, false)
	t.Intervals(ranges(s, true))
	return t
}

// precision is how many digits there are after the point: of each metric, and of the numbers in percent.
type precision struct {
	metrics     []int
	saved, rate int
}

// rounding is that of a family's tables: as the style asks, else by column.
func rounding(st style.Style, f family) precision {
	d := precision{metrics: make([]int, len(f.metrics)), saved: 2, rate: 1}
	for i, m := range f.metrics {
		d.metrics[i] = performanceDecimals(f, m)
		if st.Digits != nil {
			d.metrics[i] = *st.Digits
		}
	}
	if st.Digits != nil {
		d.saved, d.rate = max(0, *st.Digits-2), max(0, *st.Digits-2)
	}
	return d
}

// performanceColumn is the index of the metrics in policyColumns.
const performanceColumn = 5

// policyColumns are the columns of the policies table; policyRow fills them.
func policyColumns(f family) []table.Column {
	performance := table.Text{table.Plain("Performance (")}
	for i, m := range f.metrics {
		if i > 0 {
			performance = append(performance, table.Plain(" / "))
		}
		performance = append(performance, table.Name(m))
	}
	performance = append(performance, table.Plain(")"))
	var fields []string
	for _, m := range f.metrics {
		fields = append(fields, field(m))
	}
	return []table.Column{
		{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
		{Head: table.Words("Cascade"), Fields: []string{"cascade"}, DataOnly: true},
		{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
		{Head: table.Words("Policy"), Fields: []string{"policy"}},
		{Head: table.Words("Policy id"), Fields: []string{"policy_id"}, DataOnly: true},
		{Head: performance, Fields: fields, Align: table.Center},
		{Head: table.Words("Cost Saved (%)"), Fields: []string{"cost_saved_pct"}, Align: table.Right},
		{Head: table.Words("Error (%)"), Fields: []string{"error"}, Align: table.Right},
		{Head: table.Words("Budget B/N (%)"), Fields: []string{"budget_errors", "budget_records", "budget_rate"}, Merge: true,
			Exact: true, Align: table.Right},
		{Head: table.Words("Deferred (%)"), Fields: []string{"deferred"}, Align: table.Right},
		{Head: table.Words("Cost Saved, own cost (%)"), Align: table.Right, Fields: []string{"cost_saved_per_query_pct"},
			DataOnly: true},
		{Head: table.Words("Test records"), Fields: []string{"test_records"}, DataOnly: true, Exact: true,
			Merge: true, Align: table.Right},
		{Head: table.Words("Level"), Fields: []string{"level"}, DataOnly: true, Exact: true},
		{Head: table.Words("Charged as"), Fields: []string{"charge"}, DataOnly: true},
		{Head: table.Words("Baseline"), Fields: []string{"baseline"}, DataOnly: true},
		{Head: table.Words("Certified"), Fields: []string{"certified"}, DataOnly: true},
		{Head: table.Words("Worth it"), Fields: []string{"worth_it"}, DataOnly: true},
		{Head: table.Words("Best single model"), Fields: []string{"best_single"}, DataOnly: true},
		{Head: table.Words("Saved of its cost"), Fields: []string{"saved_of_best_single"}, DataOnly: true},
		{Head: table.Words("Δ error"), Fields: []string{"error_difference"}, DataOnly: true},
		{Head: table.Words("Price ratio"), Fields: []string{"price_ratio"}, DataOnly: true, Exact: true},
		{Head: table.Words("Break-even price ratio"), Fields: []string{"break_even_ratio"}, DataOnly: true},
	}
}

// policyRow fills policyColumns.
func policyRow(s *result.Results, c *result.Cascade, d *result.Dataset, r *result.Row, digits precision,
	best map[string]float64) table.Row {
	performance := performanceCell(d, r.Metrics, digits.metrics, func(metric string, v float64) bool {
		b, ok := best[metric]
		return ok && competes(r) && v == b
	})
	b, n := d.Budget.Errors, float64(d.Budget.Records)
	return append(table.Row{
		table.Of(table.Plain(s.Name)),
		table.Of(table.Plain(c.Name)),
		table.Of(table.Name(d.Name)),
		table.Of(table.Plain(r.Title)),
		table.Of(table.Plain(r.Policy)),
		performance,
		savedCell(r, digits.saved),
		table.Of(percents(r.Error, digits.rate)),
		table.Of(count(b), table.Plain("/"), count(n), table.Plain(" = "),
			table.Num(table.Exactly(b/n, digits.rate).AsPercent())),
		table.Of(percents(r.Deferred, digits.rate)),
		table.Of(interval(r.SavedPerQuery, digits.saved)),
		table.Of(count(float64(d.Counts.Test))),
		table.Of(table.Num(table.Exactly(s.Level, 2))),
		table.Of(table.Plain(r.Charge)),
		table.Of(table.Plain(yesNo(r.Baseline))),
		table.Of(table.Plain(yesNo(r.Certified))),
	}, rivalCells(r.Rival)...)
}

// performanceCell writes metrics side by side, those in bold that are the best;
// best nil: none is.
func performanceCell(d *result.Dataset, metrics map[string]infer.Interval, decimals []int,
	best func(metric string, v float64) bool) table.Cell {
	var cell table.Cell
	for i, m := range d.Metrics {
		if i > 0 {
			cell.Text = append(cell.Text, table.Plain(" / "))
		}
		p := table.Num(table.Exactly(math.NaN(), decimals[i]))
		if iv, ok := metrics[m]; ok {
			p = table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals[i]))
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

// performanceDecimals is 2, as in the paper, or 3 where every interval of the
// column is narrower than 0.02, so that two decimals would hide it.
func performanceDecimals(f family, metric string) int {
	seen := false
	for _, d := range f.datasets {
		for _, r := range d.Rows {
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
func policyRemarks(s *result.Results, c *result.Cascade, f family, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. Bold: the best "+
		"performance on a dataset, decided on unrounded values, ties included; the oracle router does not compete, as it "+
		"looks at the references.", withRanges(s, true))))
	master := "the last model"
	if len(c.Models) > 0 {
		master = c.Models[len(c.Models)-1]
	}
	t.Remark(
		table.Plain("Cost saved: relative to sending every query straight to "), table.Name(master),
		table.Plain(fmt.Sprintf("; the cost of a query is the %s of %s over the fit part.", c.Summary, costsOf(c))),
	)
	if p := s.Spec.Prices; p != nil {
		t.Remark(table.Plain(fmt.Sprintf("Prices of %s, from %s (SHA-256 %.12s…).", p.Date, short(p.File), p.Hash)))
	}
	if c.Summary == "signature" {
		t.Remark(table.Plain("The cost summary “signature” is the published protocol's weighted sum of statistics, scaled " +
			"by the number of parameters. It is not a physical cost: the savings are not savings of computation, money " +
			"or time.").Bold())
	}
	if len(c.Models) > 2 {
		t.Remark(table.Plain("Deferred: share of the records asked of the last model. The chain and the pairs it contains " +
			"are fitted to the same budget, on the records that all models answered; the table of stages says whom they ask " +
			"how often, and each pair has tables of its own."))
	}
	if c.Within != "" {
		t.Remark(table.Plain("This pair is part of the chain "), table.Name(c.Within),
			table.Plain(": it is measured on the records that all of the chain's models answered."))
	}
	rules := table.Text{table.Plain("Error: share of test records wrong under the correctness rule")}
	for i, d := range f.datasets {
		sep := ", "
		if i == 0 {
			sep = " ("
		}
		rule := d.Rule
		if d.Tau > 0 {
			rule += fmt.Sprintf(" ≥ %v", d.Tau)
		}
		if d.Soft {
			rule = "soft, mean of 1 − " + d.Rule
		}
		rules = append(rules, table.Plain(sep), table.Name(d.Name), table.Plain(": "+rule))
	}
	against := "); policies are fitted to make at most B errors on the N records of the fit part."
	if c.Setting == "oracle" {
		against = "), where the reference is the master's answer; policies are fitted to make at most B errors on the N " +
			"records of the fit part."
	}
	t.Remarks = append(t.Remarks, append(rules, table.Plain(against)))
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
