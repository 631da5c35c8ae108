package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Packages are the LaTeX packages that a written table needs; nothing else is
// used beyond the LaTeX kernel.
var Packages = []string{"booktabs", "multirow", "graphicx"}

// pageRows is how many rows a float holds; longer tables are continued.
const pageRows = 45

// LaTeX writes the table as a float in pure ASCII that pdflatex and lualatex
// compile with the packages of Packages: booktabs rules, multi-row
// cells, names in small capitals, caption, label, and the footnotes below. A
// table wider than the line is scaled down to it; one of more than four
// columns spans both columns of a two-column page (table*); one of more than
// 45 rows is continued in further floats.
func (t *Table) LaTeX(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% needs \\usepackage{%s}\n", strings.Join(Packages, "} \\usepackage{"))
	pages := t.pages(pageRows)
	for i, page := range pages {
		if err := page.float(&b, i > 0, i == len(pages)-1); err != nil {
			return fmt.Errorf("latex table %s: %w", t.Label, err)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// pages cuts the table into tables of at most limit rows. A group that is cut
// repeats its merged cells.
func (t *Table) pages(limit int) []*Table {
	fresh := func() *Table {
		p := *t
		p.Groups = nil
		return &p
	}
	pages := []*Table{fresh()}
	rows := 0
	for _, group := range t.Groups {
		for len(group) > 0 {
			if rows == limit || rows > 0 && len(group) <= limit && rows+len(group) > limit {
				pages, rows = append(pages, fresh()), 0
			}
			n := min(len(group), limit-rows)
			p := pages[len(pages)-1]
			p.Groups = append(p.Groups, group[:n])
			rows += n
			group = t.rest(group, n)
		}
	}
	return pages
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

// float writes one float. The first has the label, the last the remarks; each
// has the footnotes that it marks.
func (t *Table) float(b *bytes.Buffer, continued, last bool) error {
	env := "table"
	if len(t.visible()) > 4 {
		env = "table*"
	}
	fmt.Fprintf(b, "\\begin{%s}[htbp]\n  \\centering\n", env)
	if continued {
		fmt.Fprintf(b, "  \\addtocounter{table}{-1}\n  \\caption{%s (continued)}\n", t.Caption.format(latexPart))
	} else {
		fmt.Fprintf(b, "  \\caption{%s}\n  \\label{%s}\n", t.Caption.format(latexPart), Slug(t.Label))
	}
	b.WriteString("  \\small\n  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	g := t.grid(latexCell)
	t.multirow(g)
	if err := g.render(b, &booktabs{starts: g.starts, aligns: g.aligns}); err != nil {
		return err
	}
	b.WriteString("  }\n")
	var below bytes.Buffer
	if last {
		for _, r := range t.Remarks {
			fmt.Fprintf(&below, "  %s\\par\n", r.format(latexPart))
		}
	}
	for i, n := range t.Notes {
		if t.marked(i) {
			fmt.Fprintf(&below, "  \\textsuperscript{%s}~%s\\par\n", letters(i), LaTeX(n.Text))
		}
	}
	if below.Len() > 0 {
		fmt.Fprintf(b, "  \\par\\smallskip\n  \\begin{minipage}{\\linewidth}\\footnotesize\n%s  \\end{minipage}\n",
			below.Bytes())
	}
	fmt.Fprintf(b, "\\end{%s}\n", env)
	return nil
}

// marked reports whether a cell that is shown points to a footnote.
func (t *Table) marked(note int) bool {
	visible := t.visible()
	for _, group := range t.Groups {
		for j, row := range group {
			for _, i := range visible {
				if (j == 0 || !t.Columns[i].Merge) && slices.Contains(row.cell(i).Marks, note) {
					return true
				}
			}
		}
	}
	return false
}

// multirow wraps the merged cells of each group's first row. A group of one
// row needs no span.
func (t *Table) multirow(g grid) {
	for k, i := range t.visible() {
		g.head[k] = "\\textbf{" + g.head[k] + "}"
		at := 0
		for _, group := range t.Groups {
			if n := len(group); t.Columns[i].Merge && n > 1 && g.rows[at][k] != "" {
				g.rows[at][k] = fmt.Sprintf("\\multirow{%d}{*}{%s}", n, g.rows[at][k])
			}
			at += len(group)
		}
	}
}

// latexCell writes a cell.
func latexCell(c Cell) string {
	s := c.Text.format(latexPart)
	if m := c.marks(); m != "" {
		s += "\\textsuperscript{" + m + "}"
	}
	return s
}

// latexPart writes one part.
func latexPart(p Part) string {
	var s, interval string
	switch p.kind {
	case number:
		s = latexNumber(p.number.value())
		if i := p.number.interval(); i != "" {
			interval = "~{\\scriptsize " + latexInterval(i) + "}"
		}
	case name:
		if s = latexEscape(cleanPart(p.str)); s != "" {
			s = "\\textsc{" + s + "}"
		}
	case sub:
		s = "\\textsubscript{" + latexEscape(cleanPart(p.str)) + "}"
	default:
		s = latexEscape(cleanPart(p.str))
	}
	if p.bold && s != "" {
		s = "\\textbf{" + s + "}"
	}
	return s + interval
}

// latexNumber sets a rounded number: a real minus sign and infinity sign.
func latexNumber(s string) string {
	switch {
	case s == "inf":
		return "$\\infty$"
	case s == "-inf":
		return "$-\\infty$"
	}
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "$-$", s[1:]
	}
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		e, _ := strconv.Atoi(exponent) // always a number: s is one of ours
		s = fmt.Sprintf("$%s\\times10^{%d}$", mantissa, e)
	}
	return sign + s
}

// latexInterval sets "[low, high]" number by number.
func latexInterval(s string) string {
	parts := strings.Split(strings.Trim(s, "[]"), ", ")
	for i := range parts {
		parts[i] = latexNumber(parts[i])
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

// Slug turns a text into a name that is safe as a LaTeX label, a file name and
// an anchor: lower-case ASCII letters, digits, colons, single dots and hyphens
// inside words, "x" where nothing is left.
func Slug(s string) string {
	var b strings.Builder
	hyphen, dot := false, false
	for _, r := range strings.ToLower(Clean(s)) {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == ':':
			switch {
			case dot:
				b.WriteByte('.')
			case hyphen && b.Len() > 0 && !strings.HasSuffix(b.String(), ":"):
				b.WriteByte('-')
			}
			hyphen, dot = false, false
			b.WriteRune(r)
		case r == '.' && !hyphen && !dot && b.Len() > 0 && !strings.HasSuffix(b.String(), ":"):
			dot = true
		default:
			hyphen, dot = true, false
		}
	}
	if b.Len() == 0 {
		return "x"
	}
	return b.String()
}
