package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// mostNamed is the number of domains up to which a matrix has their names, and its cells their numbers.
const mostNamed = 6

// kept are the looks of cells: dark, light and lighter, so that grey tells them apart.
var kept = []struct {
	budget result.Kept
	look   Look
	legend string
}{
	{result.BudgetBroken, Look{Colour: "vermilion", Shade: 0.7}, "budget broken"},
	{result.BudgetKept, Look{Colour: "sky", Shade: 0.35}, "kept"},
	{result.BudgetOpen, Look{Colour: "pale", Shade: 0.3}, "open"},
}

// transferred is a matrix for each policy: fitted on the domain of the row, used on that of the column.
func transferred(x *result.Transferred) Figure {
	f := Figure{Kind: "transfer", Of: x.Cascade, Dataset: x.Dataset, Wide: true}
	var names []string
	for k, d := range x.Domains {
		names = append(names, titled(d.Name, k))
	}
	for _, cells := range result.Chunks(x.Cells, func(c *result.Cell) string { return c.Policy }) {
		f.Panels = append(f.Panels, matrix(x, cells, names))
	}
	f.Columns = min(2, len(f.Panels))
	f.Caption = fmt.Sprintf("%s: is the error budget kept where policies are used on other domains (by %s) than they "+
		"were fitted on? Test part.", x.Cascade, x.By)
	f.Notes = []string{"The intervals of the errors less the budgets, which say so, hold together over all cells."}
	if len(names) <= mostNamed {
		f.Notes = append(f.Notes, "In a cell: error less budget, in points; cost saved, in percent of the master's.")
	} else {
		for k := range names {
			names[k] = fmt.Sprintf("%d: %s", k+1, names[k])
		}
		f.Notes = append(f.Notes, strings.Join(names, "; ")+".")
	}
	return f
}

func matrix(x *result.Transferred, cells []result.Cell, names []string) Panel {
	n, named := len(names), len(names) <= mostNamed
	end := float64(n) + 0.5
	p := Panel{Title: table.Clean(cells[0].Title), X: Axis{Label: "used on", Min: 0.5, Max: end},
		Y: Axis{Label: "fitted on", Min: 0.5, Max: end}}
	place := func(name string) float64 {
		return float64(1 + slices.IndexFunc(x.Domains, func(d result.Domain) bool { return d.Name == name }))
	}
	for _, k := range kept {
		l := Layer{Kind: Cells, Look: k.look, Legend: k.legend}
		for _, c := range cells {
			if c.Certified {
				p.Title = table.Clean(c.Title) + " where it was fitted alone"
			}
			if c.Budget != k.budget {
				continue
			}
			l.X, l.Y = append(l.X, place(c.UsedOn)), append(l.Y, float64(n+1)-place(c.FittedOn))
			if named {
				l.Texts = append(l.Texts, fmt.Sprintf("%+.1f; %.0f %%", rounded(1000*c.Excess.Value)/10, rounded(c.Saved.Value)))
			}
		}
		if len(l.X) > 0 {
			p.Layers = append(p.Layers, l)
		}
	}
	for k := 0; k < n; k += (n + 9) / 10 {
		label := fmt.Sprint(k + 1)
		if named {
			label = names[k]
		}
		p.X.Ticks = append(p.X.Ticks, Tick{float64(k + 1), label})
		p.Y.Ticks = append(p.Y.Ticks, Tick{float64(n - k), label})
	}
	return p
}

// rounded is a whole number that is never −0.
func rounded(x float64) float64 { return math.Round(x) + 0 }
