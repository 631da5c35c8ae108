package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/note"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// contest is one of our policies against another one on a dataset.
type contest struct {
	place
	ours, other string
	matched     *result.Matched // nil = they were not matched
	tests       []result.Test
}

// contests are those of a place, in the order of its results.
func contests(p place) (out []contest) {
	at := func(ours, other string) *contest {
		i := slices.IndexFunc(out, func(c contest) bool { return c.ours == ours && c.other == other })
		if i < 0 {
			i, out = len(out), append(out, contest{place: p, ours: ours, other: other})
		}
		return &out[i]
	}
	for _, x := range p.d.Tests {
		c := at(x.Ours, x.Baseline)
		c.tests = append(c.tests, x)
	}
	for i := range p.d.Matched {
		m := &p.d.Matched[i]
		at(m.Ours, m.Baseline).matched = m
	}
	return out
}

// against sets our policies beside the others: at equal cost, at equal error, and in paired tests. A reader sees the
// comparisons of the policy that the table of outcomes is about; CSV files have all. ok is false where there are none.
func against(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "against"}
	var list []place
	var shown, all [][]contest
	for _, p := range places(s) {
		group := contests(p)
		if len(group) == 0 {
			continue
		}
		list, all = append(list, p), append(all, group)
		main := mainRow(p.c, p.d)
		if first := slices.DeleteFunc(slices.Clone(group), func(c contest) bool {
			return main != nil && c.ours != main.Policy
		}); len(first) > 0 {
			shown = append(shown, first)
		}
	}
	if len(list) == 0 {
		return t, false
	}
	t.Caption = cascadesCaption("Ours against the other policies: ", cascadesOf(list))
	columns := contestColumns(&t, list)
	fill(&t, columns, shown)
	t.Data = rows(columns, all)
	contestRemarks(s, list, &t)
	return t, true
}

// contestColumns are the columns of the table of comparisons.
func contestColumns(t *table.Table, list []place) []column[contest] {
	names, _ := metricsOf(list)
	matched := func(head, field string, part func(m *result.Matched) table.Part, looks ...look) column[contest] {
		return number(head, field, func(x contest) table.Part {
			if x.matched == nil {
				return table.Num(table.Estimated(math.NaN(), math.NaN(), math.NaN(), 1))
			}
			return part(x.matched)
		}, looks...)
	}
	unadjusted := func(what string) column[contest] {
		return cells(table.Words(what), []string{field(what) + "_difference", field(what) + "_p"},
			func(x contest) table.Cell {
				test := x.test(what)
				return table.Of(table.Num(significant(test.Difference)), table.Plain(" "), table.Num(significant(test.P)))
			}, csvOnly, exact)
	}
	columns := append(whereColumns[contest](t, list),
		text("Ours", "ours", func(x contest) string { return title(x.d, x.ours) }, csvOnly),
		cells(table.Words("Against"), []string{"policy"}, func(x contest) table.Cell {
			return table.Cell{Text: table.Words(curveTitle(x.d, x.other)), Marks: marksOf(t, contestNotes(&x))}
		}),
		text("Ours id", "ours_id", func(x contest) string { return x.ours }, csvOnly),
		text("Against id", "policy_id", func(x contest) string { return x.other }, csvOnly),
		matched("Δ error at equal cost", "at_cost_error_difference",
			func(m *result.Matched) table.Part { return percents(m.Cost.Fitted.DiffError, 1) }),
		matched("Δ saved at equal error", "at_error_saved_difference_pct",
			func(m *result.Matched) table.Part { return interval(m.Error.Fitted.DiffSaved, 1) }),
		adjusted("Correct p", "correct", func(contest) []string { return []string{"correct"} }),
		adjusted("Performance p", "", func(x contest) []string { return x.d.Metrics }),
		adjusted("Cost p", "cost", func(contest) []string { return []string{"cost"} }),
		cells(table.Words("Right alone"), []string{"only_ours", "only_baseline"}, func(x contest) table.Cell {
			if c := x.test("correct"); c.Test == "mcnemar" {
				return table.Of(count(float64(c.OnlyOurs)), table.Plain(" / "), count(float64(c.OnlyTheirs)))
			}
			return table.Of(count(math.NaN()), table.Plain(" / "), count(math.NaN()))
		}, csvOnly, exact),
		matched("Area", "area_mean_error_difference",
			func(m *result.Matched) table.Part { return percents(m.Area.Mean, 2) }, csvOnly),
		unadjusted("correct"), unadjusted("cost"))
	for _, m := range names {
		columns = append(columns, cells(table.Words(m), []string{field(m) + "_p_holm", field(m) + "_p_bh"},
			func(x contest) table.Cell { return table.Cell{Text: adjustedParts(x.test(m))} }, csvOnly, exact), unadjusted(m))
	}
	return append(append(columns, matchColumns("at_cost", false, names)...), matchColumns("at_error", true, names)...)
}

// adjusted is a column of p-values, Holm's with Benjamini and Hochberg's in parentheses.
func adjusted(head, name string, of func(contest) []string) column[contest] {
	var fields []string
	if name != "" {
		fields = []string{name + "_p_holm", name + "_p_bh"}
	}
	return cells(table.Words(head), fields, func(x contest) (cell table.Cell) {
		for i, what := range of(x) {
			if i > 0 {
				cell.Text = append(cell.Text, table.Plain(" / "))
			}
			cell.Text = append(cell.Text, adjustedParts(x.test(what))...)
		}
		return cell
	}, exact, alignRight)
}

func adjustedParts(x *result.Test) table.Text {
	return table.Text{table.Num(twoDigits(x.Holm)), table.Plain(" ("), table.Num(twoDigits(x.BH)), table.Plain(")")}
}

