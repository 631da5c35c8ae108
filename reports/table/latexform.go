package table

import (
	"math"
	"slices"
	"strings"
)

// The room that LaTeX tables are made to fit, in points: a column and a page of the narrowest usual styles of two
// columns (ACL: 219 and 455; ICML 235 and 488, article 229 and 469, acmart 241 and 506, IEEEtran 252 and 516).
const (
	columnRoom = 219
	pageRoom   = 455
)

// form is how a table is set in LaTeX.
type form struct {
	trial
	panels [][]setColumn // columns of the tabulars that stand below each other: one, unless the table is too wide
}

// trial is a form that a table may fit.
type trial struct {
	star  bool    // across both columns of a page
	size  int     // of the letters, in points: never less than 7
	sep   float64 // half the room between columns, in points
	heads bool    // merged columns are lines above their groups
	wrap  wrapping
}

// wrapping is which cells may be broken into lines.
type wrapping int

const (
	noWrap wrapping = iota
	texts
	everything
)

// setColumn is a column in a form.
type setColumn struct {
	index int      // in Table.Columns
	head  []string // the words of the head, line by line
	width float64
	wrap  bool // its cells are broken into lines of this width
}

// trials are the forms in order of preference: one column, then both; merged columns as columns, then as lines above
// their groups; letters of 8 points, then of 7; each record on a line, then on several.
var trials = []trial{
	{size: 8, sep: 4}, {size: 8, sep: 4, heads: true}, {size: 8, sep: 3}, {size: 8, sep: 3, heads: true},
	{star: true, size: 8, sep: 5}, {star: true, size: 8, sep: 3.5}, {star: true, size: 8, sep: 5, heads: true},
	{star: true, size: 8, sep: 3, heads: true}, {star: true, size: 7, sep: 3}, {star: true, size: 7, sep: 3, heads: true},
	{star: true, size: 8, sep: 4, wrap: texts}, {star: true, size: 8, sep: 3, heads: true, wrap: texts},
	{star: true, size: 7, sep: 3, heads: true, wrap: texts}, {star: true, size: 8, sep: 3, heads: true, wrap: everything},
	{star: true, size: 8, sep: 3, wrap: everything}, {star: true, size: 7, sep: 3, heads: true, wrap: everything},
	{star: true, size: 7, sep: 3, wrap: everything},
}

func (r trial) room() float64 {
	if r.star {
		return pageRoom
	}
	return columnRoom
}

// form finds the first form that the table fits. Where it fits none, its columns are split into tabulars, each of which
// begins with the columns that name the rows: letters below 7 points are not an option.
func (t *Table) form() form {
	merged := slices.ContainsFunc(t.visible(), func(i int) bool { return t.Columns[i].Merge })
	for _, r := range trials {
		if r.heads && !merged {
			continue
		}
		if cols, ok := t.fit(r, t.set(r)); ok {
			if f := (form{r, [][]setColumn{cols}}); !t.headsStickOut(f) {
				return f
			}
		}
	}
	r := trial{star: true, size: 8, sep: 3, heads: merged, wrap: everything}
	return form{r, t.panels(r)}
}

// headsStickOut reports whether a line above a group is wider than the rows below it.
func (t *Table) headsStickOut(f form) bool {
	return f.heads && slices.ContainsFunc(t.Groups, func(group []Row) bool {
		return t.groupWide(f, group) > total(f.panels[0], f.sep)
	})
}

// set are the columns of a form, as wide as they are by themselves.
func (t *Table) set(r trial) []setColumn {
	var out []setColumn
	for _, i := range t.visible() {
		if r.heads && t.Columns[i].Merge {
			continue
		}
		c := setColumn{index: i}
		for _, group := range t.Groups {
			for j, row := range group {
				if j == 0 || !t.Columns[i].Merge {
					c.width = max(c.width, t.cellWide(row.cell(i), r.size))
				}
			}
		}
		c.wrapHead(t.Columns[i].Head, r.size)
		out = append(out, c)
	}
	return out
}

// wrapHead breaks a head into lines as wide as the column's cells, and makes the column as wide as its longest word.
func (c *setColumn) wrapHead(head Text, size int) {
	c.head = nil
	text := head.format(func(p Part) string { return cleanPart(p.headWord()) })
	type piece struct{ before, text string }
	var pieces []piece
	for _, w := range strings.Fields(text) {
		for k, s := range breaks(w) {
			pieces = append(pieces, piece{map[bool]string{true: " "}[k == 0], s})
			c.width = max(c.width, pt(s, bold, size))
		}
	}
	for _, p := range pieces {
		if n := len(c.head); n > 0 && pt(c.head[n-1]+p.before+p.text, bold, size) <= c.width {
			c.head[n-1] += p.before + p.text
		} else {
			c.head = append(c.head, p.text)
		}
	}
}

