// Package table writes tables as Markdown, LaTeX, CSV and plain text. It owns
// rounding, escaping and layout: a Table holds unrounded numbers and raw text,
// and no other package formats either. It refuses to know what the numbers
// mean; which rows, columns and footnotes exist is the caller's business. Its
// opinion: text from models and datasets is hostile, so everything that is not
// a number is escaped for the format it goes into.
package table

import (
	"slices"
	"strings"
)

// Table is one table. Text is raw and numbers are unrounded.
type Table struct {
	Caption Text     // without "Table 1", with a final stop
	Kind    string   // what it shows: classification, at-cost, …
	Of      string   // the cascade or pool that it is about; "" = the study
	Label   string   // for LaTeX
	File    string   // of its files, without the extension
	Columns []Column // at least one
	Groups  [][]Row  // rules are drawn between groups
	Data    [][]Row  // what CSV files have in place of Groups; nil = Groups
	Remarks []Text   // of the whole table, printed under it first
	Notes   []Note   // footnotes; cells refer to them by index
	Detail  bool     // supports other tables; a terminal shows it on demand
	Order   []int    // the columns that readers see, in order; nil = all that are not DataOnly
	bare    bool     // no footnotes are shown
	// Formulas are what LaTeX of a table without footnotes writes otherwise, old and new in turn; Wide makes it a float
	// of the page in a paper of two columns.
	Formulas []string
	Wide     bool
}

// Row is one line; it has one cell per column.
type Row []Cell

// Column says how a column looks.
type Column struct {
	Head  Text
	Align Align
	// Merge prints the column once per group, from the group's first row: a
	// multi-row cell in LaTeX, blanks below the first row elsewhere.
	Merge bool
	// Fields names the column in CSV files: one name per number of a cell (each
	// gives name, name_low and name_high), or one name for a column of text.
	// No name leaves the column out of CSV files.
	Fields []string
	// Exact says that the column's numbers have no interval, so that CSV files
	// carry no _low and _high for them.
	Exact bool
	// DataOnly leaves the column out of everything but CSV files.
	DataOnly bool
	// Name is what settings and the page call the column; "" = the first of Fields.
	Name string
}

// Align is where a column's text sits.
type Align byte

// The alignments.
const (
	Left Align = iota
	Right
	Center
)

// Cell is the content of one column in one row, with marks that point to footnotes.
type Cell struct {
	Text  Text
	Marks []int // indices in Table.Notes
}

// Text is a sequence of parts set one after the other.
type Text []Part

// Part is a piece of text or a number.
type Part struct {
	kind   kind
	str    string
	number Number
	bold   bool
}

type kind byte

const (
	plain kind = iota
	name
	number
	sub
	figure
)

// Note is a footnote. Kind is a stable word for machines, Text is for people.
type Note struct {
	Kind string
	Text string
}

// Plain is ordinary text.
func Plain(s string) Part { return Part{str: s} }

// Name is the name of a model or a dataset: small capitals in LaTeX.
func Name(s string) Part { return Part{kind: name, str: s} }

// Sub is a subscript of the part before it.
func Sub(s string) Part { return Part{kind: sub, str: s} }

// Num is a number.
func Num(n Number) Part { return Part{kind: number, number: n} }

// InText is a number within a text: it is printed as numbers are, but files have the text that it is part of.
func InText(n Number) Part { return Part{kind: figure, str: n.value()} }

// Bold returns the part in bold; of a number, its value and not its interval.
func (p Part) Bold() Part {
	p.bold = true
	return p
}

// Words is a text of one plain part.
func Words(s string) Text { return Text{Plain(s)} }

// Of is a cell of these parts.
func Of(parts ...Part) Cell { return Cell{Text: parts} }

// Mark adds a footnote mark to the cell, once per footnote.
func (c *Cell) Mark(note int) {
	if !slices.Contains(c.Marks, note) {
		c.Marks = append(slices.Clip(c.Marks), note) // rows may share their marks
	}
}

// Note returns the index of a footnote, adding it if no equal one is there.
func (t *Table) Note(kind, text string) int {
	n := Note{Kind: kind, Text: text}
	if i := slices.Index(t.Notes, n); i >= 0 {
		return i
	}
	t.Notes = append(t.Notes, n)
	return len(t.Notes) - 1
}

