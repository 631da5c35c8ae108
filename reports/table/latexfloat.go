package table

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

// How many lines of 9.6 points a float has at most, with its caption and what is below it, so that a page of the usual
// styles holds it. A table with more is a longtable, which runs over pages.
const floatLines = 52

// keptLines is how many lines of a group a longtable keeps on one page.
const keptLines = 30

// lines is how many lines the table takes, with caption and what is below it.
func (t *latex) lines(f form) float64 {
	room := int(0.7 * f.room()) // a page of one column is narrower, by a quarter
	n := 2 + float64(len(t.Caption.format(latexCaption))/room)
	for _, line := range t.below() {
		n += 1 + float64(len(line)/room)
	}
	for _, cols := range f.panels {
		heads := 0
		for _, c := range cols {
			heads = max(heads, len(c.headLines()))
		}
		n += 2 + float64(heads)
		for _, group := range t.Groups {
			if n += 0.5; f.heads {
				n += 1 + float64(int(t.groupLetters(group)/total(cols)))
			}
			for j, row := range group {
				n += t.rowLines(cols, row, j == 0)
			}
		}
	}
	return n
}

func (f form) room() float64 {
	if f.page {
		return pageRoom
	}
	return columnRoom
}

// environment is the float of a column or of a page, and where it may stand.
func environment(page bool) (name, place string) {
	if page {
		return "table*", "tp"
	}
	return "table", "htbp"
}

// float writes the table as a float.
func (t *latex) float(b *bytes.Buffer, f form) {
	name, place := environment(f.page)
	fmt.Fprintf(b, "\\begin{%s}[%s]\n  \\centering\n  \\caption{%s}\n  \\label{%s}\n  %s\n", name, place,
		t.Caption.format(latexCaption), Slug(t.Label), letters8)
	for k, cols := range f.panels {
		if k > 0 {
			b.WriteString("\\par\\medskip\n")
		}
		if f.page {
			b.WriteString("  \\begin{adjustbox}{max width=\\linewidth}\n  " + roomy + "\n")
		}
		fmt.Fprintf(b, "  \\begin{tabular}%s\n", t.spec(f, cols))
		t.heads(b, cols)
		t.rows(b, f, cols, t.Groups, "    \\midrule\n", "\\\\")
		b.WriteString("    \\bottomrule\n  \\end{tabular}")
		if f.page {
			b.WriteString("\n  \\end{adjustbox}")
		}
	}
	b.WriteString("\\par\n")
	if below := t.below(); len(below) > 0 {
		fmt.Fprintf(b, "  \\smallskip\n  \\begin{minipage}{\\linewidth}\\raggedright\n  %s\\par\n  \\end{minipage}\n",
			strings.Join(below, "\\par\n  "))
	}
	fmt.Fprintf(b, "\\end{%s}\n", name)
}

// roomy makes room for a table that is as wide as a page of two columns (article: 469 points), where a page is
// narrower: a float is made smaller as a whole, and a longtable hangs into both margins.
const roomy = "\\ifdim\\linewidth<470pt\\setlength{\\linewidth}{470pt}\\fi"

// letters8 sets letters of 8 points.
const letters8 = "\\fontsize{8}{9.6}\\selectfont\\setlength{\\tabcolsep}{3pt}"

