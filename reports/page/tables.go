package page

import (
	"html/template"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports"
	"infnet/reports/table"
)

// shownTable is a table with what belongs under it.
type shownTable struct {
	ID, Caption template.HTML
	Name        string // of its files; "" = it has none
	Index       int    // in data.Copies
	Number      int
	Body, Notes template.HTML
	NotesHead   string
	Detail      bool
	Apart       bool // all columns of a table that the study prints with fewer, or without intervals

	table   table.Table
	section string
	copies  string
}

// shortTable is the paper's table: of every row its dataset, policy, performance and saving.
type shortTable struct {
	ID, Caption template.HTML
	Full        template.HTML // the id of the table with all columns
	Number      int
	Body        template.HTML
	Open        bool // the others are opened by the reader
	Apart       bool // the full table is not the one of the files
}

// firstTables are how many of them are open.
const firstTables = 2

// tablesOf are the tables of the files and, where the study prints those of policies otherwise than in full, these in
// full: a page has room.
func tablesOf(r *result.Results) ([]shownTable, error) {
	var out []shownTable
	for i, t := range reports.Tables(r) {
		x, err := showTable(r, t, len(out))
		if err != nil {
			return nil, err
		}
		x.Number = i + 1
		out = append(out, x)
	}
	look := style.Of(r.Style)
	if len(look.Columns) == 0 && look.Layout != style.Paper && look.Ranges() == style.Brackets && !look.OneTable {
		return out, nil
	}
	full := *r
	full.Style = nil
	for _, t := range reports.Tables(&full) {
		if t.Detail || !isPolicies(&t) {
			continue
		}
		t.File += "-in-full"
		x, err := showTable(&full, t, len(out))
		if err != nil {
			return nil, err
		}
		x.Name, x.Apart = "", true
		out = append(out, x)
	}
	return out, nil
}

func showTable(r *result.Results, t table.Table, index int) (shownTable, error) {
	id := "table-" + t.File
	body, notes := t.HTML(id)
	packed, err := copies(r, &t)
	return shownTable{ID: template.HTML(id), Name: t.File, Index: index, Caption: template.HTML(t.Caption.HTML()),
		Body: template.HTML(body), Notes: template.HTML(notes), NotesHead: notesHead(&t), Detail: t.Detail, table: t,
		section: sectionOf(t.Kind), copies: packed}, err
}

// isPolicies reports whether a table has a row for each policy, and what it saves.
func isPolicies(t *table.Table) bool { return hasField(t, "policy_id") && savedColumn(t) >= 0 }

// savedColumn is the column of savings; below 0 = there is none to be seen.
func savedColumn(t *table.Table) int {
	return slices.IndexFunc(t.Columns, func(c table.Column) bool {
		return !c.DataOnly && len(c.Fields) > 0 && c.Fields[0] == "cost_saved_pct"
	})
}

func notesHead(t *table.Table) string {
	switch {
	case len(t.Notes) == 0:
		return "Remarks"
	case len(t.Remarks) == 0:
		return counted(len(t.Notes), "footnote")
	}
	return "Remarks and " + counted(len(t.Notes), "footnote")
}

// sectionOf is the part of the page where a kind of table belongs.
func sectionOf(kind string) string {
	switch kind {
	case "sufficiency", "records":
		return kind
	case "models":
		return "calibration"
	}
	return "policies"
}

// copies packs what the buttons of a table copy: the text of its files.
func copies(r *result.Results, t *table.Table) (string, error) {
	var tex, md, csv strings.Builder
	if err := reports.WriteLaTeX(&tex, r, t); err != nil {
		return "", err
	}
	if err := t.Markdown(&md); err != nil {
		return "", err
	}
	if err := t.CSV(&csv); err != nil {
		return "", err
	}
	return deflated([]byte(tex.String() + "\x00" + md.String() + "\x00" + csv.String()))
}

// shorts are the tables of policies with the columns of the paper.
func shorts(tables []shownTable) (out []shortTable) {
	apart := map[string]shownTable{} // the full tables, by what they are about
	for _, x := range tables {
		if x.Apart {
			apart[x.table.Of+"\n"+x.table.Kind] = x
		}
	}
	for _, x := range tables {
		t := x.table
		if x.Apart || x.Detail || x.section != "policies" || !isPolicies(&t) {
			continue
		}
		saved := savedColumn(&t)
		t.Columns = slices.Clone(t.Columns)
		for i := range t.Columns {
			t.Columns[i].DataOnly = t.Columns[i].DataOnly || i > saved
		}
		t.Notes, t.Remarks = nil, nil
		t.Groups = unmarked(t.Groups)
		full := x
		if y, ok := apart[t.Of+"\n"+t.Kind]; ok {
			full = y
		}
		id := "short-" + x.ID
		body, _ := t.HTML(string(id))
		out = append(out, shortTable{ID: id, Caption: x.Caption, Full: full.ID + "-whole", Number: full.Number,
			Apart: full.Apart, Body: template.HTML(body), Open: len(out) < firstTables})
	}
	return out
}

func hasField(t *table.Table, name string) bool {
	return slices.ContainsFunc(t.Columns, func(c table.Column) bool { return len(c.Fields) > 0 && c.Fields[0] == name })
}

// unmarked are rows without marks of footnotes.
func unmarked(groups [][]table.Row) [][]table.Row {
	out := make([][]table.Row, len(groups))
	for i, g := range groups {
		for _, row := range g {
			row = slices.Clone(row)
			for k := range row {
				row[k].Marks = nil
			}
			out[i] = append(out[i], row)
		}
	}
	return out
}
