package table

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Packages are the LaTeX packages that written tables need, which every TeX distribution has; nothing else is used
// beyond the LaTeX kernel.
var Packages = []string{"booktabs", "multirow", "adjustbox"}

// Rooms of LaTeX, in letters and rows. They decide what kind of float a table is; adjustbox makes it fit.
const (
	columnRoom = 50  // a line of a column of two
	pageRoom   = 110 // a line of a page
	floatRows  = 40  // of a float; longer tables are several
)

// LaTeX writes the table in pure ASCII that pdflatex and lualatex compile with the packages of Packages: caption and
// label, booktabs rules, names in small capitals, small letters, and what belongs below it. It is a float of a column
// or of the page, made smaller where it is wider; where a page does not hold it, the float is continued in others, and
// what belongs below is text behind them.
func (t *Table) LaTeX(w io.Writer) error {
	form := (*screen)(t).wide(Look{})
	form.shrink(math.MaxInt) // breaks heads that are wider than their cells
	width, cols, heads := form.width(), t.Visible(), false
	if width > pageRoom && !t.bare {
		rest := slices.DeleteFunc(slices.Clone(cols), func(i int) bool { return t.Columns[i].Merge })
		if heads = len(rest) > 0 && len(rest) < len(cols); heads {
			cols = rest
		}
	}
	float, place, room := "table", "htbp", columnRoom
	if t.Wide || width > columnRoom && !t.bare {
		float, place, room = "table*", "tp", pageRoom
	}
	below, floats := t.latexBelow(), t.latexFloats()
	lines := len(slices.Concat(floats[len(floats)-1]...))
	for _, text := range below {
		lines += 1 + len(text)/room
	}
	head := t.latexHead(cols, form.head)
	var b strings.Builder
	fmt.Fprintf(&b, "%% needs \\usepackage{%s}\n", strings.Join(Packages, ","))
	for k, groups := range floats {
		fmt.Fprintf(&b, "\\begin{%s}[%s]\n  \\centering\n", float, place)
		if k == 0 {
			fmt.Fprintf(&b, "  \\caption{%s}\n  \\label{%s}\n", latexText(t.Caption, false, true), Slug(t.Label))
		} else {
			fmt.Fprintf(&b, "  Table~\\ref{%s}, continued.\\par\\medskip\n", Slug(t.Label))
		}
		if !t.bare {
			b.WriteString("  \\small\\setlength{\\tabcolsep}{3pt}\n")
		}
		b.WriteString(head)
		t.latexRows(&b, cols, heads, groups)
		if k == len(floats)-1 && len(below) > 0 && lines <= floatRows {
			fmt.Fprintf(&b, "  \\par\\smallskip\n  \\begin{minipage}{\\linewidth}\\raggedright\n  %s\n  \\end{minipage}\n",
				strings.Join(below, "\\par\n  "))
		}
		fmt.Fprintf(&b, "\\end{%s}\n", float)
	}
	if lines > floatRows && len(below) > 0 { // a page may not hold them
		fmt.Fprintf(&b, "{\\small\\raggedright\\noindent %s\\par}\n", strings.Join(below, "\\par\\noindent\n"))
	}
	_, err := strings.NewReplacer(t.Formulas...).WriteString(w, b.String())
	return err
}

// latexFloats are the groups of every float. Groups that one does not hold are cut; each piece begins with the group's
// merged cells.
func (t *Table) latexFloats() [][][]Row {
	if t.bare {
		return [][][]Row{t.Groups}
	}
	floats, room := [][][]Row{nil}, floatRows
	for _, group := range t.Groups {
		for rest := group; len(rest) > 0; {
			if last := len(floats) - 1; len(rest) > room && len(floats[last]) > 0 {
				floats, room = append(floats, nil), floatRows
			}
			last, n := len(floats)-1, min(len(rest), room)
			floats[last], rest, room = append(floats[last], rest[:n:n]), rest[n:], room-n
			if len(rest) > 0 {
				again := slices.Clone(rest[0])
				for i, c := range t.Columns {
					if c.Merge && i < len(again) {
						again[i] = group[0].cell(i)
					}
				}
				rest = append([]Row{again}, rest[1:]...)
			}
		}
	}
	return floats
}

