package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// verdictWords are the verdicts in a table.
var verdictWords = map[Verdict]string{
	WorthIt: "worth it", ErrsMore: "errs more", NotWorthIt: "not worth it", NotShown: "not shown",
	SameAs: "single model", ErrsLess: "errs less", Infeasible: "infeasible", Incomplete: "incomplete",
	NoSignal: "no signal", TooFew: "too few records", Nothing: "no result",
}

// Outcomes is the first table: what came out, a row for each dataset and pair, chain or pool.
func Outcomes(s *result.Results) (t table.Table, ok bool) {
	all := Headlines(s)
	if len(all) == 0 {
		return t, false
	}
	t = table.Table{Kind: "outcomes"}
	fill(&t, outcomeColumns(s, all, shape{intervals: true, rich: true}), [][]*Headline{pointers(all)})
	t.Caption = outcomeCaption(s)
	t.Remark(table.Plain("Saved: of the cost of asking the master every query. Error: share of the queries answered " +
		"wrong. Baseline: the one that saves most at the error of ours on the fit part."))
	return t, true
}

func pointers(all []Headline) []*Headline {
	out := make([]*Headline, len(all))
	for i := range all {
		out[i] = &all[i]
	}
	return out
}

// outcomeCaption says what the numbers are.
func outcomeCaption(s *result.Results) table.Text {
	var units []string
	for i := range s.Cascades {
		u := costWords(&s.Cascades[i])
		if s.Cascades[i].CostModel == "recorded" {
			u = strings.TrimSpace("recorded " + s.Cascades[i].Unit)
		}
		if !slices.Contains(units, u) {
			units = append(units, u)
		}
	}
	text := fmt.Sprintf("What came out of %s, on the test part, with %s intervals", s.Name, percent(s.Level))
	if len(units) > 0 {
		text += "; cost: " + strings.Join(units, "; ")
	}
	return table.Words(text + ".")
}

// shape is how much a table of outcomes shows, where a terminal has not room for all.
type shape struct {
	intervals bool
	rich      bool // the models alone and the best baseline too
}

// shapes, the richest first.
var shapes = []shape{{true, true}, {true, false}, {false, true}, {false, false}}

// outcomeColumns are the columns of the table of outcomes.
func outcomeColumns(s *result.Results, all []Headline, x shape) []column[*Headline] {
	several := len(s.Cascades)+len(s.Pools) > 1
	line := func(head, field string, of func(h *Headline) *Line, part func(l *Line) table.Number, whole bool,
		looks ...look) column[*Headline] {
		return number(head, field, func(h *Headline) table.Part {
			l := of(h)
			if l == nil {
				return table.Plain("")
			}
			n := part(l)
			n.Estimate = whole && x.intervals
			return table.Num(n)
		}, looks...)
	}
	ours := func(h *Headline) *Line { return h.Ours }
	student := func(h *Headline) *Line { return h.Student }
	master := func(h *Headline) *Line { return h.Master }
	best := func(h *Headline) *Line { return h.Best }
	saved := func(l *Line) table.Number { return table.Estimated(l.Saved.Value, l.Saved.Low, l.Saved.High, 1) }
	errs := func(l *Line) table.Number {
		return table.Estimated(l.Error.Value, l.Error.Low, l.Error.High, 1).AsPercent()
	}
	deferred := func(l *Line) table.Number {
		return table.Estimated(l.Deferred.Value, l.Deferred.Low, l.Deferred.High, 1).AsPercent()
	}
	return []column[*Headline]{
		text("Study", "study", func(*Headline) string { return s.Name }, csvOnly),
		text("Cascade", "cascade", func(h *Headline) string { return h.Cascade }, csvOnly),
		cells(table.Words("Dataset"), []string{"dataset"}, func(h *Headline) table.Cell {
			return table.Of(table.Name(h.Dataset))
		}),
		cells(table.Words("Models"), nil, func(h *Headline) table.Cell {
			if h.Pool {
				return table.Of(table.Plain("pool "), table.Name(h.Cascade))
			}
			return table.Cell{Text: arrows(h.Models)}
		}, only(several)),
		text("Verdict", "verdict", func(h *Headline) string { return verdictWords[h.Verdict] }),
		line("Saved (%)", "saved_pct", ours, saved, true),
		line("Error (%)", "error", ours, errs, true),
		line("Master's error", "master_error", master, errs, false, exact),
		line("Student's error", "student_error", student, errs, false, exact, only(x.rich)),
		line("Deferred (%)", "deferred", ours, deferred, false, exact),
		text("Baseline", "baseline", func(h *Headline) string {
			if h.Best == nil {
				return ""
			}
			return h.Best.Title
		}, only(x.rich)),
		line("Its saved (%)", "baseline_saved_pct", best, saved, false, exact, only(x.rich)),
		line("Its error (%)", "baseline_error", best, errs, false, exact, only(x.rich)),
		text("Sentence", "sentence", func(h *Headline) string { return h.Sentence() }, csvOnly),
	}
}
