package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
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
