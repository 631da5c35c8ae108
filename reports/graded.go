package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/metrics/infer"
	"infnet/reports/table"
)

// gradedColumns are those of the table of models, where answers are found in replies or read by a rule.
func gradedColumns(list []place) []column[modelRow] {
	if !slices.ContainsFunc(list, place.graded) {
		return nil
	}
	share := func(head, field string, of func(g *result.Graded) int) column[modelRow] {
		return number(head, field, func(x modelRow) table.Part {
			if d := x.diagnostics(); d != nil && d.Graded != nil {
				return table.Num(table.Exactly(float64(of(d.Graded))/float64(d.Graded.Answers), 1).AsPercent())
			}
			return table.Num(table.Exactly(math.NaN(), 2))
		}, exact)
	}
	return []column[modelRow]{
		share("No answer (%)", "no_answer", func(g *result.Graded) int { return g.None }),
		share("Undecided (%)", "undecided", func(g *result.Graded) int { return g.Undecided }),
	}
}

// auditColumns are those of the table of models, where people graded some of what a judge grades.
func auditColumns(list []place) []column[modelRow] {
	has := func(p place) bool {
		return slices.ContainsFunc(p.d.Diagnostics, func(d result.Diagnostic) bool { return d.Audit != nil })
	}
	if !slices.ContainsFunc(list, has) {
		return nil
	}
	share := func(head, field string, of func(a *result.Audit) *infer.Interval) column[modelRow] {
		return number(head, field, func(x modelRow) table.Part {
			if d := x.diagnostics(); d != nil && d.Audit != nil {
				if iv := of(d.Audit); iv != nil {
					return percents(*iv, 1)
				}
			}
			return table.Num(table.Exactly(math.NaN(), 2))
		})
	}
	return []column[modelRow]{
		share("Corrected (%)", "corrected", func(a *result.Audit) *infer.Interval { return &a.Correct }),
		share("Sensitivity (%)", "sensitivity", func(a *result.Audit) *infer.Interval { return a.Sensitivity }),
		share("Specificity (%)", "specificity", func(a *result.Audit) *infer.Interval { return a.Specificity }),
	}
}

// judgedBy counts a model's answers that the judge decided.
func judgedBy(g result.Graded) int {
	for _, d := range g.By {
		if d.Rule == "judge" {
			return d.Count
		}
	}
	return 0
}

// judgedMost is the most of a model's answers that the judge decided.
func judgedMost(list []result.Graded) (most int) {
	for _, g := range list {
		most = max(most, judgedBy(g))
	}
	return most
}

// judgedNote is the caveat of answers that a model graded, with what people say of its grades; contradicted says that
// the judge's share right lies outside the interval of the corrected one. "" = it graded none.
func judgedNote(d *result.Dataset) (text string, contradicted bool) {
	var parts, audits []string
	for _, g := range d.Counts.Graded {
		if n := judgedBy(g); n > 0 {
			parts = append(parts, fmt.Sprintf("%d of %s of %s", n, plural(g.Answers, "answer"), short(g.Model)))
		}
	}
	if parts == nil {
		return "", false
	}
	for _, m := range d.Diagnostics {
		if a := m.Audit; a != nil {
			outside := m.Correct.Value < a.Correct.Low || m.Correct.Value > a.Correct.High
			contradicted = contradicted || outside
			audits = append(audits, fmt.Sprintf("%s is right on %.1f %%, corrected by %s of the test part %.1f %% [%.1f, %.1f]",
				short(m.Model), 100*m.Correct.Value, plural(a.Audited, "human grade"), 100*a.Correct.Value, 100*a.Correct.Low,
				100*a.Correct.High))
		}
	}
	text = "The judge, " + short(d.Grader) + ", graded " + strings.Join(parts, ", ") + ". "
	if audits == nil {
		return text + "Nobody measured how often it is wrong on the test part: human in [judge] names a file of " +
			"human grades.", false
	}
	return text + strings.Join(audits, "; ") + ".", contradicted
}

func (p place) graded() bool { return len(p.d.Counts.Graded) > 0 }

// ungraded counts the replies without an answer, and the answers that no rule decided.
func ungraded(list []result.Graded) (none, undecided int) {
	for _, g := range list {
		none, undecided = none+g.None, undecided+g.Undecided
	}
	return none, undecided
}

// gradedRows adds a model's rows to the table of records.
func gradedRows(g result.Graded, add func(what, model string, n int)) {
	for _, x := range []struct {
		what string
		n    int
	}{{"no answer in the reply", g.None - g.Cut}, {"no answer in the reply, which was cut", g.Cut},
		{"answer not decided by any rule", g.Undecided}} {
		if x.n > 0 {
			add(x.what, g.Model, x.n)
		}
	}
	for _, d := range g.By {
		if len(g.By) > 1 && d.Count > 0 {
			add("decided by "+d.Rule, g.Model, d.Count)
		}
	}
}

// gradedNotes are the caveats of replies without answers, and of answers that no rule decided; "" = there are none.
func gradedNotes(list []result.Graded) (format, undecided string) {
	var none, open []string
	for _, g := range list {
		if g.None > 0 {
			text := fmt.Sprintf("%d of %s of %s (%d cut at the limit on new tokens", g.None,
				plurals(g.Answers, "reply", "replies"), short(g.Model), g.Cut)
			if found := g.Answers - g.None; found > 0 {
				text += fmt.Sprintf("; right are %.1f %% of the others", 100*float64(g.Right)/float64(found))
			}
			none = append(none, text+")")
		}
		if g.Undecided > 0 {
			open = append(open, fmt.Sprintf("%d of %s of %s", g.Undecided, plurals(g.Answers, "reply", "replies"),
				short(g.Model)))
		}
	}
	if len(none) > 0 {
		format = "No answer was found in " + strings.Join(none, ", ") + ": they count as wrong."
	}
	if len(open) > 0 {
		undecided = "No rule could decide the answers in " + strings.Join(open, ", ") + ": they count as wrong."
	}
	return format, undecided
}
