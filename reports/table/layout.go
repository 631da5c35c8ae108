package table

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/olekukonko/tablewriter/tw"
	"golang.org/x/text/unicode/norm"
)

const (
	gap       = 2  // spaces between columns
	narrowest = 10 // columns of text are not wrapped to less
)

// layout is a table cut into lines for a terminal.
type layout struct {
	head     []string // may hold several lines
	rows     [][][]string
	aligns   []tw.Align
	wrap     []bool         // columns of text, which may be wrapped
	starts   map[int]bool   // rows before which a rule is drawn
	headings map[int]string // what stands in the rule's place
}

// wide is the layout with one line per row.
func (t *Table) wide(look Look) *layout {
	g := t.grid(look.cell)
	l := &layout{head: g.head, aligns: g.aligns, starts: g.starts}
	for _, r := range g.rows {
		row := make([][]string, len(r))
		for i, s := range r {
			row[i] = []string{s}
		}
		l.rows = append(l.rows, row)
	}
	return l
}

// stacked is the layout with intervals under their values and merged columns
// as headings.
func (t *Table) stacked(look Look) *layout {
	l := &layout{starts: map[int]bool{}, headings: map[int]string{}}
	var cols []int
	for _, i := range t.visible() {
		if c := t.Columns[i]; !c.Merge {
			cols = append(cols, i)
			l.aligns = append(l.aligns, c.Align.tw())
			l.wrap = append(l.wrap, !t.numeric(i))
			l.head = append(l.head, c.Head.format(look.part))
		}
	}
	for _, group := range t.Groups {
		if len(group) == 0 {
			continue
		}
		l.headings[len(l.rows)] = strings.Join(wrap(t.heading(group, look), look.Width, "  "), "\n")
		l.starts[len(l.rows)] = len(l.rows) > 0
		for _, r := range group {
			row := make([][]string, len(cols))
			for k, i := range cols {
				row[k] = look.tall(r.cell(i))
			}
			l.rows = append(l.rows, row)
		}
	}
	return l
}

// widths returns each column's width, heads included.
func (l *layout) widths() []int {
	w := make([]int, len(l.head))
	for i, h := range l.head {
		for _, s := range strings.Split(h, "\n") {
			w[i] = max(w[i], columns(s))
		}
		for _, r := range l.rows {
			for _, s := range r[i] {
				w[i] = max(w[i], columns(s))
			}
		}
	}
	return w
}

// width returns the width of a full line.
func (l *layout) width() int {
	total := -gap
	for _, w := range l.widths() {
		total += w + gap
	}
	return total
}

// shrink wraps heads and columns of text until the layout fits, and reports
// whether it does.
func (l *layout) shrink(limit int) bool {
	for i, h := range l.head {
		body := 0
		for _, word := range strings.Fields(h) {
			body = max(body, columns(word))
		}
		for _, r := range l.rows {
			for _, s := range r[i] {
				body = max(body, columns(s))
			}
		}
		l.head[i] = strings.Join(wrap(h, body, ""), "\n")
	}
	for l.width() > limit {
		widths := l.widths()
		widest := -1
		for i := range widths {
			if l.wrap[i] && widths[i] > narrowest && (widest < 0 || widths[i] > widths[widest]) {
				widest = i
			}
		}
		if widest < 0 {
			return false
		}
		to := max(narrowest, widths[widest]-(l.width()-limit))
		l.head[widest] = strings.Join(wrap(strings.ReplaceAll(l.head[widest], "\n", " "), to, ""), "\n")
		for _, r := range l.rows {
			r[widest] = wrap(strings.Join(r[widest], " "), to, "")
		}
	}
	return true
}

// render cuts rows into lines and runs tablewriter on them.
func (l *layout) render(w io.Writer, look Look) error {
	text := &plainText{widths: l.widths(), aligns: l.aligns, look: look, rules: map[int]string{}}
	rule := strings.Repeat("-", max(l.width(), 0))
	g := grid{head: l.head, aligns: l.aligns}
	for i, r := range l.rows {
		if l.starts[i] {
			text.rules[len(g.rows)] = rule + "\n"
		}
		if h := l.headings[i]; h != "" {
			text.rules[len(g.rows)] += h + "\n"
		}
		height := 1
		for _, c := range r {
			height = max(height, len(c))
		}
		for j := range height {
			line := make([]string, len(r))
			for k, c := range r {
				if j < len(c) {
					line[k] = c[j]
				}
			}
			g.rows = append(g.rows, line)
		}
	}
	text.rule = rule
	return g.render(w, text)
}