// Remark adds a sentence about the whole table.
func (t *Table) Remark(parts ...Part) { t.Remarks = append(t.Remarks, parts) }

// Visible returns the indices of the columns that readers see.
func (t *Table) Visible() []int {
	if t.Order != nil {
		return t.Order
	}
	var at []int
	for i, c := range t.Columns {
		if !c.DataOnly {
			at = append(at, i)
		}
	}
	return at
}

func (r Row) cell(i int) Cell {
	if i < len(r) {
		return r[i]
	}
	return Cell{}
}

// letters names the i-th footnote: a, b, … z, aa, ab, …
func letters(i int) string {
	s := ""
	for i++; i > 0; i = (i - 1) / 26 {
		s = string(rune('a'+(i-1)%26)) + s
	}
	return s
}

// marks lists a cell's footnote letters in order, separated by commas.
func (c Cell) marks() string {
	at := slices.Clone(c.Marks)
	slices.Sort(at)
	out := make([]string, len(at))
	for i, n := range at {
		out[i] = letters(n)
	}
	return strings.Join(out, ",")
}

// format writes a text with a way to write each part.
func (t Text) format(part func(Part) string) string {
	var b strings.Builder
	for _, p := range t {
		b.WriteString(part(p))
	}
	return b.String()
}

// dialect is how a format writes the parts of a text.
type dialect struct {
	escape, number, sub, bold func(s string) string
	name                      func(p Part, s string) string
	interval                  func(value, interval string) string
}

func (d dialect) part(p Part) string {
	s := d.escape(cleanPart(p.str))
	switch p.kind {
	case number:
		s = d.number(p.number.value())
	case figure:
		s = d.number(p.str)
	case sub:
		s = d.sub(s)
	case name:
		s = d.name(p, s)
	}
	if p.bold && s != "" {
		s = d.bold(s)
	}
	if i := p.number.interval(); p.kind == number && i != "" {
		s = d.interval(s, i)
	}
	return s
}

// What formats do that need little: nothing, something around a text, a space before an interval.
func as(s string) string { return s }

func asNamed(_ Part, s string) string { return s }

func around(before, after string) func(string) string {
	return func(s string) string { return before + s + after }
}

func spaced(value, interval string) string { return value + " " + interval }

// Rename gives names that the table shows their titles. CSV files keep the names.
func (t *Table) Rename(title func(name string) string) {
	renamed := func(text Text) Text {
		text = slices.Clone(text)
		for i, p := range text {
			if p.kind == name {
				text[i].str = title(p.str)
			}
		}
		return text
	}
	t.rewrite(func(c Cell) Cell {
		c.Text = renamed(c.Text)
		return c
	})
	t.Columns = slices.Clone(t.Columns)
	for i := range t.Columns {
		t.Columns[i].Head = renamed(t.Columns[i].Head)
	}
	t.Caption = renamed(t.Caption)
	for i := range t.Remarks {
		t.Remarks[i] = renamed(t.Remarks[i])
	}
}

// Bare takes away what a table says beside its numbers: intervals, bold type, footnotes and remarks.
func (t *Table) Bare() {
	t.rewrite(func(c Cell) Cell {
		c.Text, c.Marks = slices.Clone(c.Text), nil
		for i := range c.Text {
			c.Text[i].bold, c.Text[i].number.Estimate = false, false
		}
		return c
	})
	t.Remarks, t.bare = nil, true
}

// rewrite changes the cells that readers see.
func (t *Table) rewrite(cell func(Cell) Cell) {
	if t.Data == nil {
		t.Data = t.Groups
	}
	groups := make([][]Row, len(t.Groups))
	for g, group := range t.Groups {
		for _, row := range group {
			changed := make(Row, len(row))
			for i, c := range row {
				changed[i] = cell(c)
			}
			groups[g] = append(groups[g], changed)
		}
	}
	t.Groups = groups
}

// notes are the footnotes that readers see; CSV files name their kinds all the same.
func (t *Table) notes() []Note {
	if t.bare {
		return nil
	}
	return t.Notes
}

// Called is what settings and pages call the column.
func (c *Column) Called() string {
	if c.Name == "" && len(c.Fields) > 0 {
		return c.Fields[0]
	}
	return c.Name
}
