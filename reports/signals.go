package reports

import (
	"fmt"
	"slices"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
	"infnet/sufficiency"
)

// signalRow is a signal of a cascade's student on a dataset.
type signalRow struct {
	place
	x *result.Signal
}

// signals is what tells right answers of students from wrong ones, each signal charged what its calls cost.
func signals(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "signals"}
	var list []place
	var groups, all [][]signalRow
	for _, p := range places(s) {
		if p.d.Signals == nil {
			continue
		}
		var group, every []signalRow
		for i := range p.d.Signals.Rows {
			x := signalRow{p, &p.d.Signals.Rows[i]}
			if every = append(every, x); x.x.Missing == "" {
				group = append(group, x)
			}
		}
		list, groups, all = append(list, p), append(groups, group), append(all, every)
	}
	if len(list) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("What tells right answers from wrong ones: ", cascadesOf(list))
	columns := signalColumns(&t, list)
	fill(&t, columns, groups)
	t.Data = rows(columns, all)
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. AUROC: of \"the student is right\". AURC: area under "+
		"the risk–coverage curve, the mean error of the k most confident answers over all k; E-AURC: less the least of any "+
		"order (Geifman, Uziel and El-Yaniv 2019). Error and saving: of one threshold on the signal, fitted to the study's "+
		"budget; calls of a signal are paid for by every query.", withRanges(s, false))))
	t.Remark(table.Plain("Δ: the signal less β, on the same resamples, with thresholds of equal error, or of equal " +
		"cost, on the fit part. The combination is a logistic regression on the ranks of all signals that cost nothing; " +
		"its scores of the fit part are of fits without the record's fold."))
	return t, true
}

// beside is a difference that may not be there.
func (x signalRow) beside(b *result.Beside) infer.Interval {
	if b == nil {
		return undefined
	}
	return b.Interval
}

// measured is a number of a signal that there is.
func (x signalRow) measured(iv infer.Interval) infer.Interval {
	if x.x.Missing != "" || iv.N == 0 {
		return undefined
	}
	return iv
}

func signalColumns(t *table.Table, list []place) []column[signalRow] {
	pair := func(head, field string, times100 bool, of func(x signalRow) *result.Beside) column[signalRow] {
		return cells(table.Words(head), []string{field}, func(x signalRow) table.Cell {
			b := of(x)
			c := table.Of(interval(x.beside(b), 1))
			if times100 {
				c = table.Of(percents(x.beside(b), 1))
			}
			if b != nil && b.Clipped {
				c.Mark(t.Note("out-of-reach", "No threshold on the signal comes so far: it stands at its nearest end."))
			}
			return c
		}, alignRight)
	}
	savedAt := func(x signalRow) *result.Beside { return x.x.SavedAtError }
	errorAt := func(x signalRow) *result.Beside { return x.x.ErrorAtCost }
	return append(whereColumns[signalRow](t, list),
		cells(table.Words("Signal"), []string{"signal"}, func(x signalRow) table.Cell {
			c := table.Of(table.Plain(x.x.Name))
			if lacking := x.d.Signals.Lacking(); lacking != "" && x.x == &x.d.Signals.Rows[0] {
				c.Mark(t.Note("no-signal", "Not to be had of the student's answers: "+lacking+"."))
			}
			if same := x.x.Relation; same != "" {
				c.Mark(t.Note("relation", "Samples say the same where "+same+", whose own compute is not counted."))
			}
			return c
		}),
		text("Kind", "kind", func(x signalRow) string { return x.x.Kind }, csvOnly),
		number("AUROC", "auroc", func(x signalRow) table.Part { return interval(x.measured(x.x.AUROC), 3) }),
		number("AUROC less that of β", "auroc_difference", func(x signalRow) table.Part {
			if x.x.Beats == nil {
				return interval(undefined, 3)
			}
			return interval(*x.x.Beats, 3)
		}, csvOnly),
		number("AURC", "aurc", func(x signalRow) table.Part { return interval(x.measured(x.x.AURC), 3) }),
		number("E-AURC", "e_aurc", func(x signalRow) table.Part { return interval(x.measured(x.x.Above), 3) }),
		number("Error (%)", "error", func(x signalRow) table.Part { return percents(x.measured(x.x.Error), 1) }),
		number("Cost Saved (%)", "cost_saved_pct", func(x signalRow) table.Part {
			return interval(x.measured(x.x.Saved), 1)
		}),
		pair("Δ saved at equal error", "at_error_saved_difference_pct", false, savedAt),
		pair("Δ error at equal cost", "at_cost_error_difference", true, errorAt),
		number("Its calls (% of the master's cost)", "calls_pct", func(x signalRow) table.Part {
			if x.x.Missing != "" {
				return interval(undefined, 1)
			}
			return table.Num(table.Exactly(x.x.Overhead, 1))
		}, exact),
		text("Missing", "missing", func(x signalRow) string { return x.x.Missing }, csvOnly))
}

