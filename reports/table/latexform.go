package table

import (
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A line of a table is measured in letters of 4.5 points, a little more than a digit takes at the 8 points that tables
// are set in. The rooms are a column and a page of the narrowest usual style of two columns (ACL: 219 and 455 points).
const (
	columnRoom  = 48
	pageRoom    = 100
	roomBetween = 1.4  // of two columns
	space       = 0.65 // of a text
)

// form is how a table is set in LaTeX.
type form struct {
	page   bool          // as wide as the page, not as a column of two
	heads  bool          // merged columns are lines above their groups
	panels [][]setColumn // tabulars below each other: one, unless the table is too wide
}

// setColumn is a column in a form.
type setColumn struct {
	index   int      // in Table.Columns
	head    []string // the words of the head, each with the space before it
	letters float64  // its width
	least   float64  // the width below which its cells cannot be broken into lines
	numeric bool
	narrow  bool // its cells are broken into lines
}

// form finds the least room that the table fits with a line for each row. Where it fits none, merged columns become
// lines above their groups, cells become several lines, and where even that is too wide, the columns are split into
// tabulars that begin with the columns that name the rows.
func (t *latex) form() form {
	cols := t.set((*Table)(t).Visible())
	if w := total(cols); w <= pageRoom {
		return form{page: w > columnRoom, panels: [][]setColumn{cols}}
	}
	bare := slices.DeleteFunc(slices.Clone(cols), func(c setColumn) bool { return t.Columns[c.index].Merge })
	if len(bare) == 0 {
		bare = cols
	}
	return form{page: true, heads: len(bare) < len(cols), panels: panels(bare)}
}

// set are columns as wide as they are by themselves.
func (t *latex) set(indices []int) []setColumn {
	var out []setColumn
	for _, i := range indices {
		c := setColumn{index: i, numeric: (*Table)(t).numeric(i)}
		for _, group := range t.Groups {
			for j, row := range group {
				if j == 0 || !t.Columns[i].Merge {
					words := t.pieces(row.cell(i))
					c.letters = max(c.letters, sum(words))
					for _, w := range words {
						c.least = max(c.least, w)
					}
				}
			}
		}
		c.measureHead(t.Columns[i].Head)
		out = append(out, c)
	}
	return out
}

// measureHead makes the column as wide as the longest word of its head.
func (c *setColumn) measureHead(head Text) {
	for _, w := range strings.Fields(head.format(func(p Part) string { return cleanPart(p.headWord()) })) {
		for k, piece := range breaks(w) {
			c.least = max(c.least, wide(piece, true))
			if k == 0 {
				piece = " " + piece
			}
			c.head = append(c.head, piece)
		}
	}
	c.letters = max(c.letters, c.least)
}

// headLines are the lines of the head, as wide as the column's cells.
func (c setColumn) headLines() (out []string) {
	for _, p := range c.head {
		if n := len(out); n > 0 && wide(out[n-1]+p, true) <= c.letters {
			out[n-1] += p
		} else {
			out = append(out, strings.TrimPrefix(p, " "))
		}
	}
	return out
}

// panels splits columns into as few tabulars as a page holds, each with the columns that name the rows.
func panels(all []setColumn) [][]setColumn {
	fits := func(cols []setColumn, room float64) bool {
		w := roomBetween * float64(len(cols)-1)
		for _, c := range cols {
			w += c.least
		}
		return w <= room
	}
	stub := min(1, len(all)-1)
	for stub < len(all)-1 && !all[stub].numeric && fits(all[:stub+1], pageRoom/2) {
		stub++
	}
	var out [][]setColumn
	panel := slices.Clone(all[:stub])
	for _, c := range all[stub:] {
		if len(panel) > stub && !fits(append(slices.Clone(panel), c), pageRoom) {
			out, panel = append(out, panel), slices.Clone(all[:stub])
		}
		panel = append(panel, c)
	}
	out = append(out, panel)
	for _, cols := range out {
		narrow(cols)
	}
	return out
}

// narrow breaks cells into lines until the columns fit a page: long texts first, then the widest column. Of a column of
// numbers the intervals go below their values.
func narrow(cols []setColumn) {
	const longText = 16
	for total(cols) > pageRoom {
		widest, weight := -1, 0.0
		for k, c := range cols {
			w := c.letters
			if !c.numeric && w > longText {
				w += pageRoom
			}
			if c.letters > c.least && w > weight {
				widest, weight = k, w
			}
		}
		if widest < 0 {
			return
		}
		c := &cols[widest]
		c.narrow = true
		if c.letters = max(c.least, c.letters-1); c.numeric {
			c.letters = c.least
		}
	}
}

// total is the width of columns with the room between them.
func total(cols []setColumn) float64 {
	w := roomBetween * float64(len(cols)-1)
	for _, c := range cols {
		w += c.letters
	}
	return w
}

func sum(xs []float64) (s float64) {
	for _, x := range xs {
		s += x
	}
	return s
}

// wide is about the width of a text in letters; bold letters and small capitals are wider.
func wide(s string, broad bool) float64 {
	w := 0.0
	for _, r := range s {
		switch {
		case strings.HasPrefix(latexEscape(string(r)), "[U+"):
			w += 10
		case r >= 'A' && r <= 'Z' || strings.ContainsRune("mw%@&", r):
			w += 1.4
		case strings.ContainsRune(" \u00a0.,:;'()[]|/-+fijlrt", r):
			w += 0.65
		case r > '~':
			w += 1.8
		default:
			w++
		}
	}
	if broad {
		w *= 1.2
	}
	return w
}

// wideNumber is the width of a number or an interval: 10 to a power takes more room than its "e".
func wideNumber(s string, broad bool) float64 {
	return wide(s, broad) + 2.5*float64(strings.Count(s, "e"))
}

// pieces are the widths of what cannot be broken in a cell, each with the space behind it.
func (t *latex) pieces(c Cell) []float64 {
	var out []float64
	open := 0.0
	for _, p := range t.shown(c.Text) {
		switch p.kind {
		case number:
			open += wideNumber(p.number.value(), p.bold)
			switch i := p.number.interval(); {
			case strings.HasPrefix(i, "["):
				out, open = append(out, open+space), wideNumber(i, false)
			case strings.HasPrefix(i, "+"): // its two ends above each other
				open += 0.6 * wideNumber(i, false)
			default:
				open += wideNumber(i, false)
			}
		case figure:
			open += wideNumber(p.str, p.bold)
		default:
			for i, word := range strings.Split(p.flow(c.numeric()), " ") {
				for k, piece := range breaks(word) {
					if k > 0 {
						out, open = append(out, open), 0
					} else if i > 0 {
						out, open = append(out, open+space), 0
					}
					open += wide(piece, p.bold || p.kind == name)
				}
			}
		}
	}
	return append(out, open+wide(t.latexMarks(c), false))
}

// numeric reports whether a cell holds a number.
func (c Cell) numeric() bool {
	return slices.ContainsFunc(c.Text, func(p Part) bool { return p.kind == number })
}

// flow is a part's text with a space where a line may end. What is between numbers of one cell ends a line only after a
// slash.
func (p Part) flow(numbers bool) string {
	s := cleanPart(p.str)
	if !numbers {
		return s
	}
	const held = "\u00a0"
	return strings.ReplaceAll(strings.ReplaceAll(s, " ", held), "/"+held, "/ ")
}

// breaks cuts a word of more than 16 letters where a line may end: after punctuation, and where there is none after 12
// letters. Hashes, paths and the names of models have no hyphenation.
func breaks(word string) []string {
	if wide(word, false) <= 16 {
		return []string{word}
	}
	var out []string
	start := 0
	for i := 0; i < len(word); {
		n := norm.NFC.NextBoundaryInString(word[i:], true) // a letter with its accents
		last := word[i : i+n]
		i += n
		if w := wide(word[start:i], false); i < len(word) && (w >= 12 || w > 4 && strings.ContainsAny(last, "-_/:.,@+=")) {
			out, start = append(out, word[start:i]), i
		}
	}
	return append(out, word[start:])
}

// lines is how many lines of a width a text of these pieces takes.
func lines(pieces []float64, width float64) float64 {
	n, at := 1.0, 0.0
	for _, w := range pieces {
		if at > 0 && at+w > width+1 {
			n, at = n+1, 0
		}
		at += w
	}
	return n
}

// rowLines is how many lines a row of a group takes.
func (t *latex) rowLines(cols []setColumn, row Row, first bool) float64 {
	n := 1.0
	for _, c := range cols {
		if c.narrow && (first || !t.Columns[c.index].Merge) {
			pieces := t.pieces(row.cell(c.index))
			n = max(n, lines(pieces, c.letters))
			if c.numeric && len(pieces) > 1 {
				n = max(n, 2)
			}
		}
	}
	return n
}