func (t *Table) latexHead(cols []int, titles []string) string {
	var aligns, cells []string
	for k, i := range t.Visible() {
		if !slices.Contains(cols, i) {
			continue
		}
		align := map[Align]string{Left: "l", Right: "r", Center: "c"}[t.Columns[i].Align]
		cell := "\\textbf{" + latexText(t.Columns[i].Head, false, false) + "}"
		marked := slices.ContainsFunc(t.Columns[i].Head, func(p Part) bool { return p.kind == sub })
		if lines := strings.Split(titles[k], "\n"); len(lines) > 1 && !marked && !t.bare {
			for n, line := range lines {
				lines[n] = "\\textbf{" + LaTeX(line) + "}"
			}
			cell = fmt.Sprintf("\\begin{tabular}[b]{@{}%s@{}}%s\\end{tabular}", align, strings.Join(lines, "\\\\"))
		}
		aligns, cells = append(aligns, align), append(cells, cell)
	}
	return fmt.Sprintf("  \\begin{adjustbox}{max width=\\linewidth}\n  \\begin{tabular}{%s}\n    \\toprule\n    %s \\\\\n",
		strings.Join(aligns, ""), strings.Join(cells, " & "))
}

// latexRows ends it with groups of rows; heads says that merged columns are lines above their groups.
func (t *Table) latexRows(b *strings.Builder, cols []int, heads bool, groups [][]Row) {
	for _, group := range groups {
		b.WriteString("    \\midrule\n")
		if words := strings.Join(t.latexMerged(group[0]), "; "); heads && words != "" {
			fmt.Fprintf(b, "    \\multicolumn{%d}{p{0.9\\linewidth}}{\\raggedright %s} \\\\\n", len(cols), words)
		}
		for j, row := range group {
			var cells []string
			for _, i := range cols {
				cell := t.latexCell(row.cell(i))
				switch {
				case t.Columns[i].Merge && j > 0:
					cell = ""
				case t.Columns[i].Merge && len(group) > 1:
					cell = fmt.Sprintf("\\multirow{%d}{*}{%s}", len(group), cell)
				}
				cells = append(cells, cell)
			}
			line := strings.TrimLeft(strings.Join(cells, " & "), " ")
			if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
				line = "{}" + line // the end of the row before would read it as its argument
			}
			fmt.Fprintf(b, "    %s \\\\\n", line)
		}
	}
	b.WriteString("    \\bottomrule\n  \\end{tabular}\n  \\end{adjustbox}\n")
}

func (t *Table) latexMerged(row Row) (out []string) {
	for _, i := range t.Visible() {
		c := row.cell(i)
		if !t.Columns[i].Merge || len(c.Text) == 0 {
			continue
		}
		if len(out) > 0 {
			c.Text = slices.Concat(t.Columns[i].Head, Words(": "), c.Text)
		}
		out = append(out, t.latexCell(c))
	}
	return out
}

// latexCell writes a cell and the letters of its footnotes.
func (t *Table) latexCell(c Cell) string {
	s := latexText(c.Text, true, false)
	if m := c.marks(); m != "" {
		s += "\\textsuperscript{" + m + "}"
	}
	return s
}

// latexBelow are the lines of text below the table: remarks, and the footnotes that a cell points to.
func (t *Table) latexBelow() (out []string) {
	marked := map[int]bool{}
	for _, group := range t.Groups {
		for j, row := range group {
			for _, i := range t.Visible() {
				if j == 0 || !t.Columns[i].Merge {
					for _, n := range row.cell(i).Marks {
						marked[n] = true
					}
				}
			}
		}
	}
	for _, r := range t.Remarks {
		out = append(out, latexText(r, true, true))
	}
	for i, n := range t.notes() {
		if marked[i] {
			out = append(out, "\\textsuperscript{"+letters(i)+"}~"+latexEscape(Clean(n.Text), true))
		}
	}
	return out
}

// latexText writes a text. Names are in small capitals with caps: bold letters have few of them, and some styles set
// captions in bold. Words may be broken where a line is breakable.
func latexText(t Text, caps, breakable bool) string {
	return t.format(dialect{escape: func(s string) string { return latexEscape(s, breakable) }, number: latexNumber,
		sub: around("\\textsubscript{", "}"), bold: around("\\textbf{", "}"),
		name: func(p Part, s string) string {
			if caps && !p.bold && s != "" && inCaps(p.str) {
				return "\\textsc{" + s + "}"
			}
			return s
		},
		interval: func(value, interval string) string { return value + latexInterval(interval) },
	}.part)
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
