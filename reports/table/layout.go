package table

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"golang.org/x/text/unicode/norm"
)

const (
	gap       = 2  // spaces between columns
	narrowest = 10 // columns of text are not wrapped to less
)

type layout struct {
	head     []string // may hold several lines
	rows     [][][]string
	aligns   []Align
	wrap     []bool         // columns of text, which may be wrapped
	starts   map[int]bool   // rows before which a rule is drawn
	headings map[int]string // text in place of the rule
}

func (t *screen) wide(look Look) *layout {
	g := (*Table)(t).grid(look.cell)
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
func (t *screen) stacked(look Look) *layout {
	l := &layout{starts: map[int]bool{}, headings: map[int]string{}}
	var cols []int
	for _, i := range (*Table)(t).Visible() {
		if c := t.Columns[i]; !c.Merge {
			cols = append(cols, i)
			l.aligns = append(l.aligns, c.Align)
			l.wrap = append(l.wrap, !(*Table)(t).numeric(i))
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

// render writes the lines: aligned columns, a rule under the head and one before each group.
func (l *layout) render(w *bytes.Buffer, look Look) {
	widths, rule := l.widths(), strings.Repeat("-", max(l.width(), 0))+"\n"
	line := func(cells [][]string, bold bool) {
		height := 1
		for _, lines := range cells {
			height = max(height, len(lines))
		}
		for j := range height {
			var out strings.Builder
			for i, lines := range cells {
				c := ""
				if j < len(lines) {
					c = look.bold(lines[j], bold)
				}
				if pad := strings.Repeat(" ", max(0, widths[i]-columns(c))); l.aligns[i] == Right {
					c = pad + c
				} else {
					c += pad
				}
				if i > 0 {
					out.WriteString(strings.Repeat(" ", gap))
				}
				out.WriteString(c)
			}
			w.WriteString(strings.TrimRight(out.String(), " ") + "\n")
		}
	}
	head := make([][]string, len(l.head))
	for i, h := range l.head {
		head[i] = strings.Split(h, "\n")
	}
	line(head, look.Color)
	w.WriteString(rule)
	for i, r := range l.rows {
		if l.starts[i] {
			w.WriteString(rule)
		}
		if h := l.headings[i]; h != "" {
			w.WriteString(h + "\n")
		}
		line(r, false)
	}
}

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
