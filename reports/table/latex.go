package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Packages are the LaTeX packages that written tables need, which every TeX distribution has; nothing else is used
// beyond the LaTeX kernel. Each table says which of them.
var Packages = append(slices.Clone(usualPackages), "multirow")

var (
	usualPackages = []string{"booktabs", "array", "longtable", "adjustbox"}
	barePackages  = []string{"booktabs", "multirow", "adjustbox"} // of a table without footnotes
)

// LaTeX writes the table in pure ASCII that pdflatex and lualatex compile with the packages of Packages: caption and
// label, booktabs rules, names in small capitals, letters of 8 points, and what belongs below it. It is a float of one
// column of a paper of two columns, or a table* that fits the page, or, where a page does not hold it, a longtable.
func (t *Table) LaTeX(w io.Writer) error { return (*latex)(t).write(w) }

// latex is a table as LaTeX.
type latex Table

func (t *latex) write(w io.Writer) error {
	if t.bare {
		return t.plainLaTeX(w)
	}
	f := t.form()
	long := t.lines(f) > floatLines
	words := "as wide as a column"
	switch {
	case long:
		words = "runs over pages, in one column"
	case f.page:
		words = "as wide as the page"
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%% needs \\usepackage{%s}; %s\n", strings.Join(usualPackages, ","), words)
	if long {
		t.longtable(&b, f)
	} else {
		t.float(&b, f)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// plainLaTeX writes a table without footnotes as papers have it: a float, made smaller where it is wider than its
// column, with the merged cells of a group in the middle of their rows.
func (t *latex) plainLaTeX(w io.Writer) error {
	var b strings.Builder
	float, place := environment(t.Wide)
	fmt.Fprintf(&b, "%% needs \\usepackage{%s}\n\\begin{%s}[%s]\n  \\centering\n  \\caption{%s}\n  \\label{%s}\n"+
		"  \\begin{adjustbox}{max width=\\linewidth}\n", strings.Join(barePackages, ","), float, place,
		t.Caption.format(latexCaption), Slug(t.Label))
	var aligns, heads []string
	for _, i := range (*Table)(t).Visible() {
		aligns = append(aligns, t.Columns[i].Align.latex())
		heads = append(heads, "\\textbf{"+t.Columns[i].Head.format(latexHeadPart)+"}")
	}
	fmt.Fprintf(&b, "  \\begin{tabular}{%s}\n    \\toprule\n    %s \\\\\n", strings.Join(aligns, ""),
		strings.Join(heads, " & "))
	for _, group := range t.Groups {
		b.WriteString("    \\midrule\n")
		for j, row := range group {
			var cells []string
			for _, i := range (*Table)(t).Visible() {
				cell := t.latexText(row.cell(i), latexPart)
				switch {
				case t.Columns[i].Merge && j > 0:
					cell = ""
				case t.Columns[i].Merge && len(group) > 1:
					cell = fmt.Sprintf("\\multirow{%d}{*}{%s}", len(group), cell)
				}
				cells = append(cells, cell)
			}
			fmt.Fprintf(&b, "    %s \\\\\n", strings.TrimLeft(strings.Join(cells, " & "), " "))
		}
	}
	fmt.Fprintf(&b, "    \\bottomrule\n  \\end{tabular}\n  \\end{adjustbox}\n\\end{%s}\n", float)
	_, err := strings.NewReplacer(t.Formulas...).WriteString(w, b.String())
	return err
}

// latexHeadPart writes one part of a head, which is bold: few fonts have bold small capitals.
func latexHeadPart(p Part) string {
	if p.kind == name {
		p.kind = plain
	}
	return latexPart(p)
}

// spec is how a tabular is told of its columns.
func (t *latex) spec(f form, cols []setColumn) string {
	var b strings.Builder
	for _, c := range cols {
		a := t.Columns[c.index].Align
		if !c.narrow {
			b.WriteString(a.latex())
			continue
		}
		ragged := map[Align]string{Left: "right", Right: "left", Center: "centering"}[a]
		if a != Center {
			ragged = "ragged" + ragged
		}
		fmt.Fprintf(&b, ">{\\%s\\arraybackslash}p{%.3f\\linewidth}", ragged, c.letters/f.room())
	}
	return "{@{}" + b.String() + "@{}}"
}

// heads are the lines above the rows.
func (t *latex) heads(b *bytes.Buffer, cols []setColumn) {
	var heads []string
	for _, c := range cols {
		heads = append(heads, c.latexHead(t.Columns[c.index].Align.latex()))
	}
	fmt.Fprintf(b, "    \\toprule\n    %s \\\\\n    \\midrule\n", strings.TrimLeft(strings.Join(heads, " & "), " "))
}

// rows writes groups of rows; rule is between groups, and end is how all lines of a group but the last end.
func (t *latex) rows(b *bytes.Buffer, f form, cols []setColumn, groups [][]Row, rule, end string) {
	for g, group := range groups {
		if g > 0 {
			b.WriteString(rule)
		}
		if f.heads {
			t.groupHead(b, f, cols, group, end)
		}
		last := end
		for j, row := range group {
			var cells []string
			for _, c := range cols {
				cell := ""
				if j == 0 || !t.Columns[c.index].Merge {
					cell = t.latexCell(row.cell(c.index), c)
				}
				cells = append(cells, cell)
			}
			line := strings.Join(cells, " & ")
			if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
				line = "{}" + line // the end of the row before would read it as its argument
			}
			if j == len(group)-1 {
				last = "\\\\"
			}
			fmt.Fprintf(b, "    %s %s\n", strings.TrimLeft(line, " "), last)
		}
	}
}

// latexHead is a head of one line or several.
func (c setColumn) latexHead(align string) string {
	var lines []string
	for _, l := range c.headLines() {
		lines = append(lines, "\\textbf{"+latexEscape(l)+"}")
	}
	if len(lines) < 2 {
		return strings.Join(lines, "")
	}
	return fmt.Sprintf("\\begin{tabular}[b]{@{}%s@{}}%s\\end{tabular}", align, strings.Join(lines, "\\\\"))
}

// groupHead writes the merged columns of a group as a line above it.
func (t *latex) groupHead(b *bytes.Buffer, f form, cols []setColumn, group []Row, end string) {
	var words []string
	for _, c := range t.merged(group) {
		words = append(words, t.latexText(c, latexLines))
	}
	if len(words) == 0 {
		return
	}
	align := "l"
	if t.groupLetters(group) > total(cols) {
		const less = 0.85 // the columns may be narrower than they are taken for, and are not to be stretched
		align = fmt.Sprintf(">{\\raggedright\\arraybackslash}p{%.3f\\linewidth}", less*total(cols)/f.room())
	}
	fmt.Fprintf(b, "    \\multicolumn{%d}{@{}%s@{}}{%s} %s\n", len(cols), align, strings.Join(words, "; "), end)
}

// merged are the merged cells of a group, each but the first with its head.
func (t *latex) merged(group []Row) (out []Cell) {
	for _, i := range (*Table)(t).Visible() {
		c := group[0].cell(i)
		if !t.Columns[i].Merge || len(c.Text) == 0 {
			continue
		}
		if len(out) > 0 {
			c.Text = slices.Concat(t.Columns[i].Head, Words(": "), c.Text)
		}
		out = append(out, c)
	}
	return out
}

// groupLetters is the width of a group's merged cells on one line.
func (t *latex) groupLetters(group []Row) (w float64) {
	for _, c := range t.merged(group) {
		w += sum(t.pieces(c)) + 2
	}
	return w
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
func (t *latex) shown(text Text) Text {
	if t.Short == nil || !slices.ContainsFunc(text, func(p Part) bool { return p.aside }) {
		return text
	}
	return slices.DeleteFunc(slices.Clone(text), func(p Part) bool { return p.aside })
}

// latexCell writes a cell of a column.
func (t *latex) latexCell(c Cell, col setColumn) string {
	switch {
	case !col.narrow:
		return t.latexText(c, latexPart)
	case c.numeric():
		s := t.latexText(c, latexHeld)
		if strings.Count(s, " [") == 1 {
			s = strings.Replace(s, " [", "\\linebreak{}[", 1)
		}
		return s
	}
	return t.latexText(c, latexLines)
}

// latexText writes a cell's text and its marks.
func (t *latex) latexText(c Cell, part func(Part) string) string {
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

// latexHeld writes one part of a cell of numbers where lines are broken: an interval may go below its value.
func latexHeld(p Part) string {
	if p.kind == plain {
		return latexBreakable(p.flow(true))
	}
	return strings.Replace(latexPart(p), "~[", " [", 1)
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
		if strings.HasPrefix(s, "\\textsc{") {
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
