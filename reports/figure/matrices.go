package figure

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
	"infnet/sufficiency"
)

var addedLooks = []struct {
	verdict string
	look    Look
}{
	{result.Adds, Look{Colour: "blue", Shade: 0.8}},
	{result.NotShown, Look{Colour: "pale", Shade: 0.5}},
	{string(sufficiency.Undecided), Look{Colour: "orange", Shade: 0.8}},
	{result.Determined, Look{Colour: "grey", Shade: 0.75}},
}

func addedSignals(s *result.Results) (Figure, bool) {
	f := Figure{Kind: "signals"}
	var names []string // in every panel the same
	for _, c := range s.Cascades {
		for _, d := range c.Datasets {
			if d.Signals == nil {
				continue
			}
			for _, x := range d.Signals.Known() {
				if !slices.Contains(names, x) {
					names = append(names, x)
				}
			}
		}
	}
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for _, d := range c.Datasets {
			if d.Signals == nil || len(d.Signals.Adds) == 0 {
				continue
			}
			p := addedPanel(d.Signals, names, len(f.Panels)%abreast == 0)
			p.Title = titled(d.Name, len(f.Panels))
			if len(s.Cascades) > 1 {
				p.Title = titled(strings.Join(c.Models, " → "), len(f.Panels)) + "\n" + p.Title
			}
			f.Panels = append(f.Panels, p)
		}
	}
	f.Columns, f.Wide = min(len(f.Panels), abreast), len(f.Panels) > 1
	f.Caption = "Does a signal (across) tell more of where the student is wrong and the master right, once another one " +
		"(down) is known? Tests on the fit part, adjusted over all pairs."
	if len(s.StandInModels()) > 0 {
		f.Caption = "STAND-IN MODELS. " + f.Caption
	}
	return f, len(f.Panels) > 0
}

// addedPanel is one matrix: the known signal down, the tested one across. Only the first panel of a row has the names.
func addedPanel(s *result.Signals, names []string, named bool) Panel {
	n := float64(len(names))
	p := Panel{X: Axis{Label: "tested", Min: 0.4, Max: n + 0.6}, Y: Axis{Min: 0.4, Max: n + 0.6}}
	if named {
		p.Y.Label = "known"
	}
	for k, name := range names {
		number := strconv.Itoa(k + 1)
		p.X.Ticks = append(p.X.Ticks, Tick{At: float64(k + 1), Label: number})
		if named {
			number = fmt.Sprintf("%s %s", brief(name), number)
		}
		p.Y.Ticks = append(p.Y.Ticks, Tick{At: n - float64(k), Label: number})
	}
	for _, x := range addedLooks {
		l := Layer{Kind: Cells, Look: x.look, Legend: x.verdict}
		for i := range s.Adds {
			if a := &s.Adds[i]; a.Verdict(s.Alpha) == x.verdict {
				l.X = append(l.X, float64(1+slices.Index(names, a.Adds)))
				l.Y = append(l.Y, n-float64(slices.Index(names, a.Given)))
			}
		}
		if len(l.X) > 0 {
			p.Layers = append(p.Layers, l)
		}
	}
	return p
}

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
