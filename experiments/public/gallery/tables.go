package gallery

import (
	"fmt"
	"math"
	"strings"

	"infnet/reports/table"
)

// Tables are the comparison with each paper, and the curves of each set.
func (g *Gallery) Tables() []table.Table {
	var out []table.Table
	for _, p := range g.Book.Papers {
		out = append(out, compared(p, g.of(p.Key)))
	}
	for i := range g.Curves {
		out = append(out, g.Curves[i].table())
	}
	return out
}

// compared is the table of one paper.
func compared(p Paper, lines []Comparison) table.Table {
	t := table.Table{
		Caption: table.Words(fmt.Sprintf("%s (arXiv %s): printed numbers and ours.", p.Title, p.ArXiv)),
		Label:   "tab:gallery-" + p.Key,
		Columns: []table.Column{
			{Head: table.Words("Set"), Fields: []string{"set"}, Merge: true},
			{Head: table.Words("Row"), Fields: []string{"row"}},
			{Head: table.Words("Quantity"), Fields: []string{"quantity"}},
			{Head: table.Words("Place"), Fields: []string{"place"}},
			{Head: table.Words("Published"), Align: table.Right, Fields: []string{"published"}, Exact: true},
			{Head: table.Words("±"), Align: table.Right, Fields: []string{"margin"}, Exact: true},
			{Head: table.Words("Ours"), Align: table.Right, Fields: []string{"ours"}},
			{Head: table.Words("Difference"), Align: table.Right, Fields: []string{"difference"}, Exact: true},
			{Head: table.Words("Within"), Fields: []string{"within"}},
		},
	}
	for i := range lines {
		c := &lines[i]
		if i == 0 || c.Set != lines[i-1].Set {
			t.Groups = append(t.Groups, nil)
		}
		group := &t.Groups[len(t.Groups)-1]
		*group = append(*group, c.row(&t))
	}
	t.Remark(table.Plain("Within: whether rounding, and the margin where one is printed, explain the difference. " +
		"Brackets: 95 % intervals of ours, where it is an estimate. n/a: not printed, or there is none."))
	return t
}

// row is a comparison as a line of its table; why ours is what it is becomes a
// footnote.
func (c *Comparison) row(t *table.Table) table.Row {
	q := quantities[c.Quantity]
	number := func(v float64, text string) table.Cell {
		if text == "" {
			v = math.NaN()
		}
		return table.Of(table.Num(table.Exactly(v, decimals(text))))
	}
	ours := table.Num(table.Estimated(c.Ours.Value, c.Low, c.High, q.decimals))
	if math.IsNaN(c.Low) {
		ours = table.Num(table.Exactly(c.Ours.Value, q.decimals))
	}
	cell := table.Of(ours)
	cell.Mark(t.Note("reason", "Ours: "+c.Reason+"."))
	difference := table.Of(table.Num(table.Exactly(math.NaN(), q.decimals)))
	if c.Printed() {
		difference = table.Of(table.Num(table.Exactly(c.Difference(), q.decimals)))
	}
	words := func(s string) table.Cell { return table.Of(table.Plain(s)) }
	return table.Row{table.Of(table.Name(c.Set)), words(c.Row), words(q.title), words(c.Place),
		number(c.Line.Value.Value, c.Line.Value.Text), number(c.Margin.Value, c.Margin.Text), cell, difference,
		words(string(c.Verdict()))}
}

// decimals counts the decimals of a printed number.
func decimals(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return len(after)
}

// shares are the costs at which the table of curves reads them, in percent of
// the last model's.
var shares = []int{25, 50, 75, 100}

// table reads the curves at shares of the cost of a panel's last model.
func (c *SetCurves) table() table.Table {
	t := table.Table{
		Caption: table.Words(fmt.Sprintf("%s: error (%%) of what may cost at most so much of the last model alone.", c.Set)),
		Label:   "tab:gallery-curves-" + c.Set,
		Columns: []table.Column{
			{Head: table.Words("Chain"), Fields: []string{"chain"}, Merge: true},
			{Head: table.Words("Asked"), Fields: []string{"asked"}},
		},
	}
	for _, s := range shares {
		t.Columns = append(t.Columns, table.Column{Head: table.Words(fmt.Sprintf("≤ %d %%", s)), Align: table.Right,
			Fields: []string{fmt.Sprintf("error_at_%d_pct", s)}, Exact: true})
	}
	for _, family := range Chains {
		var singles []Place
		var last Place
		for _, s := range c.Singles {
			for _, name := range family.Models {
				if s.Name == name {
					singles, last = append(singles, s), s
				}
			}
		}
		group := []table.Row{line(family.Name, "the best single model", singles, last.FitCost)}
		for _, k := range c.Cascades {
			if k.Chain == family.Name {
				group = append(group, line(family.Name, strings.Join(k.Models, " → "), k.Places, last.FitCost))
			}
		}
		t.Groups = append(t.Groups, group)
	}
	how := fmt.Sprintf("Thresholds, and the single model, are chosen by their errors and costs on %d questions that fit; "+
		"errors are of %d others", c.Fit, c.Test)
	if c.Halved {
		how += ": only 300 questions are public, and every other one fits"
	}
	half := 100 * 1.959964 * math.Sqrt(0.25/float64(c.Test))
	t.Remark(table.Plain(fmt.Sprintf("%s. A 95 %% interval reaches at most %.1f points to either side. n/a: costs more, "+
		"whatever its thresholds. A pair's thresholds are exact, those of a chain of four or five models a local optimum.",
		how, half)))
	return t
}

// line reads one curve at the shares of a cost.
func line(chain, asked string, places []Place, cost float64) table.Row {
	row := table.Row{table.Of(table.Plain(chain)), table.Of(table.Plain(asked))}
	for _, s := range shares {
		v := math.NaN()
		if p, ok := best(places, cost*float64(s)/100); ok {
			v = 100 * p.TestError
		}
		row = append(row, table.Of(table.Num(table.Exactly(v, 1))))
	}
	return row
}