// addedRow is a signal that is known, or in files one pair alone.
type addedRow struct {
	place
	given string
	adds  map[string]*result.Added // by the signal that is tested
	one   *result.Added
}

// addedSignals is the matrix of which signal adds to which.
func addedSignals(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "added-signals"}
	var list []place
	var names []string
	var shown, pairs [][]addedRow
	for _, p := range places(s) {
		if p.d.Signals == nil || len(p.d.Signals.Adds) == 0 {
			continue
		}
		var group, each []addedRow
		for i := range p.d.Signals.Adds {
			a := &p.d.Signals.Adds[i]
			if len(group) == 0 || group[len(group)-1].given != a.Given {
				group = append(group, addedRow{place: p, given: a.Given, adds: map[string]*result.Added{}, one: a})
			}
			group[len(group)-1].adds[a.Adds] = a
			each = append(each, addedRow{place: p, given: a.Given, one: a})
		}
		for _, x := range p.d.Signals.Known() {
			if !slices.Contains(names, x) {
				names = append(names, x)
			}
		}
		list, shown, pairs = append(list, p), append(shown, group), append(pairs, each)
	}
	if len(list) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("Does a signal add to another: ", cascadesOf(list))
	columns := addedColumns(&t, list, names)
	fill(&t, columns, shown)
	t.Data = rows(columns, pairs)
	addedRemarks(s, list[0].d.Signals, &t)
	return t, true
}

// addedColumns are a column for each signal that is tested, and in files the numbers of a pair.
func addedColumns(t *table.Table, list []place, names []string) []column[addedRow] {
	columns := append(whereColumns[addedRow](t, list),
		text("Known", "given", func(x addedRow) string { return x.given }))
	for _, name := range names {
		columns = append(columns, cells(table.Words("+ "+name), nil, func(x addedRow) table.Cell {
			a, alpha := x.adds[name], x.d.Signals.Alpha
			if a == nil {
				return table.Of(table.Plain(""))
			}
			c := table.Of(table.Plain(a.Verdict(alpha)))
			if verdict := a.Verdict(alpha); verdict == result.Adds || verdict == string(sufficiency.Undecided) {
				c = table.Of(c.Text[0].Bold())
			}
			if a.Value != nil {
				c.Text = append(c.Text, table.Plain(" "), interval(a.Value.Interval, 1))
			}
			return c
		}))
	}
	given := func(x addedRow, v float64, decimals int) table.Part {
		if !x.one.Tested() {
			return interval(undefined, decimals)
		}
		return table.Num(table.Exactly(v, decimals))
	}
	value := func(field string, of func(*result.Beside) infer.Interval) column[addedRow] {
		return number(field, field, func(x addedRow) table.Part {
			if x.one.Value == nil {
				return interval(undefined, 4)
			}
			return interval(of(x.one.Value), 4)
		}, csvOnly)
	}
	return append(columns,
		text("Tested", "adds", func(x addedRow) string { return x.one.Adds }, csvOnly),
		text("Verdict", "verdict", func(x addedRow) string {
			return x.one.Verdict(x.d.Signals.Alpha)
		}, csvOnly),
		hidden("p", func(x addedRow) table.Part { return given(x, x.one.P, 6) }),
		hidden("p_holm", func(x addedRow) table.Part { return given(x, x.one.Holm, 6) }),
		number("R² gained", "r2_gained", func(x addedRow) table.Part { return interval(x.one.R2, 4) }, csvOnly),
		value("value_saved_pct", func(b *result.Beside) infer.Interval { return b.Interval }),
		value("value_error_difference", func(b *result.Beside) infer.Interval { return b.Alike }))
}

func addedRemarks(s *result.Results, of *result.Signals, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("Adds: once the signal of the row is known, that of the column tells more of "+
		"where the student is wrong and the master right (fit part; the test of sufficiency by covariance measures, with "+
		"the known signal in the place of β; p ≤ %g by Holm over all pairs of this table). Not shown is no proof of the "+
		"opposite. Determined: the signal is a function of the known one. Cannot decide: a regression on the known signal "+
		"fails its check, so that there is no p-value; it counts as p = 1 in Holm's.", of.Alpha)))
	t.Remark(table.Plain(fmt.Sprintf("Numbers: what a threshold on the combination of both saves, less one on the known "+
		"signal alone, in points of the master's cost; both have the error of the latter on the fit part, and are measured "+
		"on the test part%s. The interval takes the thresholds as given.", withRanges(s, false))))
}
