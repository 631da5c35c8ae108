package reports

import (
	"fmt"
	"math"
	"strings"

	"infnet/harness/result"
	"infnet/reports/table"
)

// publishedTables are the tables that compare a study with a published one: performance and cost where that is a table
// of policies, one table where it is a table of sufficiency tests.
func publishedTables(s *result.Results) []table.Table {
	p := s.Published
	if p == nil {
		return nil
	}
	if len(p.Groups) > 0 && len(p.Groups[0].Tests) > 0 {
		return []table.Table{testsAgainst(s, p)}
	}
	return []table.Table{scoresAgainst(s, p), costsAgainst(s, p)}
}

// dash is printed where there is no verdict.
const dash = "–"

func verdictWord(c result.Compare) string {
	if c.Within == "" {
		return dash
	}
	return c.Within
}

// printed writes a published number with the digits it has.
func printed(c result.Compare) table.Part {
	_, decimals, _ := strings.Cut(c.Printed, ".")
	return table.Num(table.Exactly(c.Value, len(decimals)))
}

func estimate(c result.Compare, decimals int) table.Part {
	if c.Ours.N == 0 {
		return table.Num(table.Exactly(math.NaN(), decimals))
	}
	return table.Num(table.Estimated(c.Ours.Value, c.Ours.Low, c.Ours.High, decimals))
}

func difference(c result.Compare, decimals int) table.Part {
	return table.Num(table.Exactly(float64(c.Difference), decimals))
}

// publishedHead are the first columns of these tables.
func publishedHead() []table.Column {
	return []table.Column{
		{Head: table.Words("Study"), Fields: []string{"study"}, DataOnly: true},
		{Head: table.Words("Published table"), Fields: []string{"published_table"}, DataOnly: true},
		{Head: table.Words("Pair"), Fields: []string{"pair"}, DataOnly: true},
		{Head: table.Words("Our row"), Fields: []string{"policy_id"}, DataOnly: true},
		{Head: table.Words("Alike"), Fields: []string{"alike"}, DataOnly: true},
		{Head: table.Words("Differs"), Fields: []string{"differs"}, DataOnly: true},
		{Head: table.Words("Dataset"), Fields: []string{"dataset"}, Merge: true},
		{Head: table.Words("Policy"), Fields: []string{"policy"}},
	}
}

func publishedStart(s *result.Results, p *result.Published, g *result.PublishedGroup, row, policy string) table.Row {
	var kinds []string
	for _, n := range g.Differs {
		kinds = append(kinds, string(n.Kind))
	}
	return table.Row{
		words(s.Name), words(p.Table), words(g.Student + " / " + g.Master), words(row), words(yesNo(g.Alike)),
		words(strings.Join(kinds, " ")),
		table.Of(table.Name(g.Dataset)), words(policy),
	}
}

// eachRow makes the rows of a table of policies, with the footnotes of groups
// and rows.
func eachRow(s *result.Results, p *result.Published, t *table.Table,
	cells func(*result.PublishedGroup, *result.PublishedRow) table.Row) {
	start := len(publishedHead())
	for i := range p.Groups {
		g := &p.Groups[i]
		var group []table.Row
		var about table.Cell
		mark(t, g, &about)
		for j := range g.Rows {
			r := &g.Rows[j]
			row := append(publishedStart(s, p, g, r.Row, r.Policy), cells(g, r)...)
			for _, n := range r.Notes {
				row[start-1].Mark(t.Note(string(n.Kind), n.Text))
			}
			group = append(group, row)
		}
		group[0][start-2].Marks = about.Marks
		t.Groups = append(t.Groups, group)
	}
}

// mark adds footnotes to a group's first cell: what differs, and what else a reader should know.
func mark(t *table.Table, g *result.PublishedGroup, c *table.Cell) {
	for _, n := range g.Differs {
		c.Mark(t.Note(string(n.Kind), n.Text))
	}
	for _, n := range g.Notes {
		c.Mark(t.Note(string(n.Kind), n.Text))
	}
}

