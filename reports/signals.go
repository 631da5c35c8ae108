package reports

import (
	"fmt"
	"slices"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
	"infnet/sufficiency"
)

type signalRow = fact[result.Signal]

func signals(s *result.Results) (t table.Table) {
	list, groups := gather(s, func(p place) []result.Signal {
		if p.d.Signals == nil {
			return nil
		}
		return p.d.Signals.Rows
	})
	if len(list) == 0 {
		return t
	}
	t = table.Table{Kind: "signals", Caption: cascadesCaption("What tells right answers from wrong ones: ", list)}
	fill(&t, signalColumns(&t, list), groups, func(x signalRow) bool { return x.r.Missing == "" })
	t.Remark(table.Plain(fmt.Sprintf("Measured on the test part%s. AUROC: of \"the student is right\". AURC: area under "+
		"the risk–coverage curve, the mean error of the k most confident answers over all k; E-AURC: less the least of any "+
		"order (Geifman, Uziel and El-Yaniv 2019). Error and saving: of one threshold on the signal, fitted to the study's "+
		"budget; calls of a signal are paid for by every query.", withRanges(s))))
	t.Remark(table.Plain("Δ: the signal less β, on the same resamples, with thresholds of equal error, or of equal " +
		"cost, on the fit part. The combination is a logistic regression on the ranks of all signals that cost nothing; " +
		"its scores of the fit part are of fits without the record's fold."))
	return t
}

func signalColumns(t *table.Table, list []place) []column[signalRow] {
	had := func(nothing any, looks ...look) func(any, string, func(*result.Signal) any, ...look) column[signalRow] {
		return partly(func(x signalRow) *result.Signal {
			if x.r.Missing != "" {
				return nil
			}
			return x.r
		}, nothing, looks...)
	}
	measured := had(interval(undefined, 1))
	known := func(as func(infer.Interval, int) table.Part, iv infer.Interval, decimals int) any {
		if iv.N == 0 {
			return nil
		}
		return as(iv, decimals)
	}
	beside := func(as func(infer.Interval, int) table.Part, b *result.Beside) any {
		if b == nil {
			return nil
		}
		c := table.Of(as(b.Interval, 1))
		if b.Clipped {
			c.Mark(t.Note("out-of-reach", "No threshold on the signal comes so far: it stands at its nearest end."))
		}
		return c
	}
	return append(whereColumns[signalRow](t, list),
		text("Signal", "signal", func(x signalRow) table.Cell {
			c := table.Of(table.Plain(x.r.Name))
			if lacking := x.d.Signals.Lacking(); lacking != "" && x.r == &x.d.Signals.Rows[0] {
				c.Mark(t.Note("no-signal", "Not to be had of the student's answers: "+lacking+"."))
			}
			if same := x.r.Relation; same != "" {
				c.Mark(t.Note("relation", "Samples say the same where "+same+", whose own compute is not counted."))
			}
			return c
		}),
		text("Kind", "kind", func(x signalRow) string { return x.r.Kind }, csvOnly),
		measured("AUROC", "auroc", func(x *result.Signal) any { return known(interval, x.AUROC, 3) }),
		partly(func(x signalRow) *infer.Interval { return x.r.Beats }, interval(undefined, 3), csvOnly)("",
			"auroc_difference", func(iv *infer.Interval) any { return interval(*iv, 3) }),
		measured("AURC", "aurc", func(x *result.Signal) any { return known(interval, x.AURC, 3) }),
		measured("E-AURC", "e_aurc", func(x *result.Signal) any { return known(interval, x.Above, 3) }),
		measured("Error (%)", "error", func(x *result.Signal) any { return known(percents, x.Error, 1) }),
		measured("Cost Saved (%)", "cost_saved_pct", func(x *result.Signal) any { return known(interval, x.Saved, 1) }),
		measured("Δ saved at equal error", "at_error_saved_difference_pct",
			func(x *result.Signal) any { return beside(interval, x.SavedAtError) }),
		measured("Δ error at equal cost", "at_cost_error_difference",
			func(x *result.Signal) any { return beside(percents, x.ErrorAtCost) }),
		had(interval(undefined, 1), exact)("Its calls (% of the master's cost)", "calls_pct",
			func(x *result.Signal) any { return exactly(x.Overhead, 1) }),
		text("Missing", "missing", func(x signalRow) string { return x.r.Missing }, csvOnly))
}

