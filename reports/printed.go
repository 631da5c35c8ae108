package reports

import (
	"fmt"

	"infnet/harness/published"
	"infnet/reports/table"
)

// Published is a published table as it was printed.
func Published(b *published.Book, p *published.Printed) table.Table {
	t := table.Table{Caption: table.Words("As printed in the Inference networks paper, " + p.Label + "."), Label: p.Label}
	column := func(head string, align table.Align, merge bool) {
		t.Columns = append(t.Columns, table.Column{Head: table.Words(head), Fields: []string{field(head)}, Align: align,
			Merge: merge})
	}
	column("Dataset", table.Left, true)
	column("Student", table.Left, true)
	column("Master", table.Left, true)
	if len(p.Tests) > 0 {
		column("Extra information J", table.Left, false)
		for _, head := range []string{"MSE β", "MSE β+J", "ΔMSE", "p"} {
			column(head, table.Right, false)
		}
		var group []table.Row
		for _, x := range p.Tests {
			group = append(group, table.Row{
				words(x.Dataset), words(x.Student), words(x.Master), words(x.Extra), words(x.Null.Text + " ± " + x.NullSD.Text),
				words(x.Full.Text + " ± " + x.FullSD.Text), words(x.Delta.Text), words(x.P.Text + " ± " + x.PSD.Text),
			})
		}
		for i := range group { // every row says whose it is
			t.Groups = append(t.Groups, group[i:i+1])
		}
		return t
	}
	column("Policy", table.Left, false)
	column("Performance", table.Center, false)
	column("Cost Saved (%)", table.Right, false)
	for _, g := range p.Groups {
		var group []table.Row
		for _, r := range g.Rows {
			group = append(group, table.Row{
				words(g.Dataset), words(g.Student), words(g.Master), words(r.Policy), words(r.Scores[0].Text + " / " +
					r.Scores[1].Text), words(r.Saved.Text),
			})
		}
		t.Groups = append(t.Groups, group)
		d := b.Dataset(g.Dataset)
		t.Remark(table.Name(g.Dataset),
			table.Plain(fmt.Sprintf(": performance is %s / %s; %s, its first %d rows, the first %g of them to fit.",
				d.Metrics[0], d.Metrics[1], d.Source, d.Limit, d.Fit)))
	}
	return t
}

func words(s string) table.Cell { return table.Of(table.Plain(s)) }