func scoresAgainst(s *result.Results, p *result.Published) table.Table {
	t := table.Table{
		Caption: publishedCaption(p, "performance"),
		Kind:    "published-performance",
		Columns: publishedHead(),
	}
	names := p.Groups[0].Metrics
	columns := func(head string, align table.Align, exact bool, suffix string) {
		var fields []string
		for k := range names {
			fields = append(fields, fmt.Sprintf("score%d_%s", k+1, suffix))
		}
		t.Columns = append(t.Columns, table.Column{Head: table.Words(head), Fields: fields, Align: align, Exact: exact})
	}
	columns("Published", table.Center, true, "published")
	columns("Ours", table.Center, false, "ours")
	columns("Difference", table.Center, true, "difference")
	t.Columns = append(t.Columns, table.Column{Head: table.Words("Within ours"), Fields: []string{"within"},
		Align: table.Center})
	eachRow(s, p, &t, func(_ *result.PublishedGroup, r *result.PublishedRow) table.Row {
		var theirs, ours, off table.Cell
		var within []string
		for k, c := range r.Scores {
			if k > 0 {
				slash := table.Plain(" / ")
				theirs.Text, ours.Text, off.Text = append(theirs.Text, slash), append(ours.Text, slash), append(off.Text, slash)
			}
			theirs.Text, ours.Text, off.Text = append(theirs.Text, printed(c)), append(ours.Text,
				estimate(c, 2)), append(off.Text, difference(c, 2))
			within = append(within, verdictWord(c))
		}
		return table.Row{theirs, ours, off, words(strings.Join(within, " / "))}
	})
	t.Remark(table.Plain("Performance: " + strings.Join(names, " / ") + ". " + publishedReading(s)))
	return t
}

func costsAgainst(s *result.Results, p *result.Published) table.Table {
	t := table.Table{
		Caption: publishedCaption(p, "cost saved and share deferred"),
		Kind:    "published-cost",
		Columns: publishedHead(),
	}
	for _, what := range []struct{ head, field string }{{"Saved", "saved"}, {"Deferred", "deferred"}} {
		t.Columns = append(t.Columns,
			table.Column{Head: table.Words(what.head + " (%) published"), Fields: []string{what.field + "_published"},
				Exact: true, Align: table.Right},
			table.Column{Head: table.Words("ours"), Fields: []string{what.field + "_ours"}, Align: table.Right},
			table.Column{Head: table.Words("difference"), Fields: []string{what.field + "_difference"}, Exact: true,
				Align: table.Right},
			table.Column{Head: table.Words("within"), Fields: []string{what.field + "_within"}, Align: table.Center})
	}
	t.Columns = append(t.Columns, table.Column{Head: table.Words("Cost summary of ours"), Fields: []string{"summary"},
		DataOnly: true})
	other := map[string]bool{}
	eachRow(s, p, &t, func(_ *result.PublishedGroup, r *result.PublishedRow) table.Row {
		d := r.Deferred
		implied := table.Num(table.Exactly(d.Value, 1).AsPercent())
		ours, off := table.Num(table.Exactly(math.NaN(), 1)), table.Num(table.Exactly(float64(d.Difference), 1).AsPercent())
		if d.Ours.N > 0 {
			ours = table.Num(table.Estimated(d.Ours.Value, d.Ours.Low, d.Ours.High, 1).AsPercent())
		}
		if r.Summary != "" {
			other[r.Summary] = true
		}
		return table.Row{
			table.Of(printed(r.Saved)), table.Of(estimate(r.Saved, 2)), table.Of(difference(r.Saved, 2)),
			words(verdictWord(r.Saved)),
			table.Of(implied), table.Of(ours), table.Of(off), words(verdictWord(d)), words(r.Summary),
		}
	})
	text := "The published share deferred is read off the printed savings: a cascade that defers a share Def saves " +
		"100·Def less than one that defers nothing, whatever the costs are. So it can be compared where savings cannot. "
	if other["signature"] {
		text += "Our savings are by the published summary of costs, the signature, which is no physical cost. "
	} else {
		text += "Published savings are of a weighted summary of costs, the signature, which is defined for models of a " +
			"billion parameters or more; ours are of other costs, and there is no verdict on them. "
	}
	t.Remark(table.Plain(text + publishedReading(s)))
	for _, p := range places(s) {
		if e := p.d.Counts.Estimated; len(e) > 0 {
			t.Remark(table.Name(p.d.Name), table.Plain(": "+estimateNote(e)))
		}
	}
	return t
}

