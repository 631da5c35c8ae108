package table

import (
	"bytes"
	"io"
	"slices"
	"strings"
)

// Look says how a terminal shows a table.
type Look struct {
	Width int  // columns of the terminal; 0 = no limit; less than 20 counts as 20
	Color bool // bold as an escape sequence; otherwise a bold number is written *so*
}

// Terminal writes the table as aligned text without boxes. Where it does not
// fit the width, intervals go under their values and merged columns become
// headings; where that does not fit either, each row becomes a list. Nothing
// is left out at any width, and no byte of a table's text can move the cursor,
// change colours or turn the direction of writing.
func (t *Table) Terminal(w io.Writer, look Look) error { return (*screen)(t).write(w, look) }

type screen Table

func (t *screen) write(w io.Writer, look Look) error {
	if look.Width > 0 {
		look.Width = max(look.Width, 20)
	}
	var b bytes.Buffer
	paragraph(&b, look, t.Caption.format(look.part), "")
	b.WriteByte('\n')
	if t.fits(look) {
		t.wide(look).render(&b, look)
	} else if stacked := t.stacked(look); stacked.shrink(look.Width) {
		stacked.render(&b, look)
	} else {
		t.list(&b, look)
	}
	if len(t.Remarks)+len((*Table)(t).notes()) > 0 {
		b.WriteByte('\n')
	}
	if !look.Color && t.anyBold() {
		paragraph(&b, look, "*x* stands for x in bold.", "")
	}
	for _, r := range t.Remarks {
		paragraph(&b, look, r.format(look.part), "")
	}
	for i, n := range (*Table)(t).notes() {
		paragraph(&b, look, "("+letters(i)+") "+Clean(n.Text), "    ")
	}
	_, err := w.Write(b.Bytes())
	return err
}

func (t *screen) fits(look Look) bool { return look.Width <= 0 || t.wide(look).width() <= look.Width }

func (t *screen) anyBold() bool {
	bold := func(c Cell) bool { return slices.ContainsFunc(c.Text, func(p Part) bool { return p.bold }) }
	return slices.ContainsFunc(slices.Concat(t.Groups...), func(r Row) bool { return slices.ContainsFunc(r, bold) })
}

// Lines returns a text for a terminal in lines that fit the look's width, the
// first after the indent, the others after twice of it.
func (t Text) Lines(l Look, indent string) []string {
	return wrap(indent+t.format(l.part), l.Width, indent+indent)
}

func (l Look) part(p Part) string {
	return dialect{escape: as, number: as, sub: around("_", ""), bold: func(s string) string { return l.bold(s, true) },
		name: asNamed, interval: spaced}.part(p)
}

func (l Look) bold(s string, bold bool) string {
	switch {
	case !bold || s == "":
		return s
	case l.Color:
		return "\x1b[1m" + s + "\x1b[0m"
	}
	return "*" + s + "*"
}

func (l Look) cell(c Cell) string {
	s := c.Text.format(l.part)
	if m := c.marks(); m != "" {
		s += " (" + m + ")"
	}
	return s
}

// between separates the numbers of a cell that are independent of each other.
const between = " / "

// tall writes a cell over several lines: an interval under its value, or, where
// there are several numbers, each on a line of its own.
func (l Look) tall(c Cell) []string {
	var nums []Part
	for _, p := range c.Text {
		if p.kind == number {
			nums = append(nums, p)
		}
	}
	mark := ""
	if m := c.marks(); m != "" {
		mark = " (" + m + ")"
	}
	if len(nums) == 1 && len(c.Text) == 1 {
		lines := []string{l.bold(nums[0].number.value(), nums[0].bold) + mark}
		if i := nums[0].number.interval(); i != "" {
			lines = append(lines, i)
		}
		return lines
	}
	if len(nums) > 1 {
		var lines []string
		for _, p := range nums {
			lines = append(lines, l.part(p))
		}
		// the deviation after a ±, and a number in parentheses, mean nothing alone
		if slices.ContainsFunc(c.Text, func(p Part) bool { return p.kind != number && strings.ContainsAny(p.str, "±(") }) {
			lines = strings.Split(c.Text.format(l.part), between)
		}
		lines[0] += mark
		return lines
	}
	return []string{l.cell(c)}
}

// list writes every row as a list of "column: cell", wrapped to the width.
func (t *screen) list(w *bytes.Buffer, look Look) {
	for _, group := range t.Groups {
		if h := t.heading(group, look); h != "" {
			paragraph(w, look, h, "  ")
		}
		for _, row := range group {
			first := true
			for _, i := range (*Table)(t).Visible() {
				c := t.Columns[i]
				s := look.cell(row.cell(i))
				if c.Merge || s == "" {
					continue
				}
				indent := "    "
				if first {
					indent, first = "  ", false
				}
				paragraph(w, look, indent+c.Head.format(look.part)+": "+s, indent+"  ")
			}
		}
	}
}

// heading writes the merged columns of a group: "Dataset: sst-2, Budget: 12".
func (t *screen) heading(group []Row, look Look) string {
	var parts []string
	for _, i := range (*Table)(t).Visible() {
		if c := t.Columns[i]; c.Merge {
			if s := look.cell(group[0].cell(i)); s != "" {
				parts = append(parts, c.Head.format(look.part)+": "+s)
			}
		}
	}
	return strings.Join(parts, ", ")
}
