package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
	"infnet/sufficiency"
	"infnet/sufficiency/pcm"
)

// Sufficiency is the paper's table of sufficiency: does anything known
// at gating time help to predict "student wrong, master right" beyond the
// confidence? One table for the whole study, since its rows are one family of
// tests. ok is false where nothing was tested.
func Sufficiency(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{
		Caption: table.Words("Is the confidence sufficient? Tests whether extra information J helps to predict where the " +
			"student is wrong and the master right, beyond what the confidence β tells."),
		Kind: "sufficiency", Label: "tab:sufficiency",
		Columns: sufficiencyColumns(),
	}
	var first *result.Dataset
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for k := range c.Datasets {
			d := &c.Datasets[k]
			if d.Sufficiency == nil || len(d.Sufficiency.Rows) == 0 {
				continue
			}
			if first == nil {
				first = d
			}
			t.Groups = append(t.Groups, sufficiencyGroup(s, c, d, &t))
		}
	}
	if first == nil {
		return t, false
	}
	sufficiencyRemarks(s, first, &t)
	return t, true
}

// The paper's symbols.
var (
	mseNull  = table.Text{table.Plain("MSE"), table.Sub("β")}
	mseFull  = table.Text{table.Plain("MSE"), table.Sub("β+J")}
	deltaMSE = table.Text{table.Plain("Δ"), table.Sub("MSE")}
)

