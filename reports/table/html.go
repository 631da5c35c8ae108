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
// another order. What a row is about is in data-cascade, data-dataset,
// data-policy and data-model, where the table has such columns: on the row, on
// the body of rows that share it, or on the table. A column's head has
// data-field, the name it has in CSV files, and a cell data-value, its first
// number as the CSV file has it. id begins the ids of the footnotes.
func (t *Table) HTML(id string) (table, notes string) { return (*page)(t).html(id) }

// page is a table as HTML.
type page Table

func (t *page) html(id string) (table, notes string) {
	var b strings.Builder
	id = html.EscapeString(id)
	visible := (*Table)(t).Visible()
	keys, shared := t.keys(), map[string]string{}
	for _, k := range keys {
		if v, same := sharedBy(t.Groups, k.column); same {
			shared[k.attribute] = v
		}
	}
	fmt.Fprintf(&b, "<table id=\"%s\" aria-labelledby=\"%s-caption\"%s>\n<thead><tr>", id, id, attributes(keys, shared))
	for _, i := range visible {
		t.htmlHead(&b, &t.Columns[i])
	}
	b.WriteString("</tr></thead>\n")
	head := t.rowHead(visible)
	for _, group := range t.Groups {
		own := map[string]string{}
		for _, k := range keys {
			if v, same := sharedBy([][]Row{group}, k.column); same && shared[k.attribute] == "" {
				own[k.attribute] = v
			}
		}
		fmt.Fprintf(&b, "<tbody%s>\n", attributes(keys, own))
		for j, row := range group {
			rest := map[string]string{}
			for _, k := range keys {
				if shared[k.attribute] == "" && own[k.attribute] == "" {
					rest[k.attribute] = row.cell(k.column).raw()
				}
			}
			fmt.Fprintf(&b, "<tr%s>", attributes(keys, rest))
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

func (t *page) htmlHead(b *strings.Builder, c *Column) {
	fmt.Fprintf(b, "<th scope=\"col\"%s", classes(c.Align.class()))
	name := c.Name
	if len(c.Fields) > 0 {
		name = c.Fields[0]
	}
	if name != "" {
		fmt.Fprintf(b, " data-field=\"%s\"", html.EscapeString(name))
	}
	fmt.Fprintf(b, ">%s</th>", c.Head.format(htmlPart))
}

// rowHead is the column that names a row: the first that is not merged.
func (t *page) rowHead(visible []int) int {
	for _, i := range visible {
		if !t.Columns[i].Merge {
			return i
		}
	}
	return -1
}

// key is a column that says what a row is about, and the attribute that repeats it.
type key struct {
	column    int
	attribute string
}

func (t *page) keys() (out []key) {
	for _, k := range []struct{ field, attribute string }{
		{"cascade", "data-cascade"}, {"dataset", "data-dataset"}, {"policy_id", "data-policy"}, {"model", "data-model"},
	} {
		for i, c := range t.Columns {
			if len(c.Fields) == 1 && c.Fields[0] == k.field {
				out = append(out, key{i, k.attribute})
				break
			}
		}
	}
	return out
}

// sharedBy returns the text that all rows have in a column.
func sharedBy(groups [][]Row, column int) (text string, same bool) {
	for i, group := range groups {
		for j, row := range group {
			if i == 0 && j == 0 {
				text = row.cell(column).raw()
			} else if text != row.cell(column).raw() {
				return "", false
			}
		}
	}
	return text, text != ""
}

func attributes(keys []key, values map[string]string) string {
	var b strings.Builder
	for _, k := range keys {
		if v := values[k.attribute]; v != "" {
			fmt.Fprintf(&b, " %s=\"%s\"", k.attribute, html.EscapeString(v))
		}
	}
	return b.String()
}

// raw is a cell's text as it is, without its numbers.
func (c Cell) raw() string { return c.Text.format(func(p Part) string { return p.str }) }

func (t *page) htmlCell(b *strings.Builder, id string, c Cell, column int, head, again bool, group []Row) {
	if again && len(c.Text) == 0 {
		c = group[0].cell(column)
	}
	tag, class := "td", []string{t.Columns[column].Align.class()}
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
func (t *page) htmlNotes(id string) string {
	var b strings.Builder
	for _, r := range t.Remarks {
		fmt.Fprintf(&b, "<p>%s</p>\n", r.format(htmlPart))
	}
	for i, n := range (*Table)(t).notes() {
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
		s = html.EscapeString(p.number.value())
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

// classes is the attribute of a cell's classes.
func classes(list ...string) string {
	all := strings.TrimSpace(strings.Join(list, " "))
	if all == "" {
		return ""
	}
	return fmt.Sprintf(" class=\"%s\"", all)
}

// class is the class of a cell by its alignment.
func (a Align) class() string {
	switch a {
	case Right:
		return "num"
	case Center:
		return "mid"
	}
	return ""
}
