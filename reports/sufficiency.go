package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/reports/table"
	"infnet/sufficiency"
	"infnet/sufficiency/pcm"
)

// Sufficiency is the paper's table of sufficiency: does anything known at gating time help to predict "student wrong,
// master right" beyond the confidence? One table for the whole study, since its rows are one family of tests. It has
// no columns where nothing was tested.
func Sufficiency(s *result.Results) (t table.Table) {
	list, groups := gather(s, func(p place) []sufficiency.Row {
		if p.d.Sufficiency == nil {
			return nil
		}
		return p.d.Sufficiency.Rows
	})
	if len(list) == 0 {
		return t
	}
	t = table.Table{
		Caption: table.Words("Is the confidence sufficient? Tests whether extra information J helps to predict where the " +
			"student is wrong and the master right, beyond what the confidence β tells."),
		Kind: "sufficiency", Label: "tab:sufficiency",
	}
	fill(&t, sufficiencyColumns(&t, false), groups, nil)
	if paperLayout(s) {
		t.Caption = textOf("Results of initial sufficiency experiments. ", mseNull, " and ", mseFull,
			" are the cross-validated mean squared errors of the null and full models; ", deltaMSE,
			" is their difference. The p-value tests that J tells nothing beyond β; ± its standard deviation over "+
				"further random draws.")
		data := t.Groups
		fill(&t, sufficiencyColumns(&t, true), paperTests(groups), nil)
		t.Data = data
	}
	sufficiencyRemarks(s, list[0].d, &t)
	return t
}

// aboutSufficiency reports whether the study stands against a table of tests: its caption is that of this table, and
// the paper's layout shows it on the screen.
func aboutSufficiency(s *result.Results) bool {
	return s.Published != nil && !slices.ContainsFunc(s.Published.Groups, func(g result.PublishedGroup) bool {
		return len(g.Tests) == 0
	})
}

type testRow = fact[sufficiency.Row]

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

// sufficiencyColumns are the table's columns. Numbers of a row that was not tested are undefined.
func sufficiencyColumns(t *table.Table, paper bool) []column[testRow] {
	estimate := measured(interval(undefined, 4))
	squared := measured(none, exact)
	pooled := func(m sufficiency.MSE) any {
		return table.Of(exactly(m.Pooled, 4), table.Plain(" ± "), exactly(m.SD, 4))
	}
	pHead := "p"
	if paper {
		pHead = "p-value"
	}
	return []column[testRow]{
		text("study", "study", func(x testRow) string { return x.s.Name }, csvOnly),
		text("cascade", "cascade", func(x testRow) string { return x.c.Name }, csvOnly),
		text("Dataset", "dataset", func(x testRow) table.Cell {
			cell := table.Of(table.Name(x.d.Name))
			if x.r != &x.d.Sufficiency.Rows[0] {
				return cell
			}
			if x.c.Incomplete {
				cell.Mark(t.Note("incomplete", "INCOMPLETE: more answers are missing than the study allows."))
			}
			for _, n := range clip(slices.Clone(x.d.Sufficiency.Notes)) {
				cell.Mark(t.Note(string(n.Kind), sentence(n.Text)))
			}
			return cell
		}, merge),
		text("sLLM / mLLM", "models", func(x testRow) table.Text { return namesWith(" / ", x.c.Models) },
			func(c *table.Column) { c.Merge = !paper }),
		text("Extra information J", "extra", func(x testRow) table.Cell {
			cell := table.Of(table.Plain(x.s.Style.Title(short(x.r.Set))))
			markAll(t, &cell, sufficiencyNotes(x.r))
			return cell
		}),
		squared(mseNull, "mse_null mse_null_fold_sd", func(r *sufficiency.Row) any { return pooled(r.MSENull) }),
		squared(mseFull, "mse_full mse_full_fold_sd", func(r *sufficiency.Row) any { return pooled(r.MSEFull) }),
		estimate(deltaMSE, "delta_mse", func(r *sufficiency.Row) any { return interval(r.Gain, 4) }),
		number(pHead, "p", func(x testRow) table.Cell {
			if !paper {
				return table.Of(table.Num(chance(x.r)))
			}
			cell := table.Of(pValue(x.r, x.r.P, 4))
			if sd, ok := spread(x.r); ok && x.r.P >= 0.0001 { // less is printed as that
				cell.Text = append(cell.Text, table.Plain(" ± "), exactly(sd, 4))
			}
			return cell
		}),
		text("Null", "null", func(x testRow) string {
			if x.r.Null == sufficiency.BetaAndClass {
				return "β, class"
			}
			return "β"
		}),
		number("p (Holm)", "p_holm", func(x testRow) table.Part { return pValue(x.r, x.r.Holm, 3) }, exact),
		estimate("Value (%)", "value_saved_pct", func(r *sufficiency.Row) any {
			if r.Value == nil {
				return nil
			}
			return interval(r.Value.Saved, 2)
		}),
		text("Verdict", "verdict", func(x testRow) table.Part { return verdict(x.r) }),
		text("state", "state", func(x testRow) sufficiency.State { return x.r.State }, csvOnly),
		number("p (Benjamini–Hochberg)", "p_bh", func(x testRow) table.Part { return pValue(x.r, x.r.BH, 3) }, exact,
			csvOnly),
		estimate("", "r2_gained", func(r *sufficiency.Row) any { return interval(r.R2, 4) }, csvOnly),
	}
}