// sufficiencyColumns are the table's columns; sufficiencyRow fills them.
func sufficiencyColumns() []table.Column {
	hidden := func(head, field string, exact bool) table.Column {
		return table.Column{Head: table.Words(head), Fields: []string{field}, Exact: exact, DataOnly: true}
	}
	number := func(head table.Text, field string, exact bool) table.Column {
		return table.Column{Head: head, Fields: []string{field}, Exact: exact, Align: table.Right}
	}
	return []table.Column{
		hidden("Study", "study", false), hidden("Cascade", "cascade", false),
		{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
		{Head: table.Words("sLLM / mLLM"), Fields: []string{"models"}, Merge: true},
		{Head: table.Words("Extra information J"), Fields: []string{"extra"}},
		{Head: mseNull, Fields: []string{"mse_null", "mse_null_fold_sd"}, Exact: true, Align: table.Right},
		{Head: mseFull, Fields: []string{"mse_full", "mse_full_fold_sd"}, Exact: true, Align: table.Right},
		number(deltaMSE, "delta_mse", false),
		number(table.Words("p"), "p", false),
		{Head: table.Words("Null"), Fields: []string{"null"}},
		number(table.Words("p (Holm)"), "p_holm", true), number(table.Words("Value (%)"), "value_saved_pct", false),
		{Head: table.Words("Verdict"), Fields: []string{"verdict"}},
		hidden("State", "state", false), hidden("p (Benjamini–Hochberg)", "p_bh", true), hidden("R² gained",
			"r2_gained", false),
		hidden("MSE β, mean of folds", "mse_null_fold_mean", true), hidden("MSE β+J, mean of folds",
			"mse_full_fold_mean", true),
		hidden("Shuffles", "shuffles", true), hidden("Shuffles that reached", "reached", true), hidden("Smallest p",
			"smallest_p", true),
		hidden("Method", "method", false), hidden("Random halves", "splits", true), hidden("p of the check of the fit",
			"p_fit", true), hidden("Strata", "strata", true),
		hidden("Fixed records", "fixed", true),
		hidden("Columns of J", "columns", true), hidden("Columns dropped", "dropped", true),
		hidden("Budget", "value_budget", true), hidden("Effect seen with probability 0.8", "seen", true),
		hidden("Records", "records", true), hidden("Folds", "folds", true), hidden("α", "alpha", true),
	}
}

func sufficiencyGroup(s *result.Results, c *result.Cascade, d *result.Dataset, t *table.Table) []table.Row {
	var group []table.Row
	for i := range d.Sufficiency.Rows {
		r := &d.Sufficiency.Rows[i]
		row := sufficiencyRow(s, c, d, r)
		for _, n := range sufficiencyNotes(r) {
			row[4].Mark(t.Note(string(n.Kind), n.Text))
		}
		group = append(group, row)
	}
	if c.Incomplete {
		group[0][2].Mark(t.Note("incomplete", "INCOMPLETE: more answers are missing than the study allows."))
	}
	for _, n := range clip(append([]result.Note(nil), d.Sufficiency.Notes...)) {
		group[0][2].Mark(t.Note(string(n.Kind), sentence(n.Text)))
	}
	return group
}

// sufficiencyRow fills sufficiencyColumns. Numbers of a row that was not tested
// are undefined.
func sufficiencyRow(s *result.Results, c *result.Cascade, d *result.Dataset, r *sufficiency.Row) table.Row {
	q := d.Sufficiency
	tested := r.Measured()
	exactly := func(v float64, decimals int) table.Cell {
		if !tested {
			v = math.NaN()
		}
		return table.Of(table.Num(table.Exactly(v, decimals)))
	}
	adjusted := func(p float64) table.Cell {
		if !tested {
			p = math.NaN()
		}
		return table.Of(table.Num(table.Number{Value: p, Decimals: 3, PValue: true}))
	}
	estimated := func(v, low, high float64, decimals int, defined bool) table.Cell {
		if !tested || !defined {
			v, low, high = math.NaN(), math.NaN(), math.NaN()
		}
		return table.Of(table.Num(table.Estimated(v, low, high, decimals)))
	}
	squared := func(m sufficiency.MSE) table.Cell {
		if !tested {
			return exactly(0, 4)
		}
		return table.Of(table.Num(table.Exactly(m.Pooled, 4)), table.Plain(" ± "), table.Num(table.Exactly(m.SD, 4)))
	}
	models := table.Cell{}
	for i, m := range c.Models {
		if i > 0 {
			models.Text = append(models.Text, table.Plain(" / "))
		}
		models.Text = append(models.Text, table.Name(m))
	}
	nan := math.NaN()
	seen, budget, shuffles, reached, smallest, splits, fit := nan, nan, nan, nan, nan, nan, nan
	p := infer.Interval{Value: r.P, Low: nan, High: nan}
	var moved sufficiency.Permutation
	if r.Permutation != nil {
		moved, p = *r.Permutation, r.Permutation.Test.Chance
		p.Value = r.P
		shuffles, reached, smallest = float64(len(moved.Test.Statistics)), float64(moved.Test.Reached), moved.Test.Smallest
	}
	if r.PCM != nil {
		splits, fit = float64(len(r.PCM.Splits)), min(r.PCM.Fit.P, r.PCM.Fit.Rough)
		if r.PCM.Covariance.Seen > 0 {
			seen = r.PCM.Covariance.Seen
		}
	}
	var value sufficiency.Value
	if r.Value != nil {
		value, budget = *r.Value, r.Value.Budget
	}
	number := func(n int) table.Cell { return table.Of(count(float64(n))) }
	return table.Row{
		table.Of(table.Plain(s.Name)), table.Of(table.Plain(c.Name)),
		table.Of(table.Name(d.Name)), models, table.Of(table.Plain(short(r.Set))),
		squared(r.MSENull), squared(r.MSEFull), estimated(r.Gain.Value, r.Gain.Low, r.Gain.High, 4, true),
		pCell(r, p), table.Of(table.Plain(nullWords(r.Null))), adjusted(r.Holm),
		estimated(value.Saved.Value, value.Saved.Low, value.Saved.High, 2, r.Value != nil), table.Of(verdict(r)),
		table.Of(table.Plain(string(r.State))), adjusted(r.BH), estimated(r.R2.Value, r.R2.Low, r.R2.High, 4, true),
		exactly(r.MSENull.Mean, 4), exactly(r.MSEFull.Mean, 4),
		exactly(shuffles, 0), exactly(reached, 0), exactly(smallest, 4),
		table.Of(table.Plain(r.Method.String())), exactly(splits, 0), exactly(fit, 3),
		number(moved.Strata), number(moved.Fixed), number(r.Columns), number(len(r.Dropped)), exactly(budget, 4),
		exactly(seen, 4), number(q.Records), number(q.Folds), table.Of(table.Num(table.Exactly(q.Alpha, 3))),
	}
}

// pCell is p with its Monte-Carlo interval. PCM has none: its p-value does not depend on a number of permutations.
func pCell(r *sufficiency.Row, p infer.Interval) table.Cell {
	n := table.Estimated(p.Value, p.Low, p.High, 3)
	n.PValue = true
	if !r.Measured() {
		n = table.Estimated(math.NaN(), math.NaN(), math.NaN(), 3)
	} else if r.PCM != nil {
		n.Estimate = false
	}
	return table.Of(table.Num(n))
}

func nullWords(n sufficiency.Null) string {
	if n == sufficiency.BetaAndClass {
		return "β, class"
	}
	return "β"
}

// verdict is the row in words.
func verdict(r *sufficiency.Row) table.Part {
	switch {
	case r.State == sufficiency.Undecided:
		return table.Plain(string(r.State)).Bold()
	case r.State != sufficiency.Tested:
		return table.Plain(string(r.State))
	case r.Finding && r.Gain.Value > 0:
		return table.Plain("J helps").Bold()
	case r.Finding:
		return table.Plain("J tells more").Bold()
	}
	return table.Plain("not shown")
}

// sufficiencyNotes are the caveats of one row.
func sufficiencyNotes(r *sufficiency.Row) []result.Note {
	var notes []result.Note
	add := func(kind note.Kind, format string, a ...any) {
		notes = append(notes, result.Note{Kind: kind, Text: fmt.Sprintf(format, a...)})
	}
	for _, n := range r.Notes {
		add("test", "%s", sentence(n))
	}
	if len(r.Dropped) > 0 {
		add("dropped", "Columns of J dropped, being functions of what the null knows: %s.", strings.Join(r.Dropped, ", "))
	}
	if !r.Measured() {
		return clip(notes)
	}
	if r.Permutation != nil {
		notes = append(notes, permutationNote(r.Permutation)...)
	}
	if r.Value != nil && r.Value.Missed > 0 {
		add("value", "No threshold met the error budget in %s of the value's cross-validation: the one of fewest errors "+
			"was taken.", plural(r.Value.Missed, "fit"))
	}
	return clip(notes)
}

// permutationNote says whether the test ended early.
func permutationNote(s *sufficiency.Permutation) []result.Note {
	if !s.Test.Stopped {
		return nil
	}
	return []result.Note{{Kind: "stopped", Text: fmt.Sprintf("Stopped after %s, %d of which reached the observed "+
		"statistic.", plural(len(s.Test.Statistics), "shuffle"), s.Test.Reached)}}
}

func plurals(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// sufficiencyRemarks explain the table. Its options are those of the study, so
// they are the same for all datasets.
func sufficiencyRemarks(s *result.Results, of *result.Dataset, t *table.Table) {
	q, whole := of.Sufficiency, of.Split.Fraction == "" // a file that was not divided
	measured := "Measured on the fit part."
	if whole {
		measured = "Measured on all records."
	}
	remark := table.Text{table.Plain(measured + " Δ is the student's error minus the master's. ")}
	remark = append(remark, mseNull...)
	remark = append(remark, table.Plain(" and "))
	remark = append(remark, mseFull...)
	remark = append(remark, table.Plain(fmt.Sprintf(": mean squared errors of boosted trees (%s, %d of depth %d) that "+
		"predict Δ from β, and from β and J, cross-fitted in %d folds, over all records ± the standard deviation of the "+
		"folds'. ", q.Learner, q.Trees, q.Depth, q.Folds)))
	remark = append(remark, deltaMSE...)
	remark = append(remark, table.Plain(fmt.Sprintf(" is their difference, positive where J helps, with a %s "+
		"interval.", percent(s.Level))))
	t.Remark(remark...)
	t.Remark(testRemark(s, q)...)
	if q.Smallest > q.Alpha {
		t.Remark(table.Plain(fmt.Sprintf("WARNING: with %d shuffles the level %g can never be reached.", q.Permutations,
			q.Alpha)).Bold())
	}
	t.Remark(table.Plain("Value: what deferring by the prediction from β and J, in place of that from β, saves at the " +
		"same error budget on held-out folds, in percent of the cost of asking the master everything."))
}

// testRemark says what p is.
func testRemark(s *result.Results, q *result.Sufficiency) table.Text {
	stop := ""
	finding := append(append(table.Text{table.Plain(fmt.Sprintf("Holm: adjusted for all rows that were tested. J "+
		"tells more: p ≤ %g; J helps: and ", q.Alpha))}, deltaMSE...), table.Plain(" > 0."))
	if q.Method == sufficiency.PCM.String() {
		return append(table.Text{table.Plain(fmt.Sprintf("p: the smaller of two tests, each counted by its share of the "+
			"level. Covariance measure (Shah and Peters 2020), 3/4: what β and class leave of Δ against what they leave of "+
			"each column's rank, the largest by Gaussian multipliers. Projected covariance measure (Lundborg, Kim, Shah and "+
			"Samworth 2024), 1/4: on %s trees learn where J tells of Δ, and the other half tests it (p-values combined as "+
			"exchangeable: Gasparin, Wang and Ramdas 2025). Cannot decide: a regression on β and class fails its check, "+
			"at level %g for Δ's; such a row counts as p = 1 in Holm's. ",
			plurals(q.Splits, "random half", "random halves"), pcm.FitLevel))}, finding...)
	}
	if q.Stop > 0 {
		stop = fmt.Sprintf("; a test that ended early, when %d had reached it, counts shuffles alone", q.Stop)
	}
	text := table.Text{table.Plain(fmt.Sprintf("p, by %s permutation: share of shuffles of J whose ", q.Method))}
	text = append(text, deltaMSE...)
	text = append(text, table.Plain(fmt.Sprintf(" reaches the observed one, of %d shuffles at most, the data counted "+
		"as one more%s; in brackets the %s Monte-Carlo interval. No p can be below %.4f. ",
		q.Permutations, stop, percent(s.Level), q.Smallest)))
	return append(text, finding...)
}
