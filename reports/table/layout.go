package table

import (
	"bytes"
	"strings"
)

const (
	gap       = 2  // spaces between columns
	narrowest = 10 // columns of text are not wrapped to less
)

// layout is a table cut into lines for a terminal.
type layout struct {
	head     []string // may hold several lines
	rows     [][][]string
	aligns   []Align
	wrap     []bool         // columns of text, which may be wrapped
	starts   map[int]bool   // rows before which a rule is drawn
	headings map[int]string // text in place of the rule
}

// wide is the layout with one line per row.
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
