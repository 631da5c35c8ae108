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

// transferRow is a policy fitted on a domain and used on one; where there are many, on its own, with what it comes to
// on the others.
type transferRow struct {
	s    *result.Results
	t    *result.Transferred
	cell *result.Cell
	tally
}

// tally counts how often a budget is kept elsewhere.
type tally struct {
	kept, broken, open int
	worst              *result.Cell // of the largest excess; nil = it is used on one domain alone
}

func (x transferRow) outcome() *result.Realised { return &x.cell.Realised }

// transfers is what policies that are fitted on one domain come to on every other. ok is false where nothing is
// transferred.
func transfers(s *result.Results) (t table.Table, ok bool) {
	t = table.Table{Kind: "transfer"}
	many := false
	var shown, every [][]transferRow
	for i := range s.Transfer {
		x := &s.Transfer[i]
		many = many || len(x.Domains) > mostDomains
	}
	for i := range s.Transfer {
		x := &s.Transfer[i]
		for _, policy := range transferred(x) {
			var rows, data []transferRow
			for k := range x.Cells {
				c := &x.Cells[k]
				if c.Policy != policy {
					continue
				}
				row := transferRow{s: s, t: x, cell: c}
				data = append(data, row)
				if row.tally = elsewhere(x, c); !many || c.FittedOn == c.UsedOn {
					rows = append(rows, row)
				}
			}
			shown, every = append(shown, rows), append(every, data)
		}
	}
	if len(every) == 0 {
		return t, false
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

// transferred are the policies of a transfer, in order.
func transferred(x *result.Transferred) (out []string) {
	for i := range x.Cells {
		if !slices.Contains(out, x.Cells[i].Policy) {
			out = append(out, x.Cells[i].Policy)
		}
	}
	return out
}

// elsewhere is what the policy of a cell comes to on the domains that it was not fitted on.
func elsewhere(x *result.Transferred, c *result.Cell) (out tally) {
	for i := range x.Cells {
		o := &x.Cells[i]
		if o.Policy != c.Policy || o.FittedOn != c.FittedOn || o.UsedOn == c.FittedOn {
			continue
		}
		switch o.Budget {
		case result.BudgetKept:
			out.kept++
		case result.BudgetBroken:
			out.broken++
		default:
			out.open++
		}
		if out.worst == nil || o.Excess.Value > out.worst.Excess.Value {
			out.worst = o
		}
	}
	return out
}

func transferColumns(t *table.Table, s *result.Results, many bool) []column[transferRow] {
	several := severalOf(s.Transfer, func(x *result.Transferred) string { return x.Cascade })
	columns := []column[transferRow]{
		text("Study", "study", func(x transferRow) string { return x.s.Name }, csvOnly),
		text("Cascade", "cascade", func(x transferRow) string { return x.t.Cascade }, only(several), merge,
			named(style.Cascade)),
		text("Dataset", "dataset", func(x transferRow) string { return x.t.Dataset },
			only(s.Transfer[0].Dataset != ""), merge,
			named(style.Dataset)),
		cells(table.Words("Policy"), []string{"policy"}, func(x transferRow) table.Cell {
			cell := table.Of(table.Plain(x.cell.Title))
			if x.cell.Certified && (many || x.cell.FittedOn != x.cell.UsedOn) {
				cell.Mark(t.Note("transferred-promise", "The promise is about records drawn as those that it was fitted on. "+
					"Records of another domain are others: of them it says nothing."))
			}
			return cell
		}),
		text("Fitted on", "fitted_on", func(x transferRow) string { return x.cell.FittedOn }),
		text("Used on", "used_on", func(x transferRow) string { return x.cell.UsedOn }, only(!many)),
		number("Fit", "fit", func(x transferRow) table.Part {
			return count(float64(x.domain(x.cell.FittedOn).Fit))
		}, exact, csvOnly),
		number("Test", "test", func(x transferRow) table.Part {
			return count(float64(x.domain(x.cell.UsedOn).Test))
		}, exact, csvOnly),
	}
	columns = append(columns, realisedColumns[transferRow](true)...)
	if !many {
		return columns
	}
	return append(columns,
		text("Elsewhere broken, open, kept", "", func(x transferRow) string {
			return fmt.Sprintf("%d, %d, %d", x.broken, x.open, x.kept)
		}),
		cells(table.Words("Largest excess"), nil, func(x transferRow) table.Cell {
			if x.worst == nil {
				return table.Cell{}
			}
			return table.Of(percents(x.worst.Excess, 1), table.Plain(" on "+short(x.worst.UsedOn)))
		}))
}

// domain is the domain of a name.
func (x transferRow) domain(name string) result.Domain {
	return x.t.Domains[slices.IndexFunc(x.t.Domains, func(d result.Domain) bool { return d.Name == name })]
}
