package table

import (
	"encoding/csv"
	"io"
	"slices"
	"strings"
)

// CSV writes the table for machines: a header and one record per row, quoted
// as RFC 4180 says, in UTF-8, lines ending in LF. Numbers are unrounded; an
// estimate named x gives x, x_low and x_high; undefined is empty; infinities
// are inf and -inf. Text that a spreadsheet would take for a formula gets a
// leading apostrophe. The last column, notes, lists the kinds of the row's
// footnotes, separated by spaces.
func (t *Table) CSV(w io.Writer) error { return (*sheet)(t).write(w) }

type sheet Table

func (t *sheet) write(w io.Writer) error {
	out := csv.NewWriter(w)
	var head []string
	for i := range t.Columns {
		head = append(head, t.fields(i)...)
	}
	if err := out.Write(append(head, "notes")); err != nil {
		return err
	}
	groups := t.Groups
	if t.Data != nil {
		groups = t.Data
	}
	for _, group := range groups {
		for _, row := range group {
			if err := out.Write(t.record(group, row)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (t *sheet) fields(col int) []string {
	var names []string
	for _, f := range t.Columns[col].Fields {
		names = append(names, f)
		if t.estimates(col) {
			names = append(names, f+"_low", f+"_high")
		}
	}
	return names
}

// estimates reports whether a column's fields carry intervals: it holds a
// number somewhere and is not exact.
func (t *sheet) estimates(col int) bool { return !t.Columns[col].Exact && (*Table)(t).numeric(col) }

// numeric reports whether any cell of a column holds a number.
func (t *Table) numeric(col int) bool {
	for _, group := range slices.Concat(t.Groups, t.Data) {
		for _, row := range group {
			if slices.ContainsFunc(row.cell(col).Text, func(p Part) bool { return p.kind == number }) {
				return true
			}
		}
	}
	return false
}

// record returns a row's fields. A merged column repeats its group's value.
func (t *sheet) record(group []Row, row Row) []string {
	var out []string
	var notes []string
	for i, c := range t.Columns {
		cell := row.cell(i)
		if c.Merge {
			cell = group[0].cell(i)
		}
		out = append(out, t.values(i, cell)...)
		for _, n := range cell.Marks {
			if k := t.Notes[n].Kind; !slices.Contains(notes, k) {
				notes = append(notes, k)
			}
		}
	}
	return append(out, Guard(strings.Join(notes, " ")))
}

func (t *sheet) values(col int, cell Cell) []string {
	c := t.Columns[col]
	if len(c.Fields) == 0 {
		return nil
	}
	estimates := t.estimates(col)
	var nums []Number
	for _, p := range cell.Text {
		if p.kind == number {
			nums = append(nums, p.number)
		}
	}
	if len(nums) == 0 && !estimates && len(c.Fields) == 1 {
		return []string{Guard(cell.Text.format(func(p Part) string { return cleanPart(p.str) }))}
	}
	var out []string
	for i := range c.Fields {
		n := [3]string{}
		if i < len(nums) {
			n[0] = Raw(nums[i].Value)
			if nums[i].Estimate {
				n[1], n[2] = Raw(nums[i].Low), Raw(nums[i].High)
			}
		}
		out = append(out, n[0])
		if estimates {
			out = append(out, n[1], n[2])
		}
	}
	return out
}

// Guard makes a text safe to open in a spreadsheet: one that begins with a
// character that starts a formula, or with white space that some programs
// skip before they look for one, gets a leading apostrophe.
func Guard(s string) string {
	if s != "" && strings.ContainsRune("=+-@\t\r\n|%＝＋－＠", []rune(s)[0]) {
		return "'" + s
	}
	return s
}
