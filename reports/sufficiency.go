package reports

import (
	"fmt"
	"math"
	"slices"
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
	var list []place
	var groups [][]testRow
	for _, p := range places(s) {
		if p.d.Sufficiency == nil || len(p.d.Sufficiency.Rows) == 0 {
			continue
		}
		list = append(list, p)
		var group []testRow
		for i := range p.d.Sufficiency.Rows {
			group = append(group, testRow{p, &p.d.Sufficiency.Rows[i]})
		}
		groups = append(groups, group)
	}
	if list == nil {
		return t, false
	}
	t = table.Table{
		Caption: table.Words("Is the confidence sufficient? Tests whether extra information J helps to predict where the " +
			"student is wrong and the master right, beyond what the confidence β tells."),
		Kind: "sufficiency", Label: "tab:sufficiency",
	}
	if s.Style.Caption != "" && aboutSufficiency(s) {
		t.Caption = filled(s, list)
	}
	fill(&t, sufficiencyColumns(&t, list, false), groups)
	if paperLayout(s) {
		t.Data = t.Groups
		fill(&t, sufficiencyColumns(&t, list, true), paperTests(groups))
	}
	sufficiencyRemarks(s, list[0].d, &t)
	return t, true
}

// aboutSufficiency reports whether the study stands against a table of tests: its caption is that of this table, and
// the paper's layout shows it on the screen.
func aboutSufficiency(s *result.Results) bool {
	return s.Published != nil && !slices.ContainsFunc(s.Published.Groups, func(g result.PublishedGroup) bool {
		return len(g.Tests) == 0
	})
}

// testRow is a test of a set of columns J, for a cascade on a dataset.
type testRow struct {
	place
	r *sufficiency.Row
}

// paperTests are the tests that the paper's table has, of one null hypothesis, with a group for each dataset.
func paperTests(groups [][]testRow) (out [][]testRow) {
	at := map[string]int{}
	for _, group := range groups {
		for _, x := range group {
			if x.r.Null != groups[0][0].r.Null {
				continue
			}
			i, known := at[x.d.Name]
			if !known {
				i = len(out)
				at[x.d.Name], out = i, append(out, nil)
			}
			out[i] = append(out[i], x)
		}
	}
	return out
}

// The paper's symbols.
var (
	mseNull  = table.Text{table.Plain("MSE"), table.Sub("β")}
	mseFull  = table.Text{table.Plain("MSE"), table.Sub("β+J")}
	deltaMSE = table.Text{table.Plain("Δ"), table.Sub("MSE")}
)

// exactly is a number of a test, undefined where the row was not tested.
func (x testRow) exactly(v float64, decimals int) table.Part {
	if !x.r.Measured() {
		v = math.NaN()
	}
	return table.Num(table.Exactly(v, decimals))
}

// estimated is a number with its interval.
func (x testRow) estimated(v infer.Interval, decimals int) table.Part {
	if !x.r.Measured() {
		v = undefined
	}
	return table.Num(table.Estimated(v.Value, v.Low, v.High, decimals))
}

// p is a p-value without an interval.
func (x testRow) p(p float64, decimals int) table.Part {
	if !x.r.Measured() {
		p = math.NaN()
	}
	return table.Num(table.Number{Value: p, Decimals: decimals, PValue: true})
}

var undefined = infer.Interval{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}

// sufficiencyColumns are the table's columns. Numbers of a row that was not tested are undefined.
func sufficiencyColumns(t *table.Table, list []place, paper bool) []column[testRow] {
	squared := func(head table.Text, field string, of func(testRow) sufficiency.MSE) column[testRow] {
		return cells(head, []string{field, field + "_fold_sd"}, func(x testRow) table.Cell {
			if !x.r.Measured() {
				return table.Of(x.exactly(0, 4))
			}
			return table.Of(x.exactly(of(x).Pooled, 4), table.Plain(" ± "), x.exactly(of(x).SD, 4))
		}, exact, alignRight)
	}
	first := map[*result.Dataset]*sufficiency.Row{}
	for _, p := range list {
		first[p.d] = &p.d.Sufficiency.Rows[0]
	}
	return append([]column[testRow]{
		text("study", "study", func(x testRow) string { return x.s.Name }, csvOnly),
		text("cascade", "cascade", func(x testRow) string { return x.c.Name }, csvOnly),
		cells(table.Words("Dataset"), []string{"dataset"}, func(x testRow) table.Cell {
			cell := table.Of(table.Name(x.d.Name))
			if x.r != first[x.d] {
				return cell
			}
			if x.c.Incomplete {
				cell.Mark(t.Note("incomplete", "INCOMPLETE: more answers are missing than the study allows."))
			}
			for _, n := range clip(append([]result.Note(nil), x.d.Sufficiency.Notes...)) {
				cell.Mark(t.Note(string(n.Kind), sentence(n.Text)))
			}
			return cell
		}, merge),
		cells(table.Words("sLLM / mLLM"), []string{"models"}, func(x testRow) (cell table.Cell) {
			for i, m := range x.c.Models {
				if i > 0 {
					cell.Text = append(cell.Text, table.Plain(" / "))
				}
				cell.Text = append(cell.Text, table.Name(m))
			}
			return cell
		}, func(c *table.Column) { c.Merge = !paper }),
		cells(table.Words("Extra information J"), []string{"extra"}, func(x testRow) table.Cell {
			cell := table.Of(table.Plain(x.s.Style.Title(short(x.r.Set))))
			for _, n := range sufficiencyNotes(x.r) {
				cell.Mark(t.Note(string(n.Kind), n.Text))
			}
			return cell
		}),
		squared(mseNull, "mse_null", func(x testRow) sufficiency.MSE { return x.r.MSENull }),
		squared(mseFull, "mse_full", func(x testRow) sufficiency.MSE { return x.r.MSEFull }),
		cells(deltaMSE, []string{"delta_mse"}, func(x testRow) table.Cell {
			return table.Of(x.estimated(x.r.Gain, 4))
		}, alignRight),
		cells(pHead(paper), []string{"p"}, func(x testRow) table.Cell {
			if !paper {
				return pCell(x.r)
			}
			cell := table.Of(x.p(x.r.P, 4))
			if sd, ok := spread(x.r); ok && x.r.P >= 0.0001 { // less is printed as that
				cell.Text = append(cell.Text, table.Plain(" ± "), x.exactly(sd, 4))
			}
			return cell
		}, alignRight),
		text("Null", "null", func(x testRow) string { return nullWords(x.r.Null) }),
		number("p (Holm)", "p_holm", func(x testRow) table.Part { return x.p(x.r.Holm, 3) }, exact),
		number("Value (%)", "value_saved_pct", func(x testRow) table.Part {
			saved := undefined
			if x.r.Value != nil {
				saved = x.r.Value.Saved
			}
			return x.estimated(saved, 2)
		}),
		cells(table.Words("Verdict"), []string{"verdict"}, func(x testRow) table.Cell { return table.Of(verdict(x.r)) }),
	}, sufficiencyData()...)
}

