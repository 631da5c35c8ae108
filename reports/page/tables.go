package page

import (
	"html/template"
	"slices"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports"
	"infnet/reports/table"
)

type shownTable struct {
	ID, Caption template.HTML
	Name        string // of its files
	Number      int
	Body, Notes template.HTML
	NotesHead   string
	Print       bool // on paper too
	Dense       bool // of so many columns that they need small letters
}

// tablesOf are the tables of the files with all columns and intervals, as a page has room.
func tablesOf(r *result.Results) (out []shownTable) {
	full := *r
	full.Style = style.Style{}
	for k, t := range reports.Tables(&full) {
		id := "table-" + t.File
		body, notes := t.HTML(id)
		seen := slices.DeleteFunc(slices.Clone(t.Columns), func(c table.Column) bool { return c.DataOnly })
		out = append(out, shownTable{ID: template.HTML(id), Name: t.File, Number: k + 1,
			Caption: template.HTML(t.Caption.HTML()), Body: template.HTML(body), Notes: template.HTML(notes),
			NotesHead: notesHead(&t), Print: t.Kind == "policies", Dense: len(seen) > mostColumns})
	}
	return out
}

// mostColumns is the number of columns beyond which a table is set in small letters.
const mostColumns = 9

func notesHead(t *table.Table) string {
	switch {
	case len(t.Notes) == 0:
		return "Remarks"
	case len(t.Remarks) == 0:
		return reports.Plural(len(t.Notes), "footnote")
	}
	return "Remarks and " + reports.Plural(len(t.Notes), "footnote")
}
