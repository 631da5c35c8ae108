package reports

import (
	"fmt"
	"io"

	"infnet/harness/published"
	"infnet/reports/table"
)

// Audit turns the findings of an audit of the published tables into tables,
// one each.
func Audit(findings []published.Finding) []table.Table {
	var out []table.Table
	for _, f := range findings {
		t := table.Table{
			Caption: table.Text{table.Plain(f.Title + ": ").Bold(), table.Plain(f.Found + ".")},
			Label:   "tab:audit-" + table.Slug(f.Title),
		}
		for _, head := range f.Columns {
			t.Columns = append(t.Columns, table.Column{Head: table.Words(head), Fields: []string{field(head)}})
		}
		var group []table.Row
		for _, cells := range f.Rows {
			var row table.Row
			for _, text := range cells {
				row = append(row, table.Of(table.Plain(text)))
			}
			group = append(group, row)
		}
		if len(group) > 0 {
			t.Groups = [][]table.Row{group}
		}
		t.Remark(table.Plain(f.Method))
		out = append(out, t)
	}
	return out
}

// WriteAudit writes the findings as a page in Markdown.
func WriteAudit(w io.Writer, findings []published.Finding) error {
	_, err := fmt.Fprint(w, `# An audit of the published tables

This page is written by a test from the printed numbers (`+"`go generate ./experiments`"+`; they are the `+"`.csv`"+` files in this folder):
no finding is typed in. `+"`infnet published audit`"+` prints the same. It speaks of arithmetic alone: whether the numbers of the
Inference networks paper fit each other, the protocol that the paper and the authors' program describe, and what counting
operations allows. A finding does not say which of two numbers is the wrong one, nor why.
`)
	for i, t := range Audit(findings) {
		if err != nil {
			return err
		}
		if _, err = fmt.Fprintf(w, "\n## %d. %s\n\n", i+1, table.Markdown(findings[i].Title)); err != nil {
			return err
		}
		t.Caption = table.Words(findings[i].Found + ".")
		err = t.Markdown(w)
	}
	return err
}

// Published is a published table as it was printed.
func Published(b *published.Book, p *published.Table) table.Table {
	t := table.Table{Caption: table.Words("As printed in the Inference networks paper, " + p.Label + "."), Label: p.Label}
	column := func(head string, align table.Align, merge bool) {
		t.Columns = append(t.Columns, table.Column{Head: table.Words(head), Fields: []string{field(head)}, Align: align, Merge: merge})
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
				words(g.Dataset), words(g.Student), words(g.Master), words(r.Policy), words(r.Scores[0].Text + " / " + r.Scores[1].Text), words(r.Saved.Text),
			})
		}
		t.Groups = append(t.Groups, group)
		d := b.Dataset(g.Dataset)
		t.Remark(table.Name(g.Dataset), table.Plain(fmt.Sprintf(": performance is %s / %s; %s, its first %d rows, the first %g of them to fit.", d.Metrics[0], d.Metrics[1], d.Source, d.Limit, d.Fit)))
	}
	return t
}

func words(s string) table.Cell { return table.Of(table.Plain(s)) }
