package page

import (
	"html/template"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/table"
)

// shownTable is a table with what belongs under it.
type shownTable struct {
	ID, Caption template.HTML
	Name        string // of its files
	Index       int    // in data.Copies
	Number      int
	Body, Notes template.HTML
	NotesHead   string
	Detail      bool

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
}

// firstTables are how many of them are open.
const firstTables = 2

func tablesOf(r *result.Results) ([]shownTable, error) {
	var out []shownTable
	for i, t := range reports.Tables(r) {
		id := "table-" + t.File
		body, notes := t.HTML(id)
		packed, err := copies(r, &t)
		if err != nil {
			return nil, err
		}
		out = append(out, shownTable{ID: template.HTML(id), Name: t.File, Index: i, Number: i + 1,
			Caption: template.HTML(t.Caption.HTML()), Body: template.HTML(body), Notes: template.HTML(notes),
			NotesHead: notesHead(&t), Detail: t.Detail, table: t, section: sectionOf(t.Kind), copies: packed})
	}
	return out, nil
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
	for _, x := range tables {
		t := x.table
		saved := slices.IndexFunc(t.Columns, func(c table.Column) bool {
			return !c.DataOnly && len(c.Fields) > 0 && c.Fields[0] == "cost_saved_pct"
		})
		if x.Detail || x.section != "policies" || saved < 0 || !hasField(&t, "policy_id") {
			continue
		}
		t.Columns = slices.Clone(t.Columns)
		for i := range t.Columns {
			t.Columns[i].DataOnly = t.Columns[i].DataOnly || i > saved
		}
		t.Notes, t.Remarks = nil, nil
		t.Groups = unmarked(t.Groups)
		id := "short-" + x.ID
		body, _ := t.HTML(string(id))
		out = append(out, shortTable{ID: id, Caption: x.Caption, Full: x.ID + "-whole", Number: x.Number,
			Body: template.HTML(body), Open: len(out) < firstTables})
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
