package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// How high floats are, in points: with its text below a float has to fit a page of the usual styles.
const (
	tabularHigh = 400
	floatHigh   = 500
	ruleHigh    = 5 // of a rule with the room around it
)

// float is one of the floats that a table is written as.
type float struct {
	table  *Table
	form   form
	groups [][]Row
	below  []string // lines of text
	first  bool
}

// floats cuts the table into floats: rows that a page does not hold, and lines below it that do not fit there any more,
// go to the next. Each float has the footnotes that it marks, the last the remarks.
func (t *Table) floats(f form) []*float {
	var out []*float
	parts := t.cut(f)
	for k, groups := range parts {
		x := &float{table: t, form: f, groups: groups, first: k == 0}
		below := t.below(groups, k == len(parts)-1)
		out = append(out, x)
		high := x.high()
		for _, line := range below {
			more := paragraphHigh(line, f.room())
			if high += more; high > floatHigh && len(x.groups)+len(x.below) > 0 {
				x = &float{table: t, form: f}
				out, high = append(out, x), more
			}
			x.below = append(x.below, line)
		}
	}
	return out
}

// high is the height of a float without the lines below it.
func (x *float) high() float64 {
	high := 0.0
	if x.first {
		high = paragraphHigh(x.table.Caption.format(func(p Part) string { return p.str + p.number.value() }),
			x.form.room()) + 12
	}
	for _, cols := range x.form.panels {
		for _, group := range x.groups {
			high += x.form.groupHigh(x.table, cols, group)
		}
	}
	return high
}

// paragraphHigh is about the height of a text in lines of 8 points.
func paragraphHigh(text string, room float64) float64 {
	return 9.6 * float64(int(pt(Clean(text), roman, 8)/(0.9*room))+1)
}

// groupHigh is the height of a group in a tabular.
func (f form) groupHigh(t *Table, cols []setColumn, group []Row) float64 {
	high := float64(ruleHigh)
	if f.heads {
		high += float64(f.leading() * float64(int(t.groupWide(f, group)/total(cols, f.sep))+1))
	}
	for j, row := range group {
		high += f.height(t, cols, row, j == 0)
	}
	return high
}

// cut distributes the rows over floats. A group that is cut repeats its merged cells.
func (t *Table) cut(f form) [][][]Row {
	heads := 0.0
	for _, cols := range f.panels {
		lines := 1
		for _, c := range cols {
			lines = max(lines, len(c.head))
		}
		heads += float64(float64(lines)*f.leading()) + float64(3*ruleHigh)
	}
	high := func(group []Row) (h float64) {
		for _, cols := range f.panels {
			h += f.groupHigh(t, cols, group)
		}
		return h
	}
	var out [][][]Row
	var page [][]Row
	at := heads
	for _, group := range t.Groups {
		for len(group) > 0 {
			n := len(group)
			for n > 1 && high(group[:n])+heads > tabularHigh { // even a page of its own does not hold it
				n--
			}
			if len(page) > 0 && at+high(group[:n]) > tabularHigh {
				out, page, at = append(out, page), nil, heads
			}
			page = append(page, group[:n])
			at += high(group[:n])
			group = t.rest(group, n)
		}
	}
	return append(out, page)
}

// rest is a group without its first n rows; its merged cells move along.
func (t *Table) rest(group []Row, n int) []Row {
	if n == len(group) {
		return nil
	}
	left := slices.Clone(group[n:])
	left[0] = slices.Clone(left[0])
	for i, c := range t.Columns {
		if c.Merge && i < len(left[0]) {
			left[0][i] = group[0].cell(i)
		}
	}
	return left
}

// below are the lines of text below some rows, in LaTeX.
func (t *Table) below(groups [][]Row, last bool) []string {
	var out []string
	if t.Short != nil {
		if last && len(t.Short.Remark) > 0 {
			out = append(out, t.Short.Remark.format(latexLines))
		}
		for i, n := range t.Short.Notes {
			if t.marked(groups, func(m int) bool { return t.Short.Of[m] == i }) {
				out = append(out, footnote(i, n))
			}
		}
		return out
	}
	if last {
		for _, r := range t.Remarks {
			out = append(out, r.format(latexLines))
		}
	}
	for i, n := range t.Notes {
		if t.marked(groups, func(m int) bool { return m == i }) {
			out = append(out, footnote(i, n.Text))
		}
	}
	return out
}

func footnote(i int, text string) string {
	return "\\textsuperscript{" + letters(i) + "}~" + latexBreakable(Clean(text))
}

// marked reports whether a cell that is shown points to a footnote.
func (t *Table) marked(groups [][]Row, is func(note int) bool) bool {
	visible := t.visible()
	for _, group := range groups {
		for j, row := range group {
			for _, i := range visible {
				if (j == 0 || !t.Columns[i].Merge) && slices.ContainsFunc(row.cell(i).Marks, is) {
					return true
				}
			}
		}
	}
	return false
}

// latexMarks lists the letters of a cell's footnotes.
func (t *Table) latexMarks(c Cell) string {
	if t.Short == nil {
		return c.marks()
	}
	var to Cell
	for _, n := range c.Marks {
		if m := t.Short.Of[n]; m >= 0 {
			to.Mark(m)
		}
	}
	return to.marks()
}

// write writes the float.
func (x *float) write(b *bytes.Buffer) {
	t, f := x.table, x.form
	name, place := f.environment()
	fmt.Fprintf(b, "\\begin{%s}[%s]\n  \\centering\n", name, place)
	switch {
	case x.first:
		fmt.Fprintf(b, "  \\caption{%s}\n  \\label{%s}\n", t.Caption.format(latexCaption), Slug(t.Label))
	case len(x.groups) > 0:
		fmt.Fprintf(b, "  Table~\\ref{%s}, continued\\par\\smallskip\n", Slug(t.Label))
	default:
		fmt.Fprintf(b, "  Notes to Table~\\ref{%s}\\par\\smallskip\n", Slug(t.Label))
	}
	if len(x.groups) > 0 {
		fmt.Fprintf(b, "  \\fontsize{%d}{%.1f}\\selectfont\n  \\setlength{\\tabcolsep}{%gpt}\n", f.size, f.leading(), f.sep)
		for k, cols := range f.panels {
			if k > 0 {
				b.WriteString("\\par\\medskip\n")
			}
			t.tabular(b, f, cols, x.groups)
		}
		b.WriteString("\\par\n")
	}
	if len(x.below) > 0 {
		fmt.Fprintf(b, "  \\smallskip\n  \\begin{minipage}{\\linewidth}\\fontsize{8}{9.6}\\selectfont\\raggedright\n  "+
			"%s\\par\n"+
			"  \\end{minipage}\n", strings.Join(x.below, "\\par\n  "))
	}
	fmt.Fprintf(b, "\\end{%s}\n", name)
}
