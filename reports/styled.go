package reports

import (
	"cmp"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

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

// rowTitle is what a policy is called: as the study says; in the paper's layout as there.
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