func measured(nothing any, looks ...look) func(any, string, func(*sufficiency.Row) any, ...look) column[testRow] {
	return partly(func(x testRow) *sufficiency.Row {
		if !x.r.Measured() {
			return nil
		}
		return x.r
	}, nothing, looks...)
}

// pValue is a p-value without an interval.
func pValue(r *sufficiency.Row, p float64, decimals int) table.Part {
	if !r.Measured() {
		p = math.NaN()
	}
	return table.Num(table.Number{Value: p, Decimals: decimals, PValue: true})
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

// chance is p with its Monte-Carlo interval. PCM has none: its p-value does not depend on a number of permutations.
func chance(r *sufficiency.Row) table.Number {
	if !r.Measured() {
		return table.Estimated(math.NaN(), math.NaN(), math.NaN(), 3)
	}
	n := table.Estimated(r.P, math.NaN(), math.NaN(), 3)
	if r.Permutation != nil {
		n.Low, n.High = r.Permutation.Test.Chance.Low, r.Permutation.Test.Chance.High
	}
	n.PValue, n.Estimate = true, r.PCM == nil
	return n
}

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
	if r.Value != nil && r.Value.Missed > 0 {
		add("value", "No threshold met the error budget in %s of the value's cross-validation: the one of fewest errors "+
			"was taken.", Plural(r.Value.Missed, "fit"))
	}
	return clip(notes)
}

// sufficiencyRemarks explain the table. Its options are those of the study, so they are the same for all datasets.
func sufficiencyRemarks(s *result.Results, of *result.Dataset, t *table.Table) {
	q, measured := of.Sufficiency, "Measured on the fit part."
	if of.Split.Fraction == "" { // a file that was not divided
		measured = "Measured on all records."
	}
	t.Remark(textOf(measured+" Δ is the student's error minus the master's. ", mseNull, " and ", mseFull,
		fmt.Sprintf(": mean squared errors of boosted trees (%d of depth %d) that predict Δ from β, and from β and J, "+
			"cross-fitted in %d folds, over all records ± the standard deviation of the folds'. ", sufficiency.Trees,
			sufficiency.Depth, q.Folds), deltaMSE,
		fmt.Sprintf(" is their difference, positive where J helps, with a %s interval.", percent(s.Level)))...)
	finding := textOf(fmt.Sprintf("Holm: adjusted for all rows that were tested. J tells more: p ≤ %g; J helps: and ",
		q.Alpha), deltaMSE, " > 0.")
	if q.Method == sufficiency.PCM.String() {
		t.Remark(textOf(fmt.Sprintf("p: the smaller of two tests, each counted by its share of the "+
			"level. Covariance measure (Shah and Peters 2020), 3/4: what β and class leave of Δ against what they leave of "+
			"each column's rank, the largest by Gaussian multipliers. Projected covariance measure (Lundborg, Kim, Shah and "+
			"Samworth 2024), 1/4: on %s trees learn where J tells of Δ, and the other half tests it (p-values combined as "+
			"exchangeable: Gasparin, Wang and Ramdas 2025). Cannot decide: a regression on β and class fails its check, "+
			"at level %g for Δ's; such a row counts as p = 1 in Holm's. ",
			plurals(sufficiency.Splits, "random half", "random halves"), pcm.FitLevel), finding)...)
	} else {
		t.Remark(textOf(fmt.Sprintf("p, by %s permutation: share of shuffles of J whose ", q.Method), deltaMSE,
			fmt.Sprintf(" reaches the observed one, of %d shuffles at most, the data counted as one more; in brackets the "+
				"%s Monte-Carlo interval. No p can be below %.4f. ", q.Permutations, percent(s.Level), q.Smallest),
			finding)...)
	}
	if q.Smallest > q.Alpha {
		t.Remark(table.Plain(fmt.Sprintf("WARNING: with %d shuffles the level %g can never be reached.", q.Permutations,
			q.Alpha)).Bold())
	}
	t.Remark(table.Plain("Value: what deferring by the prediction from β and J, in place of that from β, saves at the " +
		"same error budget on held-out folds, in percent of the cost of asking the master everything."))
}

func textOf(parts ...any) (t table.Text) {
	for _, p := range parts {
		t = append(t, cellOf(p).Text...)
	}
	return t
}
