package table

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// HTML returns the table as a <table> element and, after it, its remarks and
// footnotes. Texts are escaped; nothing in them is markup. Merged cells are in
// every row, of class "again" below the first, so that rows can be put in
// another order. A row carries data-cascade, data-dataset and data-policy where
// the table has such columns, a cell data-field, the name it has in CSV files,
// and data-value, its first number as the CSV file has it. id begins the ids of
// the footnotes.
func (t *Table) HTML(id string) (table, notes string) {
	var b strings.Builder
	id = html.EscapeString(id)
	fmt.Fprintf(&b, "<table id=\"%s\" aria-labelledby=\"%s-caption\">\n<thead><tr>", id, id)
	visible := t.visible()
	for _, i := range visible {
		c := t.Columns[i]
		fmt.Fprintf(&b, "<th scope=\"col\" class=\"%s\">%s</th>", c.Align.class(), c.Head.format(htmlPart))
	}
	b.WriteString("</tr></thead>\n")
	head := t.rowHead(visible)
	for _, group := range t.Groups {
		b.WriteString("<tbody>\n")
		for j, row := range group {
			fmt.Fprintf(&b, "<tr%s>", t.rowData(row))
			for _, i := range visible {
				t.htmlCell(&b, id, row.cell(i), i, i == head, j > 0 && t.Columns[i].Merge, group)
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>\n")
	}
	b.WriteString("</table>\n")
	return b.String(), t.htmlNotes(id)
}

// rowHead is the column that names a row: the first that is not merged.
func (t *Table) rowHead(visible []int) int {
	for _, i := range visible {
		if !t.Columns[i].Merge {
			return i
		}
	}
	return -1
}

// keyColumns are the columns that say what a row is about, and the attributes that repeat them.
var keyColumns = []struct{ field, attribute string }{
	{"cascade", "data-cascade"}, {"dataset", "data-dataset"}, {"policy_id", "data-policy"}, {"model", "data-model"},
}

func (t *Table) rowData(row Row) string {
	var b strings.Builder
	for _, key := range keyColumns {
		for i, c := range t.Columns {
			if len(c.Fields) == 1 && c.Fields[0] == key.field {
				fmt.Fprintf(&b, " %s=\"%s\"", key.attribute, html.EscapeString(row.cell(i).raw()))
			}
		}
	}
	return b.String()
}

// raw is a cell's text as it is, without its numbers.
func (c Cell) raw() string { return c.Text.format(func(p Part) string { return p.str }) }

func (t *Table) htmlCell(b *strings.Builder, id string, c Cell, column int, head, again bool, group []Row) {
	if again && len(c.Text) == 0 {
		c = group[0].cell(column)
	}
	tag, class := "td", t.Columns[column].Align.class()
	if again {
		class += " again"
	}
	if head {
		tag = `th scope="row"`
	}
	fmt.Fprintf(b, "<%s class=\"%s\"", tag, class)
	if fields := t.Columns[column].Fields; len(fields) > 0 {
		fmt.Fprintf(b, " data-field=\"%s\"", html.EscapeString(fields[0]))
	}
	for _, p := range c.Text {
		if p.kind == number {
			if !math.IsNaN(p.number.Value) {
				fmt.Fprintf(b, " data-value=\"%s\"", Raw(p.number.Value))
			}
			break
		}
	}
	fmt.Fprintf(b, ">%s", c.Text.format(htmlPart))
	if m := c.marks(); m != "" && !again {
		b.WriteString("<sup>")
		for k, letter := range strings.Split(m, ",") {
			if k > 0 {
				b.WriteString(",")
			}
			fmt.Fprintf(b, "<a href=\"#%s-%s\">%s</a>", id, letter, letter)
		}
		b.WriteString("</sup>")
	}
	fmt.Fprintf(b, "</%s>", tag[:2])
}

// htmlNotes are the remarks and the footnotes.
func (t *Table) htmlNotes(id string) string {
	var b strings.Builder
	for _, r := range t.Remarks {
		fmt.Fprintf(&b, "<p>%s</p>\n", r.format(htmlPart))
	}
	for i, n := range t.Notes {
		fmt.Fprintf(&b, "<p id=\"%s-%s\"><sup>%s</sup> <bdi>%s</bdi></p>\n", id, letters(i), letters(i), HTML(n.Text))
	}
	return b.String()
}

// HTML returns a text in HTML.
func (t Text) HTML() string { return t.format(htmlPart) }

// HTML cleans and escapes a text so that a browser shows it literally.
func HTML(s string) string { return html.EscapeString(Clean(s)) }

// htmlPart writes one part. Names are isolated, so that one that is written from right to left moves nothing else.
func htmlPart(p Part) string {
	s := html.EscapeString(cleanPart(p.str))
	switch p.kind {
	case number:
		s = p.number.value()
	case name:
		s = "<bdi class=\"name\">" + s + "</bdi>"
	case sub:
		s = "<sub>" + s + "</sub>"
	}
	if p.bold && s != "" {
		s = "<strong>" + s + "</strong>"
	}
	if p.kind == number {
		if i := p.number.interval(); i != "" {
			s = "<span class=\"estimate\">" + s + " <span class=\"range\">" + i + "</span></span>"
		}
	}
	return s
}

// class is the class of a cell by its alignment.
func (a Align) class() string {
	switch a {
	case Right:
		return "num"
	case Center:
		return "mid"
	}
	return "txt"
}