// test is the test of a quantity; one without numbers where there is none.
func (x contest) test(what string) *result.Test {
	for i := range x.tests {
		if x.tests[i].What == what {
			return &x.tests[i]
		}
	}
	return &result.Test{P: math.NaN(), Holm: math.NaN(), BH: math.NaN(), Difference: math.NaN()}
}

// twoDigits is how p-values are printed.
func twoDigits(v float64) table.Number { return table.Number{Value: v, Significant: 2} }

// matchColumns are the other policy at our cost, or at our error, in CSV files.
func matchColumns(prefix string, errs bool, names []string) (out []column[contest]) {
	add := func(name string, looks []look, part func(m *result.Match) table.Part) {
		out = append(out, number(name, prefix+"_"+name, func(x contest) table.Part {
			switch {
			case x.matched == nil:
				return table.Plain("")
			case errs:
				return part(&x.matched.Error)
			}
			return part(&x.matched.Cost)
		}, append(looks, csvOnly)...))
	}
	for _, metric := range names {
		add(field(metric), nil, func(m *result.Match) table.Part {
			if iv, ok := m.Fitted.Metrics[metric]; ok {
				return interval(iv, 2)
			}
			return table.Plain("")
		})
	}
	add("cost_saved_pct", nil, func(m *result.Match) table.Part { return interval(m.Fitted.Saved, 2) })
	add("error", nil, func(m *result.Match) table.Part { return percents(m.Fitted.Error, 1) })
	add("curve_reached", []look{exact}, func(m *result.Match) table.Part {
		return table.Num(table.Exactly(m.Curve.Reached, 4))
	})
	if errs {
		add("error_difference", nil, func(m *result.Match) table.Part { return percents(m.Fitted.DiffError, 1) })
		add("curve_saved_pct", nil, func(m *result.Match) table.Part { return estimated(m.Curve.Saved, 1) })
		add("curve_saved_difference_pct", nil, func(m *result.Match) table.Part { return estimated(m.Curve.Differs, 1) })
		return out
	}
	add("saved_difference_pct", nil, func(m *result.Match) table.Part { return interval(m.Fitted.DiffSaved, 1) })
	add("curve_error", nil, func(m *result.Match) table.Part { return estimatedPercents(m.Curve.Error, 1) })
	add("curve_error_difference", nil, func(m *result.Match) table.Part { return estimatedPercents(m.Curve.Differs, 1) })
	return out
}

// contestNotes are the caveats of a comparison.
func contestNotes(x *contest) (notes []result.Note) {
	add := func(kind note.Kind, text string) { notes = append(notes, result.Note{Kind: kind, Text: text}) }
	if baseline.Of(baseline.Kind(x.other)).Foresees {
		add("oracle", "Knows every error before it decides: the headroom, not a policy.")
	}
	if m := x.matched; m != nil {
		if m.Error.Fitted.Clipped || m.Cost.Fitted.Clipped {
			add("out-of-reach", "It cannot err as little, or cost as much, as ours on the fit part: its nearest thresholds "+
				"stand here.")
		}
		if m.Error.Curve.Reached < 1 || m.Cost.Curve.Reached < 1 {
			add("unmatched", "In some resamples its curve does not reach ours: the CSV file says in how many it does.")
		}
	}
	return notes
}

// contestRemarks say how to read the table.
func contestRemarks(s *result.Results, list []place, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("Test part%s. Δ, in points: ours minus theirs. Equal cost, equal error: the other "+
		"policy's threshold was chosen on the fit part to cost what ours costs there, or to err as rarely; two "+
		"thresholds mixed at random where none fits. The score of a learned policy is paid for.", withRanges(s, false))))
	clustered, soft, datasets := false, false, 0
	for _, p := range list {
		soft = soft || p.d.Soft
		for _, x := range p.d.Tests {
			clustered, datasets = clustered || x.Clustered, max(datasets, x.Datasets)
		}
	}
	correct := []string{"exact McNemar, records taken as independent"}
	if clustered {
		correct[0] = "exact McNemar; where records share a source, sign flips by source"
	}
	if soft {
		correct = append(correct, "where errors are soft, sign flips of 1 − error")
	}
	t.Remark(table.Plain(fmt.Sprintf("p: paired two-sided tests of both policies with their own thresholds, Holm's with "+
		"Benjamini and Hochberg's in parentheses, over the datasets and not the policies. Correct: %s. "+
		"Performance: random sign flips of the difference per record (F1, BLEU and chrF: exchanging the two answers, and "+
		"none against policies that decide at random). Cost: sign flips of what each query paid, and a test of the mean, "+
		"with no small p where few queries carry the difference. %d permutations, so that no p is below %.1g.",
		strings.Join(correct, "; "),
		infer.Permutations, 1./(infer.Permutations+1))))
}

// curveTitle is what a policy is called next to its curve, which holds for every random decision.
func curveTitle(d *result.Dataset, policy string) string {
	for _, c := range d.Curves {
		if c.Policy == policy {
			return c.Title
		}
	}
	return title(d, policy)
}

func interval(iv infer.Interval, decimals int) table.Part {
	return table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals))
}

func percents(iv infer.Interval, decimals int) table.Part {
	return table.Num(table.Estimated(iv.Value, iv.Low, iv.High, decimals).AsPercent())
}

func estimated(e result.Estimate, decimals int) table.Part {
	return table.Num(table.Estimated(float64(e.Value), float64(e.Low), float64(e.High), decimals))
}

func estimatedPercents(e result.Estimate, decimals int) table.Part {
	return table.Num(table.Estimated(float64(e.Value), float64(e.Low), float64(e.High), decimals).AsPercent())
}
