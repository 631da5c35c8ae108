package reports

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// outcomes is the first table: what came out, a row for each dataset and pair, chain or pool.
func outcomes(s *result.Results) (t table.Table) {
	all := Headlines(s)
	if len(all) == 0 {
		return t
	}
	t = outcomesIn(s, all, shape{intervals: true, rich: true})
	t.Kind = "outcomes"
	t.Remark(table.Plain("Saved: of the cost of asking the master every query. Error: share of the queries answered " +
		"wrong. Baseline: the one that saves most at the error of ours on the fit part."))
	return t
}

// shape is how much a table of outcomes shows, where a terminal has not room for all.
type shape struct {
	intervals bool
	rich      bool // the models alone and the best baseline too
}

var shapes = []shape{{true, true}, {true, false}, {false, true}, {false, false}}

func outcomesIn(s *result.Results, all []Headline, x shape) table.Table {
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
	caption := fmt.Sprintf("What came out of %s, on the test part, with %s intervals", s.Name, percent(s.Level))
	if len(units) > 0 {
		caption += "; cost: " + strings.Join(units, "; ")
	}
	t := table.Table{Caption: table.Words(caption + ".")}
	ours := partly(func(h *Headline) *result.Row { return h.Ours }, nil)
	master := partly(func(h *Headline) *result.Row { return h.Master }, nil, exact)
	student := partly(func(h *Headline) *result.Row { return h.Student }, nil, exact, only(x.rich))
	best := partly(func(h *Headline) *result.Row { return h.Best }, nil, exact, only(x.rich))
	saved := func(whole bool) func(l *result.Row) any {
		return func(l *result.Row) any {
			n := table.Estimated(l.Saved.Value, l.Saved.Low, l.Saved.High, 1)
			n.Estimate = whole
			return n
		}
	}
	errs := func(whole bool) func(l *result.Row) any {
		return func(l *result.Row) any {
			n := table.Estimated(l.Error.Value, l.Error.Low, l.Error.High, 1).AsPercent()
			n.Estimate = whole
			return n
		}
	}
	var rows []*Headline
	for i := range all {
		rows = append(rows, &all[i])
	}
	fill(&t, []column[*Headline]{
		text("Study", "study", func(*Headline) string { return s.Name }, csvOnly),
		text("Cascade", "cascade", func(h *Headline) string { return h.Cascade }, csvOnly),
		text("Dataset", "dataset", func(h *Headline) table.Part { return table.Name(h.Dataset) }),
		text("Models", "", func(h *Headline) table.Text {
			if h.Pool {
				return textOf("pool ", table.Name(h.Cascade))
			}
			return namesWith(" → ", h.Models)
		}, only(len(s.Cascades)+len(s.Pools) > 1)),
		text("Verdict", "verdict", func(h *Headline) string { return h.Verdict.Word() }),
		ours("Saved (%)", "saved_pct", saved(x.intervals)),
		ours("Error (%)", "error", errs(x.intervals)),
		master("Master's error", "master_error", errs(false)),
		student("Student's error", "student_error", errs(false)),
		ours("Deferred (%)", "deferred", func(l *result.Row) any { return exactPercent(l.Deferred.Value, 1) }, exact),
		best("Baseline", "baseline", func(l *result.Row) any { return l.Title }, left),
		best("Its saved (%)", "baseline_saved_pct", saved(false)),
		best("Its error (%)", "baseline_error", errs(false)),
		text("Sentence", "sentence", func(h *Headline) string { return h.Sentence() }, csvOnly),
	}, [][]*Headline{rows}, nil)
	return t
}
