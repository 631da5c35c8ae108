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
var Packages = []string{"booktabs"}

// LaTeX writes the table in pure ASCII that pdflatex and lualatex compile with the packages of Packages: a float with
// caption and label, booktabs rules, names in small capitals, and what belongs below it. It fits a column of a paper of
// two columns, or it is a table* that fits the page: its letters are never smaller than 7 points, for what does not
// fit is set in several tabulars, and rows that a page does not hold are continued in further floats.
func (t *Table) LaTeX(w io.Writer) error {
	f := t.form()
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% needs \\usepackage{%s}; %s\n", strings.Join(Packages, "} \\usepackage{"), f.words())
	for _, x := range t.floats(f) {
		x.write(&b)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// words say how the table is set, for the reader of the source.
func (f form) words() string {
	if f.star {
		return fmt.Sprintf("spans both columns of a page, %d pt letters", f.size)
	}
	return fmt.Sprintf("fits one column of a page, %d pt letters", f.size)
}

// environment is that of the float.
func (f form) environment() (name, place string) {
	if f.star {
		return "table*", "tp"
	}
	return "table", "htbp"
}

// tabular writes rows under the heads of some columns.
func (t *Table) tabular(b *bytes.Buffer, f form, cols []setColumn, groups [][]Row) {
	var spec strings.Builder
	var heads []string
	for _, c := range cols {
		align := t.Columns[c.index].Align.latex()
		spec.WriteString(align)
		heads = append(heads, c.latexHead(align))
	}
	fmt.Fprintf(b, "  \\begin{tabular}{@{}%s@{}}\n    \\toprule\n    %s \\\\\n    \\midrule\n", spec.String(),
		strings.TrimLeft(strings.Join(heads, " & "), " "))
	for g, group := range groups {
		if g > 0 {
			b.WriteString("    \\midrule\n")
		}
		if head := t.groupHead(f, group); head != "" {
			fmt.Fprintf(b, "    \\multicolumn{%d}{@{}l@{}}{%s} \\\\\n", len(cols),
				boxed(head, total(cols, f.sep), t.groupWide(f, group)))
		}
		for j, row := range group {
			var cells []string
			for _, c := range cols {
				cell := ""
				if j == 0 || !t.Columns[c.index].Merge {
					cell = t.latexCell(row.cell(c.index), c, f.size)
				}
				cells = append(cells, cell)
			}
			line := strings.Join(cells, " & ")
			if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
				line = "{}" + line // the end of the row before would read it as its argument
			}
			fmt.Fprintf(b, "    %s \\\\\n", strings.TrimLeft(line, " "))
		}
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}")
}

// latexHead is a head of one line or several.
func (c setColumn) latexHead(align string) string {
	var lines []string
	for _, l := range c.head {
		lines = append(lines, "\\textbf{"+latexEscape(l)+"}")
	}
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	return fmt.Sprintf("\\begin{tabular}[b]{@{}%s@{}}%s\\end{tabular}", align, strings.Join(lines, "\\\\"))
}

// groupHead are the merged columns of a group where they are a line above it; "" where they are columns.
func (t *Table) groupHead(f form, group []Row) string {
	if !f.heads {
		return ""
	}
	return t.groupText(group, func(head, cell string) string { return head + cell },
		func(c Cell) string { return t.latexText(c, latexLines) },
		func(p Part) string { return latexEscape(cleanPart(p.headWord())) })
}

// groupWide is the width of that line.
func (t *Table) groupWide(f form, group []Row) float64 {
	var w float64
	t.groupText(group, func(head, _ string) string {
		w += pt(head+"; ", roman, f.size)
		return head
	}, func(c Cell) string {
		w += t.cellWide(c, f.size)
		return "x"
	}, func(p Part) string { return cleanPart(p.headWord()) })
	return w
}

// groupText joins the merged columns of a group: the first as it is, the others with their heads.
func (t *Table) groupText(group []Row, join func(head, cell string) string, cell func(Cell) string,
	head func(Part) string) string {
	var parts []string
	for _, i := range t.visible() {
		if c := t.Columns[i]; c.Merge && len(group[0].cell(i).Text) > 0 {
			if s := cell(group[0].cell(i)); s != "" {
				before := ""
				if len(parts) > 0 {
					before = c.Head.format(head) + ": "
				}
				parts = append(parts, join(before, s))
			}
		}
	}
	return strings.Join(parts, "; ")
}

// boxed puts a text that is wider than its room into lines.
func boxed(text string, room, wide float64) string {
	if wide <= room {
		return text
	}
	return fmt.Sprintf("\\parbox[t]{%dpt}{\\raggedright\\strut %s\\strut}", int(room), text)
}

func (a Align) latex() string {
	switch a {
	case Right:
		return "r"
	case Center:
		return "c"
	}
	return "l"
}

// shown are the parts of a text that LaTeX shows.
func (t *Table) shown(text Text) Text {
	if t.Short == nil || !slices.ContainsFunc(text, func(p Part) bool { return p.aside }) {
		return text
	}
	return slices.DeleteFunc(slices.Clone(text), func(p Part) bool { return p.aside })
}

// latexCell writes a cell of a column.
func (t *Table) latexCell(c Cell, col setColumn, size int) string {
	if !col.wrap || t.cellWide(c, size) <= col.width {
		return t.latexText(c, latexPart)
	}
	lines := latexLines
	if c.numeric() {
		lines = latexHeld
	}
	ragged := map[Align]string{Left: "\\raggedright", Right: "\\raggedleft", Center: "\\centering"}
	return fmt.Sprintf("\\parbox[t]{%dpt}{%s\\strut %s\\strut}", int(col.width), ragged[t.Columns[col.index].Align],
		t.latexText(c, lines))
}

// latexText writes a cell's text and its marks.
func (t *Table) latexText(c Cell, part func(Part) string) string {
	s := t.shown(c.Text).format(part)
	if m := t.latexMarks(c); m != "" {
		s += "\\textsuperscript{" + m + "}"
	}
	return s
}

// latexPart writes one part on one line.
func latexPart(p Part) string { return p.latex(latexEscape) }

// latexLines writes one part where lines are broken.
func latexLines(p Part) string { return p.latex(latexBreakable) }

// latexHeld writes one part of a cell of numbers where lines are broken.
func latexHeld(p Part) string {
	if p.kind != plain {
		return latexPart(p)
	}
	return latexBreakable(p.flow(true))
}

// latexCaption writes one part of a caption: some styles set captions in bold letters, of which few fonts have small
// capitals.
func latexCaption(p Part) string {
	if p.kind == name {
		p.kind = plain
	}
	return latexLines(p)
}

// latex writes one part; texts are escaped with escape.
func (p Part) latex(escape func(string) string) string {
	var s, interval string
	switch p.kind {
	case number:
		s = latexNumber(p.number.value())
		interval = latexInterval(p.number.interval())
	case figure:
		s = latexNumber(p.str)
	case name:
		if s = escape(cleanPart(p.str)); s != "" && inCaps(p.str) {
			s = "\\textsc{" + s + "}"
		}
	case sub:
		s = "\\textsubscript{" + escape(cleanPart(p.str)) + "}"
	default:
		s = escape(cleanPart(p.str))
	}
	if p.bold && s != "" {
		if p.face() == bold && strings.HasPrefix(s, "\\textsc{") {
			s = strings.TrimSuffix(strings.TrimPrefix(s, "\\textsc{"), "}") // few fonts have bold small capitals
		}
		s = "\\textbf{" + s + "}"
	}
	return s + interval
}

// headWord is a part of a head, which is set in bold letters of one size.
func (p Part) headWord() string {
	if p.kind == number {
		return p.number.value()
	}
	return p.str
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
	if below, ok := strings.CutPrefix(s, "< "); ok {
		return "$<$ " + below
	}
	if strings.HasPrefix(s, "-") {
		sign, s = "$-$", s[1:]
	}
	if mantissa, exponent, ok := strings.Cut(s, "e"); ok {
		e, _ := strconv.Atoi(exponent) // always a number: s is one of ours
		s = fmt.Sprintf("$%s\\times10^{%d}$", mantissa, e)
	}
	return sign + s
}

// latexInterval sets an interval, number by number, with the space before it.
func latexInterval(s string) string {
	if off, ok := strings.CutPrefix(s, "±"); ok {
		return "\\,$\\pm$\\," + latexNumber(off)
	}
	if up, down, ok := strings.Cut(strings.TrimPrefix(s, "+"), " −"); ok {
		bare := func(s string) string { return strings.Trim(latexNumber(s), "$") }
		return fmt.Sprintf("$^{+%s}_{-%s}$", bare(up), bare(down))
	}
	if s == "" {
		return ""
	}
	if least, ok := strings.CutPrefix(s, "[at least "); ok {
		return "~[at~least~" + latexNumber(strings.TrimSuffix(least, "]")) + "]"
	}
	parts := strings.Split(strings.Trim(s, "[]"), ", ")
	for i := range parts {
		parts[i] = latexNumber(parts[i])
	}
	return "~[" + strings.Join(parts, ",\\,") + "]"
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
