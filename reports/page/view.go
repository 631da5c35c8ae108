package page

import (
	"fmt"
	"html/template"
	"strings"

	"infnet/harness/result"
	"infnet/reports"
	"infnet/reports/figure"
	"infnet/reports/table"
)

// view is what the page shows without its scripts.
type view struct {
	Tables  []shownTable
	Figures []shownFigure
	colours string
}

// data is what its scripts look up.
type data struct {
	Study  string   `json:"study"`
	Level  float64  `json:"level"`
	Groups []group  `json:"groups"`
	Copies []string `json:"copies"` // of every table its files, packed: {"latex": …, "markdown": …, "csv": …}
}

// shownTable is a table with what belongs under it.
type shownTable struct {
	ID, Caption template.HTML
	Number      int
	Body, Notes template.HTML
	Footnotes   int
	Detail      bool
}

// shownFigure is a figure with its caption.
type shownFigure struct {
	ID      string
	Number  int
	Caption string
	Notes   []string
	Wide    bool
	Body    template.HTML
}

func makeView(in Input) (*view, *data, error) {
	v, d := &view{}, &data{Study: in.Results.Name, Level: in.Results.Level}
	var err error
	if d.Groups, err = groupsOf(in); err != nil {
		return nil, nil, err
	}
	if err = v.tables(in.Results, d); err != nil {
		return nil, nil, err
	}
	return v, d, v.figures(in.Results)
}

func (v *view) tables(r *result.Results, d *data) error {
	for i, t := range reports.Tables(r) {
		id := "table-" + strings.ReplaceAll(strings.TrimPrefix(t.Label, "tab:"), ":", "-")
		body, notes := t.HTML(id)
		v.Tables = append(v.Tables, shownTable{ID: template.HTML(id), Number: i + 1, Caption: template.HTML(t.Caption.HTML()),
			Body: template.HTML(body), Notes: template.HTML(notes), Footnotes: len(t.Notes), Detail: t.Detail})
		packed, err := copies(r, &t)
		if err != nil {
			return err
		}
		d.Copies = append(d.Copies, packed)
	}
	return nil
}

// copies packs what the buttons of a table copy: the text of its files.
func copies(r *result.Results, t *table.Table) (string, error) {
	var tex, md, csv strings.Builder
	fmt.Fprintf(&tex, "%% %s\n", reports.Comment(r))
	if err := t.LaTeX(&tex); err != nil {
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

func (v *view) figures(r *result.Results) error {
	var used ink
	for i, f := range figure.Figures(r) {
		svg, err := f.SVG()
		if err != nil {
			return fmt.Errorf("draw figure %s: %w", f.Name, err)
		}
		body, err := used.figure(svg, f.Caption)
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		v.Figures = append(v.Figures, shownFigure{ID: "figure-" + f.Name, Number: i + 1, Caption: table.Clean(f.Caption),
			Notes: f.Notes, Wide: f.Wide, Body: template.HTML(body)})
	}
	v.colours = used.css()
	return nil
}