// plainText is a tablewriter renderer for terminals: aligned columns, a rule
// under the head and one before each group.
type plainText struct {
	widths []int
	aligns []tw.Align
	look   Look
	rule   string
	rules  map[int]string // what to write before a line
	w      io.Writer
	row    int
	err    error

	underlined bool
}

var _ tw.Renderer = (*plainText)(nil)

// Start remembers the writer.
func (r *plainText) Start(w io.Writer) error {
	r.w = w
	return nil
}

// Header writes a line of the head; tablewriter calls it once per line.
func (r *plainText) Header(headers [][]string, _ tw.Formatting) {
	for _, h := range headers {
		bold := slices.Clone(h)
		for i := range bold {
			if r.look.Color && bold[i] != "" {
				bold[i] = r.look.bold(bold[i], true)
			}
		}
		r.line(bold)
	}
}

// Row writes one line, after what belongs before it.
func (r *plainText) Row(row []string, _ tw.Formatting) {
	r.underline()
	r.write(r.rules[r.row])
	r.row++
	r.line(row)
}

// Close returns the first write error.
func (r *plainText) Close() error {
	r.underline()
	return r.err
}

// underline draws the rule under the head, once.
func (r *plainText) underline() {
	if !r.underlined {
		r.underlined = true
		r.write(r.rule + "\n")
	}
}

// line writes cells, padded to their columns; no line ends in spaces.
func (r *plainText) line(cells []string) {
	var b bytes.Buffer
	for i, c := range cells {
		pad := strings.Repeat(" ", max(0, r.widths[i]-columns(c)))
		switch {
		case r.aligns[i] == tw.AlignRight:
			c = pad + c
		default:
			c += pad
		}
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		b.WriteString(c)
	}
	r.write(strings.TrimRight(b.String(), " ") + "\n")
}

func (r *plainText) write(s string) {
	if r.err == nil {
		_, r.err = io.WriteString(r.w, s)
	}
}

// Footer is not used: footnotes stand outside.
func (r *plainText) Footer([][]string, tw.Formatting) {}

// Line is not used: this renderer knows where its rules go.
func (r *plainText) Line(tw.Formatting) {}

// Config says that the renderer draws no borders of tablewriter's.
func (r *plainText) Config() tw.Rendition { return borderless() }

// Logger is not used.
func (r *plainText) Logger(*ll.Logger) {}

// columns is how many terminal columns a string takes; escape sequences take
// none, and ambiguous characters take one whatever the locale says.
func columns(s string) int { return twwidth.WidthWithOptions(s, twwidth.Options{}) }

// paragraph writes text wrapped to the width; later lines get the indent.
func paragraph(w *bytes.Buffer, look Look, text, indent string) {
	for _, line := range wrap(text, look.Width, indent) {
		w.WriteString(line + "\n")
	}
}

// wrap cuts a text into lines of at most width columns (0 = no limit) at
// spaces; a word longer than a line is cut between characters.
func wrap(text string, width int, indent string) []string {
	if width <= 0 || columns(text) <= width {
		return []string{text}
	}
	var lines []string
	line := text[:len(text)-len(strings.TrimLeft(text, " "))]
	empty := true
	for _, word := range strings.Fields(text) {
		for {
			space := " "
			if empty {
				space = ""
			}
			if columns(line+space+word) <= width {
				line += space + word
				empty = false
				break
			}
			if !empty {
				lines = append(lines, line)
				line, empty = indent, true
				continue
			}
			head, tail := cut(word, max(1, width-columns(line)))
			lines = append(lines, line+head)
			line, empty = indent, true
			if word = tail; word == "" {
				break
			}
		}
	}
	if !empty {
		lines = append(lines, line)
	}
	return lines
}

// cut splits a word after at most width columns, but after one character at
// least.
func cut(word string, width int) (head, tail string) {
	at := 0
	for at < len(word) {
		n := norm.NFC.NextBoundaryInString(word[at:], true)
		if at > 0 && columns(word[:at+n]) > width {
			break
		}
		at += n
	}
	return word[:at], word[at:]
}
