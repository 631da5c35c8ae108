package audit

import (
	"fmt"
	"io"
	"strings"

	"infnet/reports/table"
)

// Tables turns the findings into tables, one each.
func Tables(findings []Finding) []table.Table {
	var out []table.Table
	for _, f := range findings {
		t := table.Table{
			Caption: table.Text{table.Plain(f.Title + ": ").Bold(), table.Plain(f.Found + ".")},
			Label:   "tab:audit-" + table.Slug(f.Title),
		}
		for _, head := range f.Columns {
			t.Columns = append(t.Columns, table.Column{Head: table.Words(head),
				Fields: []string{strings.ReplaceAll(table.Slug(head), "-", "_")}})
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

// Write writes the findings as a page in Markdown.
func Write(w io.Writer, findings []Finding) error {
	_, err := fmt.Fprint(w, `# An audit of the published tables

This page is written by a test from the printed numbers (`+"`go generate ./experiments`"+`; they are the `+"`.csv`"+` files in this folder):
no finding is typed in. `+"`infnet published audit`"+` prints the same. It speaks of arithmetic alone: whether the numbers of the
Inference networks paper fit each other, the protocol that the paper and the authors' program describe, and what counting
operations allows. A finding does not say which of two numbers is the wrong one, nor why.
`)
	for i, t := range Tables(findings) {
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