// sufficiencyData are the columns that CSV files alone have.
func sufficiencyData() []column[testRow] {
	nan := math.NaN()
	exactly := func(field string, decimals int, of func(testRow) float64) column[testRow] {
		return hidden(field, func(x testRow) table.Part { return x.exactly(of(x), decimals) })
	}
	permuted := func(field string, decimals int, of func(*sufficiency.Permutation) float64) column[testRow] {
		return exactly(field, decimals, func(x testRow) float64 {
			if x.r.Permutation == nil {
				return nan
			}
			return of(x.r.Permutation)
		})
	}
	projected := func(field string, decimals int, of func(*pcm.Result) float64) column[testRow] {
		return exactly(field, decimals, func(x testRow) float64 {
			if x.r.PCM == nil {
				return nan
			}
			return of(x.r.PCM)
		})
	}
	counted := func(field string, of func(testRow) int) column[testRow] {
		return hidden(field, func(x testRow) table.Part { return count(float64(of(x))) })
	}
	shuffled := func(x testRow) (m sufficiency.Permutation) {
		if x.r.Permutation != nil {
			return *x.r.Permutation
		}
		return m
	}
	return []column[testRow]{
		text("state", "state", func(x testRow) string { return string(x.r.State) }, csvOnly),
		number("p (Benjamini–Hochberg)", "p_bh", func(x testRow) table.Part { return x.p(x.r.BH, 3) }, exact, csvOnly),
		number("R² gained", "r2_gained", func(x testRow) table.Part { return x.estimated(x.r.R2, 4) }, csvOnly),
		exactly("mse_null_fold_mean", 4, func(x testRow) float64 { return x.r.MSENull.Mean }),
		exactly("mse_full_fold_mean", 4, func(x testRow) float64 { return x.r.MSEFull.Mean }),
		permuted("shuffles", 0, func(m *sufficiency.Permutation) float64 { return float64(len(m.Test.Statistics)) }),
		permuted("reached", 0, func(m *sufficiency.Permutation) float64 { return float64(m.Test.Reached) }),
		permuted("smallest_p", 4, func(m *sufficiency.Permutation) float64 { return m.Test.Smallest }),
		text("method", "method", func(x testRow) string { return x.r.Method.String() }, csvOnly),
		projected("splits", 0, func(m *pcm.Result) float64 { return float64(len(m.Splits)) }),
		projected("p_fit", 3, func(m *pcm.Result) float64 { return min(m.Fit.P, m.Fit.Rough) }),
		counted("strata", func(x testRow) int { return shuffled(x).Strata }),
		counted("fixed", func(x testRow) int { return shuffled(x).Fixed }),
		counted("columns", func(x testRow) int { return x.r.Columns }),
		counted("dropped", func(x testRow) int { return len(x.r.Dropped) }),
		exactly("value_budget", 4, func(x testRow) float64 {
			if x.r.Value == nil {
				return nan
			}
			return x.r.Value.Budget
		}),
		projected("seen", 4, func(m *pcm.Result) float64 {
			if m.Covariance.Seen > 0 {
				return m.Covariance.Seen
			}
			return nan
		}),
		counted("records", func(x testRow) int { return x.d.Sufficiency.Records }),
		counted("folds", func(x testRow) int { return x.d.Sufficiency.Folds }),
		hidden("alpha", func(x testRow) table.Part { return table.Num(table.Exactly(x.d.Sufficiency.Alpha, 3)) }),
	}
}

func pHead(paper bool) table.Text {
	if paper {
		return table.Words("p-value")
	}
	return table.Words("p")
}

// spread is the standard deviation of p over further random draws: permutations, or Gaussian multipliers.
func spread(r *sufficiency.Row) (sd float64, ok bool) {
	switch {
	case !r.Measured():
		return 0, false
	case r.PCM != nil:
		return r.PCM.Spread()
	case r.Permutation != nil:
		n := float64(len(r.Permutation.Test.Statistics))
		return math.Sqrt(r.P * (1 - r.P) / n), n > 0
	}
	return 0, false
}

// pCell is p with its Monte-Carlo interval. PCM has none: its p-value does not depend on a number of permutations.
func pCell(r *sufficiency.Row) table.Cell {
	p := infer.Interval{Value: r.P, Low: math.NaN(), High: math.NaN()}
	if r.Permutation != nil {
		p = r.Permutation.Test.Chance
		p.Value = r.P
	}
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