// fit narrows columns until they fit the form's room; ok is false where they cannot.
func (t *Table) fit(r trial, cols []setColumn) (out []setColumn, ok bool) {
	if len(cols) == 0 {
		return nil, false
	}
	out = slices.Clone(cols)
	excess := func() float64 {
		total := 2 * r.sep * float64(len(out)-1)
		for _, c := range out {
			total += c.width
		}
		return total - r.room()
	}
	least := make([]float64, len(out))
	for k, c := range out {
		least[k] = c.width
		if r.wrap == everything || r.wrap == texts && !t.numeric(c.index) {
			least[k] = min(c.width, t.least(c, r.size))
		}
	}
	const step = 4 // points
	for excess() > 0 {
		widest := -1
		for k, c := range out {
			if c.width-step >= least[k] && (widest < 0 || c.width > out[widest].width) {
				widest = k
			}
		}
		if widest < 0 {
			return out, false
		}
		out[widest].width -= step
		out[widest].wrap = true
	}
	for k := range out {
		if out[k].wrap {
			out[k].wrapHead(t.Columns[out[k].index].Head, r.size)
		}
	}
	return out, true
}

// narrowestText is the least width to which texts are broken, in points.
const narrowestText = 64

// least is the width below which a column cannot be broken: that of its longest word, of its head too.
func (t *Table) least(c setColumn, size int) float64 {
	w := float64(narrowestText)
	if t.numeric(c.index) {
		w = 0
	}
	for _, line := range c.head {
		for _, word := range strings.Fields(line) {
			w = max(w, pt(word, bold, size))
		}
	}
	for _, group := range t.Groups {
		for j, row := range group {
			if j == 0 || !t.Columns[c.index].Merge {
				cell := row.cell(c.index)
				for _, piece := range t.pieces(cell, size) {
					w = max(w, piece)
				}
			}
		}
	}
	return w
}

// leastOf is the width below which columns cannot be broken.
func (t *Table) leastOf(cols []setColumn, size int) (w float64) {
	for _, c := range cols {
		w += min(c.width, t.least(c, size))
	}
	return w
}

// panels splits the columns into as few tabulars as they fit, each with the columns that name the rows.
func (t *Table) panels(r trial) [][]setColumn {
	all := t.set(r)
	stub := 0
	for stub < len(all) && !t.numeric(all[stub].index) {
		stub++
	}
	if stub == 0 || stub == len(all) {
		stub = min(1, len(all)-1)
	}
	crowds := func(c setColumn) bool { // a column that has no room behind the stub
		_, ok := t.fit(r, append(slices.Clone(all[:stub]), c))
		return !ok
	}
	for stub > 0 && slices.ContainsFunc(all[stub:], crowds) || stub > 1 && t.leastOf(all[:stub], r.size) > 0.6*pageRoom {
		stub--
	}
	var out [][]setColumn
	panel := slices.Clone(all[:stub])
	for _, c := range all[stub:] {
		if _, ok := t.fit(r, append(slices.Clone(panel), c)); !ok && len(panel) > stub {
			out = append(out, panel)
			panel = slices.Clone(all[:stub])
		}
		panel = append(panel, c)
	}
	out = append(out, panel)
	for i := range out {
		out[i], _ = t.fit(r, out[i])
	}
	return out
}

// total is the width of columns with the room between them.
func total(cols []setColumn, sep float64) float64 {
	w := 2 * sep * float64(len(cols)-1)
	for _, c := range cols {
		w += c.width
	}
	return w
}

// cellWide is the width of a cell on one line.
func (t *Table) cellWide(c Cell, size int) float64 {
	var w float64
	for _, p := range t.shown(c.Text) {
		w += p.wide(size)
	}
	return w + t.marksWide(c, size)
}

// marksWide is the width of a cell's footnote marks, which are set smaller, with the room around them.
func (t *Table) marksWide(c Cell, size int) float64 { return pt(t.latexMarks(c), roman, size) }

// pieces are the widths of what cannot be broken in a cell.
func (t *Table) pieces(c Cell, size int) []float64 {
	var out []float64
	open := 0.0
	for _, p := range t.shown(c.Text) {
		if p.kind == number || p.kind == figure {
			open += p.wide(size)
			continue
		}
		for i, word := range strings.Split(p.flow(c.numeric()), " ") {
			if i > 0 {
				out, open = append(out, open), 0
			}
			for k, piece := range breaks(word) {
				if k > 0 {
					out, open = append(out, open), 0
				}
				open += pt(piece, p.face(), size)
			}
		}
	}
	return append(out, open+t.marksWide(c, size))
}

// numeric reports whether a cell holds a number.
func (c Cell) numeric() bool {
	return slices.ContainsFunc(c.Text, func(p Part) bool { return p.kind == number })
}

// flow is a part's text with a space where a line may end. What is between numbers of one cell ends a line only after a
// slash.
func (p Part) flow(between bool) string {
	s := cleanPart(p.str)
	if !between {
		return s
	}
	const held = "\u00a0"
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", held), "/"+held, "/ ")
}

// lines is how many lines of a width a cell takes.
func (t *Table) lines(c Cell, width float64, size int) int {
	n, at := 1, 0.0
	space := pt(" ", roman, size)
	for _, w := range t.pieces(c, size) {
		if at > 0 && at+space+w > width {
			n, at = n+1, 0
		}
		if at > 0 {
			at += space
		}
		at += w
	}
	return n
}

// height is the height of a row of a group in a tabular, in points.
func (f form) height(t *Table, cols []setColumn, row Row, first bool) float64 {
	n := 1
	for _, c := range cols {
		if c.wrap && (first || !t.Columns[c.index].Merge) {
			n = max(n, t.lines(row.cell(c.index), c.width, f.size))
		}
	}
	return float64(n) * f.leading()
}

// leading is the distance of lines.
func (f form) leading() float64 { return math.Round(12*float64(f.size)) / 10 }
