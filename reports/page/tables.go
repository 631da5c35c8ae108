package page

import (
	"html/template"
	"slices"
	"strings"

	"infnet/harness/result"
	"infnet/harness/result/style"
	"infnet/reports"
	"infnet/reports/page/drill"
	"infnet/reports/table"
)

type shownTable struct {
	ID, Caption template.HTML
	Name        string // of its files
	Index       int    // in data.Copies
	Number      int
	Body, Notes template.HTML
	NotesHead   string
	Print       bool // on paper too
	Dense       bool // of so many columns that they need small letters

	copies string
}

// tablesOf are the tables of the files with all columns and intervals, as a page has room; what is copied is as the
// study prints it.
func tablesOf(r *result.Results) (out []shownTable, err error) {
	full := *r
	full.Style = style.Style{}
	printed := reports.Tables(r)
	for k, t := range reports.Tables(&full) {
		id := "table-" + t.File
		body, notes := t.HTML(id)
		seen := slices.DeleteFunc(slices.Clone(t.Columns), func(c table.Column) bool { return c.DataOnly })
		x := shownTable{ID: template.HTML(id), Name: t.File, Index: k, Number: k + 1,
			Caption: template.HTML(t.Caption.HTML()), Body: template.HTML(body), Notes: template.HTML(notes),
			NotesHead: notesHead(&t), Print: t.Kind == "policies", Dense: len(seen) > mostColumns}
		of, what := &full, &t
		if p := result.Find(printed, func(p *table.Table) bool { return p.File == t.File }); p != nil {
			of, what = r, p
		}
		if x.copies, err = copies(of, what); err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
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
	return drill.Pack([]byte(tex.String() + "\x00" + md.String() + "\x00" + csv.String())), nil
}
