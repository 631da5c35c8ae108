package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/style"
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

// captioned is how many names of a kind a caption lists: of more it says how many, for the table has their names.
const captioned = 8

func filled(s *result.Results, list []place) table.Text {
	named := func(thing string, of func(p place) string) table.Text {
		names := distinct(list, of)
		if len(names) > captioned {
			return table.Words(Plural(len(names), thing))
		}
		return namesWith(", ", names)
	}
	words := func(of func(p place) string) table.Text { return table.Words(strings.Join(distinct(list, of), ", ")) }
	dataset := func() table.Text { return named("dataset", func(p place) string { return p.d.Name }) }
	parts := map[string]func() table.Text{
		"student": func() table.Text { return named("model", func(p place) string { return p.c.Models[0] }) },
		"master": func() table.Text {
			return named("model", func(p place) string { return p.c.Models[len(p.c.Models)-1] })
		},
		"models":   func() table.Text { return modelLists(cascadesOf(list)) },
		"dataset":  dataset,
		"datasets": dataset,
		"cascade": func() table.Text {
			if n := len(cascadesOf(list)); n > captioned {
				return table.Words(Plural(n, "cascade"))
			}
			return words(func(p place) string { return p.c.Name })
		},
		"metrics": func() table.Text {
			names, _ := metricsOf(list)
			return table.Words(strings.Join(names, " / "))
		},
		"task": func() table.Text {
			return words(func(p place) string {
				if p.d.Task == "classification" {
					return p.d.Task
				}
				return "generation"
			})
		},
		"study":   func() table.Text { return table.Words(s.Name) },
		"setting": func() table.Text { return words(func(p place) string { return p.c.Setting }) },
		"target":  func() table.Text { return words(func(p place) string { return p.c.Target }) },
		"level":   func() table.Text { return table.Words(percent(s.Level)) },
	}
	out := incomplete(anyIncomplete(list))
	// The spec refuses what is no placeholder; results that another program wrote are printed as they are.
	if err := style.Fill(s.Style.Caption, func(text string) {
		if text != "" {
			out = append(out, table.Plain(text))
		}
	}, func(name string) error {
		if part := parts[name]; part != nil {
			out = append(out, part()...)
		} else {
			out = append(out, table.Plain("{"+name+"}"))
		}
		return nil
	}); err != nil {
		return table.Words(s.Style.Caption)
	}
	return out
}

func modelLists(cascades []*result.Cascade) (t table.Text) {
	if len(cascades) > captioned {
		return table.Words("the models of " + Plural(len(cascades), "cascade"))
	}
	for i, c := range cascades {
		if i > 0 {
			t = append(t, table.Plain("; "))
		}
		t = append(t, modelList(c)...)
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

// ranges says how the intervals of a table are printed: the layout decides for tables of policies alone.
func ranges(s *result.Results, policies bool) table.Ranges {
	st := s.Style
	as := st.Intervals
	if policies {
		as = st.Ranges()
	}
	switch as {
	case style.PlusMinus:
		return table.PlusMinus
	case style.NoIntervals:
		return table.NoRanges
	}
	return table.Brackets
}

// withRanges says how the intervals of a table are printed: ", with 95 % intervals in brackets"; "" = there are none.
func withRanges(s *result.Results, policies bool) string {
	switch ranges(s, policies) {
	case table.PlusMinus:
		return ", with the distances to the ends of " + percent(s.Level) + " intervals"
	case table.NoRanges:
		return ""
	}
	return ", with " + percent(s.Level) + " intervals in brackets"
}

// order is which columns a table of policies shows, and in which order; nil = the usual ones. A table of several
// datasets shows which rows are of which, and so does one of several cascades.
func order(s *result.Results, t *table.Table, list []place) []int {
	st := s.Style
	if len(st.Columns) == 0 && st.Layout != style.Paper {
		return nil
	}
	wanted := slices.Clone(st.Shown())
	for _, c := range []style.Column{style.Dataset, style.Cascade} {
		several := c == style.Dataset && len(t.Groups) > 1 || c == style.Cascade && len(cascadesOf(list)) > 1
		if several && !slices.Contains(wanted, c) {
			wanted = append([]style.Column{c}, wanted...)
		}
	}
	var out []int
	for _, c := range wanted {
		out = append(out, slices.IndexFunc(t.Columns, func(x table.Column) bool { return x.Name == string(c) }))
	}
	return out
}

func rowTitle(s *result.Results, r *result.Row) string {
	if t := s.Style.Title(r.Policy); t != r.Policy {
		return t
	}
	if s.Style.Layout == style.Paper && r.Policy != "" {
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
	"policies": {"", "c", []string{`F\textsubscript{1}`, `$\mathbf{F_1}$`}, false},
	"sufficiency": {"dataset models extra mse_null mse_full delta_mse p", "lc", []string{
		`MSE\textsubscript{$\beta$}`, `MSE$_{\beta}$`, `MSE\textsubscript{$\beta$+J}`, `MSE$_{\beta+J}$`,
		`$\Delta$\textsubscript{MSE}`, `$\Delta_{\mathrm{MSE}}$`,
		`MSE $\beta$+J`, `MSE$_{\beta+J}$`, `MSE $\beta$`, `MSE$_{\beta}$`, `$\Delta$ MSE`, `$\Delta_{\mathrm{MSE}}$`,
		`information J`, `information $J$`, ` J `, ` $J$ `, `p-value`, `$p$-value`, ` $\pm$ 0`, `$\pm$0`,
	}, true},
	"datasets": {"", "lc", nil, false},
}

// asPaper gives a table the paper's form: its columns, and neither intervals nor bold type nor footnotes. What stands
// in for other models is said all the same.
func asPaper(s *result.Results, t *table.Table) {
	form, ok := paperForms[t.Kind]
	if !ok {
		return
	}
	t.Bare()
	t.Formulas, t.Wide = form.formulas, form.wide
	for _, name := range strings.Fields(form.columns) {
		t.Order = append(t.Order, slices.IndexFunc(t.Columns, func(c table.Column) bool { return c.Called() == name }))
	}
	for i, c := range t.Visible() {
		t.Columns[c].Align = table.Center
		if i == 0 && form.aligns[0] == 'l' {
			t.Columns[c].Align = table.Left
		}
	}
	t.Intervals(ranges(s, true))
}
