package table

import (
	"fmt"
	"html"
	"math"
	"slices"
	"strings"
)

// HTML returns the table as a <table> element and, after it, its remarks and
// footnotes. Texts are escaped; nothing in them is markup. Merged cells are in
// every row, of class "again" below the first, so that rows can be put in
// another order. What a row is about is in its data-cascade, data-dataset,
// data-policy and data-model, where the table has such columns. A column's head has
// data-field, the name it has in CSV files, and a cell data-value, its first
// number as the CSV file has it. id begins the ids of the footnotes.
func (t *Table) HTML(id string) (table, notes string) { return (*page)(t).html(id) }

type page Table

func (t *page) html(id string) (table, notes string) {
	var b strings.Builder
	id = html.EscapeString(id)
	visible := (*Table)(t).Visible()
	fmt.Fprintf(&b, "<table id=\"%s\" aria-labelledby=\"%s-caption\">\n<thead><tr>", id, id)
	for _, i := range visible {
		t.htmlHead(&b, &t.Columns[i])
	}
	b.WriteString("</tr></thead>\n")
	head := slices.IndexFunc(visible, func(i int) bool { return !t.Columns[i].Merge }) // it names a row
	for _, group := range t.Groups {
		b.WriteString("<tbody>\n")
		for j, row := range group {
			fmt.Fprintf(&b, "<tr%s>", t.about(row))
			for k, i := range visible {
				t.htmlCell(&b, id, row.cell(i), i, k == head, j > 0 && t.Columns[i].Merge, group)
			}
			b.WriteString("</tr>\n")
		}
		b.WriteString("</tbody>\n")
	}
	b.WriteString("</table>\n")
	return b.String(), t.htmlNotes(id)
}

func (t *page) about(row Row) (out string) {
	for _, k := range []struct{ field, attribute string }{
		{"cascade", "data-cascade"}, {"dataset", "data-dataset"}, {"policy_id", "data-policy"}, {"model", "data-model"},
	} {
		at := slices.IndexFunc(t.Columns, func(c Column) bool { return len(c.Fields) == 1 && c.Fields[0] == k.field })
		if at < 0 {
			continue
		}
		if v := row.cell(at).Text.format(func(p Part) string { return p.str }); v != "" {
			out += fmt.Sprintf(" %s=\"%s\"", k.attribute, html.EscapeString(v))
		}
	}
	return out
}

func (t *page) htmlHead(b *strings.Builder, c *Column) {
	fmt.Fprintf(b, "<th scope=\"col\"%s", classes(aligned[c.Align]))
	name := c.Name
	if len(c.Fields) > 0 {
		name = c.Fields[0]
	}
	if name != "" {
		fmt.Fprintf(b, " data-field=\"%s\"", html.EscapeString(name))
	}
	fmt.Fprintf(b, ">%s</th>", c.Head.format(inHTML.part))
}

func (t *page) htmlCell(b *strings.Builder, id string, c Cell, column int, head, again bool, group []Row) {
	if again && len(c.Text) == 0 {
		c = group[0].cell(column)
	}
	tag, class := "td", []string{aligned[t.Columns[column].Align]}
	if t.Columns[column].Merge && !head {
		class = append(class, "group")
	}
	if again {
		class = append(class, "again")
	}
	if head {
		tag = `th scope="row"`
	}
	fmt.Fprintf(b, "<%s%s", tag, classes(class...))
	for _, p := range c.Text {
		if p.kind == number {
			if !math.IsNaN(p.number.Value) {
				fmt.Fprintf(b, " data-value=\"%s\"", Raw(p.number.Value))
			}
			break
		}
	}
	fmt.Fprintf(b, ">%s", c.Text.format(inHTML.part))
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

func (t *page) htmlNotes(id string) string {
	var b strings.Builder
	for _, r := range t.Remarks {
		fmt.Fprintf(&b, "<p>%s</p>\n", r.format(inHTML.part))
	}
	for i, n := range (*Table)(t).notes() {
		fmt.Fprintf(&b, "<p id=\"%s-%s\"><sup>%s</sup> <bdi>%s</bdi></p>\n", id, letters(i), letters(i),
			html.EscapeString(Clean(n.Text)))
	}
	return b.String()
}

// HTML returns a text in HTML.
func (t Text) HTML() string { return t.format(inHTML.part) }

// inHTML isolates names, so that one that is written from right to left moves nothing else.
var inHTML = dialect{escape: html.EscapeString, number: html.EscapeString, sub: around("<sub>", "</sub>"),
	bold: around("<strong>", "</strong>"),
	name: func(_ Part, s string) string { return "<bdi class=\"name\">" + s + "</bdi>" },
	interval: func(value, interval string) string {
		return "<span class=\"estimate\">" + value + " <span class=\"range\">" + interval + "</span></span>"
	}}

func classes(list ...string) string {
	if all := strings.TrimSpace(strings.Join(list, " ")); all != "" {
		return fmt.Sprintf(" class=\"%s\"", all)
	}
	return ""
}

// aligned are the classes of cells by their alignment.
var aligned = map[Align]string{Left: "", Right: "num", Center: "mid"}
