package reports

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

type pairing struct {
	ours, other string
	matched     *result.Matched // nil = they were not matched
	tests       []result.Test
}

type contest = fact[pairing]

// pairings are those of a place, in the order of its results.
func pairings(p place) (out []pairing) {
	at := func(ours, other string) *pairing {
		i := slices.IndexFunc(out, func(c pairing) bool { return c.ours == ours && c.other == other })
		if i < 0 {
			i, out = len(out), append(out, pairing{ours: ours, other: other})
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
// comparisons of the policy that the table of outcomes is about; CSV files have all.
func against(s *result.Results) (t table.Table) {
	list, groups := gather(s, pairings)
	if len(list) == 0 {
		return t
	}
	t = table.Table{Kind: "against", Caption: cascadesCaption("Ours against the other policies: ", list)}
	fill(&t, contestColumns(&t, list), groups, func(x contest) bool {
		main := mainRow(x.c, x.d)
		return main == nil || x.r.ours == main.Policy
	})
	contestRemarks(s, list, &t)
	return t
}

func contestColumns(t *table.Table, list []place) []column[contest] {
	matched := partly(func(x contest) *result.Matched { return x.r.matched }, interval(undefined, 1))
	adjustedOf := func(what string) func(contest) table.Text {
		return func(x contest) table.Text { return adjusted(x.r.test(what)) }
	}
	columns := append(whereColumns[contest](t, list),
		text("Ours", "ours", func(x contest) string { return title(x.d, x.r.ours) }, csvOnly),
		text("Against", "policy", func(x contest) table.Cell {
			return table.Cell{Text: table.Words(curveTitle(x.d, x.r.other)), Marks: marksOf(t, contestNotes(x.r))}
		}),
		text("Ours id", "ours_id", func(x contest) string { return x.r.ours }, csvOnly),
		text("Against id", "policy_id", func(x contest) string { return x.r.other }, csvOnly),
		matched("Δ error at equal cost", "at_cost_error_difference",
			func(m *result.Matched) any { return percents(m.Cost.Fitted.DiffError, 1) }),
		matched("Δ saved at equal error", "at_error_saved_difference_pct",
			func(m *result.Matched) any { return interval(m.Error.Fitted.DiffSaved, 1) }),
		number("Correct p", "correct_p_holm correct_p_bh", adjustedOf("correct"), exact),
		number("Performance p", "", func(x contest) table.Text {
			return eachMetric(x.d, func(m string) []table.Part { return adjusted(x.r.test(m)) })
		}, exact),
		number("Cost p", "cost_p_holm cost_p_bh", adjustedOf("cost"), exact))
	return columns
}

// adjusted is a p-value, Holm's with Benjamini and Hochberg's in parentheses.
func adjusted(x *result.Test) table.Text {
	two := func(v float64) table.Part { return table.Num(table.Number{Value: v, Significant: 2}) }
	return table.Text{two(x.Holm), table.Plain(" ("), two(x.BH), table.Plain(")")}
}

// test is the test of a quantity; one without numbers where there is none.
func (x *pairing) test(what string) *result.Test {
	none := &result.Test{P: math.NaN(), Holm: math.NaN(), BH: math.NaN(), Difference: math.NaN()}
	return cmp.Or(result.Find(x.tests, func(t *result.Test) bool { return t.What == what }), none)
}

func contestNotes(x *pairing) (notes []result.Note) {
	if baseline.Of(baseline.Kind(x.other)).Foresees {
		notes = append(notes, result.Note{Kind: "oracle"})
	}
	m := x.matched
	if m != nil && (m.Error.Fitted.Clipped || m.Cost.Fitted.Clipped) {
		notes = append(notes, result.Note{Kind: "out-of-reach", Text: "It cannot err as little, or cost as much, as ours " +
			"on the fit part: its nearest thresholds stand here."})
	}
	if m != nil && (m.Error.Curve.Reached < 1 || m.Cost.Curve.Reached < 1) {
		notes = append(notes, result.Note{Kind: "unmatched", Text: "In some resamples its curve does not reach ours; " +
			"results.json says in how many it does (reached)."})
	}
	return notes
}

func contestRemarks(s *result.Results, list []place, t *table.Table) {
	t.Remark(table.Plain(fmt.Sprintf("Test part%s. Δ, in points: ours minus theirs. Equal cost, equal error: the other "+
		"policy's threshold was chosen on the fit part to cost what ours costs there, or to err as rarely; two "+
		"thresholds mixed at random where none fits. The score of a learned policy is paid for.", withRanges(s))))
	correct := []string{"exact McNemar, records taken as independent"}
	if slices.ContainsFunc(list, func(p place) bool {
		return slices.ContainsFunc(p.d.Tests, func(x result.Test) bool { return x.Clustered })
	}) {
		correct[0] = "exact McNemar; where records share a source, sign flips by source"
	}
	if slices.ContainsFunc(list, func(p place) bool { return p.d.Soft }) {
		correct = append(correct, "where errors are soft, sign flips of 1 − error")
	}
	t.Remark(table.Plain(fmt.Sprintf("p: paired two-sided tests of both policies with their own thresholds, Holm's with "+
		"Benjamini and Hochberg's in parentheses, over the datasets and not the policies. Correct: %s. "+
		"Performance: random sign flips of the difference per record (F1, BLEU and chrF: exchanging the two answers, and "+
		"none against policies that decide at random). Cost: sign flips of what each query paid, and a test of the mean, "+
		"with no small p where few queries carry the difference. %d permutations, so that no p is below %.1g.",
		strings.Join(correct, "; "), infer.Permutations, 1./(infer.Permutations+1))))
}
