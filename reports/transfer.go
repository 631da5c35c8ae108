package reports

import (
	"fmt"
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports/table"
)

// mostDomains is the number of domains up to which a table has a row for each pair of them. Of more it has a row for
// each that is fitted on, and CSV files have the pairs.
const mostDomains = 6

// transferRow is a policy fitted on a domain and used on one.
type transferRow struct {
	s *result.Results
	t *result.Transferred
	*result.Cell
}

func (x transferRow) outcome() *result.Realised { return &x.Realised }

// transfers is what policies that are fitted on one domain come to on every other. ok is false where nothing is
// transferred.
func transfers(s *result.Results) (t table.Table, ok bool) {
	if len(s.Transfer) == 0 {
		return t, false
	}
	t = table.Table{Kind: "transfer"}
	many := slices.ContainsFunc(s.Transfer, func(x result.Transferred) bool { return len(x.Domains) > mostDomains })
	var shown, every [][]transferRow
	for i := range s.Transfer {
		for _, cells := range result.Chunks(s.Transfer[i].Cells, func(c *result.Cell) string { return c.Policy }) {
			var rows, all []transferRow
			for k := range cells {
				all = append(all, transferRow{s, &s.Transfer[i], &cells[k]})
				if !many || cells[k].FittedOn == cells[k].UsedOn {
					rows = append(rows, all[k])
				}
			}
			shown, every = append(shown, rows), append(every, all)
		}
	}
	by := "dataset"
	if s.Transfer[0].Dataset != "" {
		by = "value of the column " + s.Transfer[0].By
	}
	t.Caption = table.Words(fmt.Sprintf("Policies fitted on the fit part of one %s and used on the test part of another.",
		by))
	columns := transferColumns(&t, s, many)
	fill(&t, columns, shown)
	t.Data = rows(columns, every)
	budgetRemark(s, &t, "all pairs of one cascade and dataset")
	if many {
		t.Remark(table.Plain("Shown is each policy on the domain that it was fitted on, and on how many others its budget " +
			"is broken, open and kept; the CSV file has every pair."))
	}
	return t, true
}

// elsewhere counts the other domains on which the policy's budget is broken, open and kept.
func (x transferRow) elsewhere() string {
	n := map[result.Kept]int{}
	for _, c := range x.t.Cells {
		if c.Policy == x.Policy && c.FittedOn == x.FittedOn && c.UsedOn != x.FittedOn {
			n[c.Budget]++
		}
	}
	return fmt.Sprintf("%d, %d, %d", n[result.BudgetBroken], n[result.BudgetOpen], n[result.BudgetKept])
}

func transferColumns(t *table.Table, s *result.Results, many bool) []column[transferRow] {
	cascades := result.Chunks(s.Transfer, func(x *result.Transferred) string { return x.Cascade })
	return append(append([]column[transferRow]{
		text("Study", "study", func(x transferRow) string { return x.s.Name }, csvOnly),
		text("Cascade", "cascade", func(x transferRow) string { return x.t.Cascade }, only(len(cascades) > 1), merge,
			named(style.Cascade)),
		text("Dataset", "dataset", func(x transferRow) string { return x.t.Dataset }, only(s.Transfer[0].Dataset != ""),
			merge, named(style.Dataset)),
		cells(table.Words("Policy"), []string{"policy"}, func(x transferRow) table.Cell {
			cell := table.Of(table.Plain(x.Title))
			if x.Certified && (many || x.FittedOn != x.UsedOn) {
				cell.Mark(t.Note("transferred-promise", "The promise is about records drawn as those that it was fitted on. "+
					"Records of another domain are others: of them it says nothing."))
			}
			return cell
		}),
		text("Fitted on", "fitted_on", func(x transferRow) string { return x.FittedOn }),
		text("Used on", "used_on", func(x transferRow) string { return x.UsedOn }, only(!many)),
		number("Fit", "fit", func(x transferRow) table.Part { return count(float64(x.domain(x.FittedOn).Fit)) }, exact,
			csvOnly),
		number("Test", "test", func(x transferRow) table.Part { return count(float64(x.domain(x.UsedOn).Test)) }, exact,
			csvOnly),
	}, realisedColumns[transferRow]()...),
		text("Elsewhere broken, open, kept", "", transferRow.elsewhere, only(many)))
}

// domain is the domain of a name.
func (x transferRow) domain(name string) result.Domain {
	return x.t.Domains[slices.IndexFunc(x.t.Domains, func(d result.Domain) bool { return d.Name == name })]
}