// longtable writes the table over as many pages as it takes. In a paper of two columns these pages have one.
func (t *latex) longtable(b *bytes.Buffer, f form) {
	b.WriteString("\\begingroup\n\\csname if@twocolumn\\endcsname\\onecolumn\\let\\columnsagain\\twocolumn" +
		"\\else\\let\\columnsagain\\relax\\fi\n")
	fmt.Fprintf(b, "\\raggedbottom%s\\setlength{\\LTcapwidth}{\\linewidth}\n"+
		"\\ifdim\\linewidth<470pt\\setlength{\\LTleft}{\\dimexpr(\\linewidth-470pt)/2\\relax plus 1fill}"+
		"\\setlength{\\LTright}{\\LTleft}\\setlength{\\linewidth}{470pt}\\fi\n", letters8)
	f.page = true
	for k, cols := range f.panels {
		again := fmt.Sprintf("  \\multicolumn{%d}{@{}l@{}}{Table~\\ref{%s}, continued} \\\\\n", len(cols), Slug(t.Label))
		if k > 0 {
			b.WriteString("\\addtocounter{table}{-1}\n")
		}
		fmt.Fprintf(b, "\\begin{longtable}%s\n", t.spec(f, cols))
		if k > 0 {
			b.WriteString(again)
		} else {
			fmt.Fprintf(b, "  \\caption{%s}\\label{%s} \\\\\n", t.Caption.format(latexCaption), Slug(t.Label))
		}
		t.heads(b, cols)
		b.WriteString("  \\endfirsthead\n" + again)
		t.heads(b, cols)
		b.WriteString("  \\endhead\n  \\bottomrule\n  \\endfoot\n")
		t.rows(b, f, cols, t.blocks(cols), "    \\addlinespace\n", "\\\\*")
		b.WriteString("\\end{longtable}\n")
	}
	if below := t.below(); len(below) > 0 {
		fmt.Fprintf(b, "{\\raggedright\\noindent %s\\par}\n", strings.Join(below, "\\par\\noindent\n"))
	}
	b.WriteString("\\columnsagain\n\\endgroup\n")
}

// blocks are the groups, long ones cut into blocks that stay on a page; each begins with the group's merged cells.
func (t *latex) blocks(cols []setColumn) (out [][]Row) {
	for _, group := range t.Groups {
		start, n := 0, 0.0
		for j, row := range group {
			if n += t.rowLines(cols, row, j == 0); n > keptLines && j > start {
				out, start, n = append(out, t.block(group, start, j)), j, 0
			}
		}
		out = append(out, t.block(group, start, len(group)))
	}
	return out
}

// block are some rows of a group, with its merged cells.
func (t *latex) block(group []Row, from, to int) []Row {
	rows := slices.Clone(group[from:to])
	if from > 0 {
		rows[0] = slices.Clone(rows[0])
		for i, c := range t.Columns {
			if c.Merge && i < len(rows[0]) {
				rows[0][i] = group[0].cell(i)
			}
		}
	}
	return rows
}

// below are the lines of text below the table, in LaTeX.
func (t *latex) below() []string {
	var out []string
	if t.Short != nil {
		if len(t.Short.Remark) > 0 {
			out = append(out, t.Short.Remark.format(latexLines))
		}
		for i, n := range t.Short.Notes {
			if t.marked(func(m int) bool { return t.Short.Of[m] == i }) {
				out = append(out, footnote(i, n))
			}
		}
		return out
	}
	for _, r := range t.Remarks {
		out = append(out, r.format(latexLines))
	}
	for i, n := range t.Notes {
		if t.marked(func(m int) bool { return m == i }) {
			out = append(out, footnote(i, n.Text))
		}
	}
	return out
}

func footnote(i int, text string) string {
	return "\\textsuperscript{" + letters(i) + "}~" + latexBreakable(Clean(text))
}

// latexBreakable escapes a text that is set in lines: long words may be broken.
func latexBreakable(s string) string {
	words := strings.Split(s, " ")
	for i, w := range words {
		pieces := breaks(w)
		for k := range pieces {
			pieces[k] = latexEscape(pieces[k])
		}
		words[i] = strings.Join(pieces, "\\allowbreak{}")
	}
	return strings.Join(words, " ")
}

// marked reports whether a cell that is shown points to a footnote.
func (t *latex) marked(is func(note int) bool) bool {
	visible := (*Table)(t).Visible()
	for _, group := range t.Groups {
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
func (t *latex) latexMarks(c Cell) string {
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
