package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/reports/table"
)

func cascadesOf(list []place) []*result.Cascade {
	return distinct(list, func(p place) *result.Cascade { return p.c })
}

// metricsOf are the metrics of some places, and whether all have the same.
func metricsOf(list []place) (names []string, same bool) {
	same = true
	for _, p := range list {
		same = same && slices.Equal(p.d.Metrics, list[0].d.Metrics)
		for _, m := range p.d.Metrics {
			if !slices.Contains(names, m) {
				names = append(names, m)
			}
		}
	}
	return names, same
}

// cascadesCaption begins a caption: INCOMPLETE where they are, what, of which models.
func cascadesCaption(what string, list []place) table.Text {
	cascades := cascadesOf(list)
	models := table.Words(what + Plural(len(cascades), "cascade") + ".")
	if len(cascades) == 1 {
		models = textOf(what, modelList(cascades[0]), ".")
	}
	return append(incomplete(anyIncomplete(list)), models...)
}

func anyIncomplete(list []place) bool {
	return slices.ContainsFunc(list, func(p place) bool { return p.c.Incomplete })
}

func incomplete(is bool) table.Text {
	if !is {
		return nil
	}
	return table.Text{table.Plain("INCOMPLETE: more answers are missing than the study allows.").Bold(), table.Plain(" ")}
}

// modelList names a cascade's models: "a (student) and b (master)".
func modelList(c *result.Cascade) (t table.Text) {
	last := len(c.Models) - 1
	for i, m := range c.Models {
		switch {
		case i > 0 && i == last:
			t = append(t, table.Plain(" and "))
		case i > 0:
			t = append(t, table.Plain(", "))
		}
		t = append(t, table.Name(m))
		switch {
		case last == 0:
		case i == 0:
			t = append(t, table.Plain(" (student)"))
		case i == last:
			t = append(t, table.Plain(" (master)"))
		}
	}
	return t
}

func costWords(c *result.Cascade) string {
	switch {
	case c.Unit == "":
		return c.CostModel
	case strings.EqualFold(c.Unit, c.CostModel):
		return c.Unit
	}
	return fmt.Sprintf("%s (%s)", c.CostModel, c.Unit)
}

// withRanges says how the intervals of a table are printed.
func withRanges(s *result.Results) string {
	return ", with " + percent(s.Level) + " intervals in brackets"
}

// paperCaption is that of the paper's tables of policies.
func paperCaption(list []place) table.Text {
	models := func(of func(c *result.Cascade) string) table.Text {
		return namesWith(", ", distinct(list, func(p place) string { return of(p.c) }))
	}
	tasks := distinct(list, func(p place) string {
		if p.d.Task == "classification" {
			return p.d.Task
		}
		return "generation"
	})
	return append(incomplete(anyIncomplete(list)), textOf("Performance comparison of our policy with other policies on "+
		strings.Join(tasks, ", ")+" tasks using the ", models(func(c *result.Cascade) string { return c.Models[0] }),
		" (sLLM) and ", models(func(c *result.Cascade) string { return c.Models[len(c.Models)-1] }),
		" (mLLM) models pair.")...)
}

func rowTitle(s *result.Results, r *result.Row) string {
	if t := s.Style.Title(r.Policy); t != r.Policy {
		return t
	}
	if paperLayout(s) && r.Policy != "" {
		known, _ := baseline.OfRow(r.Policy)
		return cmp.Or(known.Printed, "Ours")
	}
	return r.Title
}

// paperForms are the forms of the paper's tables, by kind: the columns, in its order; where their text sits; what LaTeX
// has as mathematics, without and with; whether it is as wide as the page. Other tables stay as they are.
var paperForms = map[string]struct {
	columns  string
	aligns   string
	formulas []string
	wide     bool
}{
	"policies": {"models dataset policy performance cost_saved_pct", "c", []string{`F\textsubscript{1}`, `$\mathbf{F_1}$`}, false},
	"sufficiency": {"dataset models extra mse_null mse_full delta_mse p", "lc", []string{
		`MSE\textsubscript{$\beta$}`, `MSE$_{\beta}$`, `MSE\textsubscript{$\beta$+J}`, `MSE$_{\beta+J}$`,
		`$\Delta$\textsubscript{MSE}`, `$\Delta_{\mathrm{MSE}}$`,
		`information J`, `information $J$`, ` J `, ` $J$ `, `p-value`, `$p$-value`, ` $\pm$ 0`, `$\pm$0`,
	}, true},
	"data": {"dataset task", "lc", nil, false},
}

// asPaper gives a table the paper's form: its columns, and neither intervals nor bold type nor footnotes. What stands
// in for other models is said all the same.
func asPaper(t *table.Table) {
	form, ok := paperForms[t.Kind]
	if !ok {
		return
	}
	t.Bare()
	t.Formulas, t.Wide = form.formulas, form.wide
	for _, name := range strings.Fields(form.columns) {
		is := func(c table.Column) bool { return !c.DataOnly && c.Called() == name }
		at := slices.IndexFunc(t.Columns, is)
		if at >= 0 {
			t.Order = append(t.Order, at)
		}
	}
	for i, c := range t.Visible() {
		t.Columns[c].Align = table.Center
		if i == 0 && form.aligns[0] == 'l' {
			t.Columns[c].Align = table.Left
		}
	}
}