// addedRow is a signal that is known, and one that is tested; readers see a row for each that is known.
type addedRow = fact[result.Added]

func addedSignals(s *result.Results) (t table.Table) {
	list, groups := gather(s, func(p place) []result.Added {
		if p.d.Signals == nil {
			return nil
		}
		return p.d.Signals.Adds
	})
	if len(list) == 0 {
		return t
	}
	t = table.Table{Kind: "added-signals", Caption: cascadesCaption("Does a signal add to another: ", list)}
	first := map[*result.Added]bool{} // of those with the same known one, which stand together
	for _, group := range groups {
		for i, x := range group {
			first[x.r] = i == 0 || group[i-1].r.Given != x.r.Given
		}
	}
	fill(&t, addedColumns(&t, list), groups, func(x addedRow) bool { return first[x.r] })
	t.Remark(table.Plain(fmt.Sprintf("Adds: once the signal of the row is known, that of the column tells more of "+
		"where the student is wrong and the master right (fit part; the test of sufficiency by covariance measures, with "+
		"the known signal in the place of β; p ≤ %g by Holm over all pairs of this table). Not shown is no proof of the "+
		"opposite. Determined: the signal is a function of the known one. Cannot decide: a regression on the known signal "+
		"fails its check, so that there is no p-value; it counts as p = 1 in Holm's.", list[0].d.Signals.Alpha)))
	t.Remark(table.Plain(fmt.Sprintf("Numbers: what a threshold on the combination of both saves, less one on the known "+
		"signal alone, in points of the master's cost; both have the error of the latter on the fit part, and are measured "+
		"on the test part%s. The interval takes the thresholds as given.", withRanges(s))))
	return t
}

// addedColumns are a column for each signal that is tested, and in files the numbers of a pair.
func addedColumns(t *table.Table, list []place) []column[addedRow] {
	columns := append(whereColumns[addedRow](t, list),
		text("Known", "given", func(x addedRow) string { return x.r.Given }))
	var names []string
	for _, p := range list {
		for _, x := range p.d.Signals.Known() {
			if !slices.Contains(names, x) {
				names = append(names, x)
			}
		}
	}
	for _, name := range names {
		columns = append(columns, text("+ "+name, "", func(x addedRow) any {
			a := result.Find(x.d.Signals.Adds, func(a *result.Added) bool { return a.Given == x.r.Given && a.Adds == name })
			if a == nil {
				return nil
			}
			verdict := table.Plain(a.Verdict(x.d.Signals.Alpha))
			if a.State == sufficiency.Undecided || a.Verdict(x.d.Signals.Alpha) == result.Adds {
				verdict = verdict.Bold()
			}
			if a.Value == nil {
				return verdict
			}
			return textOf(verdict, " ", interval(a.Value.Interval, 1))
		}))
	}
	tested := partly(func(x addedRow) *result.Added {
		if !x.r.Tested() {
			return nil
		}
		return x.r
	}, none, csvOnly, exact)
	value := partly(func(x addedRow) *result.Beside { return x.r.Value }, interval(undefined, 4), csvOnly)
	return append(columns,
		text("Tested", "adds", func(x addedRow) string { return x.r.Adds }, csvOnly),
		text("Verdict", "verdict", func(x addedRow) string { return x.r.Verdict(x.d.Signals.Alpha) }, csvOnly),
		tested("", "p", func(a *result.Added) any { return a.P }),
		tested("", "p_holm", func(a *result.Added) any { return a.Holm }),
		number("R² gained", "r2_gained", func(x addedRow) table.Part { return interval(x.r.R2, 4) }, csvOnly),
		value("", "value_saved_pct", func(b *result.Beside) any { return interval(b.Interval, 4) }),
		value("", "value_error_difference", func(b *result.Beside) any { return interval(b.Alike, 4) }))
}