func testsAgainst(s *result.Results, p *result.Published) table.Table {
	t := table.Table{
		Caption: publishedCaption(p, "the sufficiency of the confidence"),
		Kind:    "published-sufficiency",
	}
	h := publishedHead()
	t.Columns = append(t.Columns, h[:len(h)-1]...)
	t.Columns[2].DataOnly = false // two pairs share a dataset
	t.Columns[2].Merge = true
	t.Columns = append(t.Columns, table.Column{Head: table.Words("J"), Fields: []string{"extra"}})
	number := func(head, field string, exact bool) {
		t.Columns = append(t.Columns, table.Column{Head: table.Words(head), Fields: []string{field}, Exact: exact,
			Align: table.Right})
	}
	number("MSE β", "mse_null_published", true)
	number("ours", "mse_null_ours", true)
	number("MSE β+J", "mse_full_published", true)
	number("ours", "mse_full_ours", true)
	number("ΔMSE", "delta_published", true)
	number("ours", "delta_ours", false)
	number("difference", "delta_difference", true)
	t.Columns = append(t.Columns, table.Column{Head: table.Words("within"), Fields: []string{"delta_within"},
		Align: table.Center})
	number("p", "p_published", true)
	number("ours", "p_ours", false)
	for i := range p.Groups {
		g := &p.Groups[i]
		var group []table.Row
		var about table.Cell
		mark(&t, g, &about)
		for j := range g.Tests {
			x := &g.Tests[j]
			row := publishedStart(s, p, g, "", x.Extra)
			for _, n := range x.Notes {
				row[len(row)-1].Mark(t.Note(string(n.Kind), n.Text))
			}
			mean := func(c result.Compare) table.Cell {
				v := math.NaN()
				if c.Ours.N > 0 {
					v = c.Ours.Value
				}
				return table.Of(table.Num(table.Exactly(v, 4)))
			}
			p := table.Estimated(x.P.Ours.Value, x.P.Ours.Low, x.P.Ours.High, 3)
			if p.PValue = true; x.P.Ours.N == 0 {
				p = table.Exactly(math.NaN(), 3)
			}
			ours := table.Num(p)
			group = append(group, append(row,
				table.Of(printed(x.Null)), mean(x.Null), table.Of(printed(x.Full)), mean(x.Full),
				table.Of(printed(x.Delta)), table.Of(estimate(x.Delta, 4)), table.Of(difference(x.Delta, 4)),
				words(verdictWord(x.Delta)),
				table.Of(printed(x.P)), table.Of(ours)))
		}
		group[0][6].Marks = about.Marks
		t.Groups = append(t.Groups, group)
	}
	t.Remark(table.Plain("Mean squared errors are means over folds. ΔMSE: its interval is over records; that of p " +
		"is the Monte-Carlo interval of the shuffles. " + publishedReading(s)))
	return t
}

func publishedCaption(p *result.Published, what string) table.Text {
	alike := 0
	for _, g := range p.Groups {
		if g.Alike {
			alike++
		}
	}
	return table.Words(fmt.Sprintf("Published (%s) and ours: %s. %d of %d groups were made alike.", p.Table, what, alike,
		len(p.Groups)))
}

// publishedReading says how to read the verdict.
func publishedReading(s *result.Results) string {
	return fmt.Sprintf("Difference: ours minus the published number. Within: is the published number, give or take its "+
		"rounding, in our %s interval? %s: no verdict, as something differs that the footnotes name, or one of the two is "+
		"not there. Prompts are our own words in every case: the paper does not print its.", percent(s.Level), dash)
}

func words(s string) table.Cell { return table.Of(table.Plain(s)) }
