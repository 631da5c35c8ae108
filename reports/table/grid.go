package table

import (
	"io"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// grid is a table as strings, ready for a renderer: escaped, rounded, merged
// cells blanked.
type grid struct {
	head   []string
	rows   [][]string
	aligns []Align
	starts map[int]bool // rows before which a rule is drawn
}

// grid formats the visible cells with cell.
func (t *Table) grid(cell func(Cell) string) grid {
	g := grid{starts: map[int]bool{}}
	visible := t.Visible()
	for _, i := range visible {
		g.head = append(g.head, cell(Cell{Text: t.Columns[i].Head}))
		g.aligns = append(g.aligns, t.Columns[i].Align)
	}
	for _, group := range t.Groups {
		if len(g.rows) > 0 {
			g.starts[len(g.rows)] = true
		}
		for j, row := range group {
			line := make([]string, len(visible))
			for k, i := range visible {
				if j == 0 || !t.Columns[i].Merge {
					line[k] = cell(row.cell(i))
				}
			}
			g.rows = append(g.rows, line)
		}
	}
	return g
}

// markdown runs tablewriter. What it would change by itself is switched off:
// header formatting (it rewrites names), wrapping (it breaks names), hiding
// and trimming of empty cells, and the guess from the environment of how wide
// East Asian text is (it would make the bytes depend on the machine).
func (g grid) markdown(w io.Writer) error {
	aligns := make([]tw.Align, len(g.aligns))
	for i, a := range g.aligns {
		aligns[i] = map[Align]tw.Align{Left: tw.AlignLeft, Right: tw.AlignRight, Center: tw.AlignCenter}[a]
	}
	t := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithEastAsian(tw.Off),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithRowAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone),
		tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithAutoHide(tw.Off),
		tablewriter.WithTrimLine(tw.Off),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: aligns}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: aligns}),
	)
	t.Header(g.head)
	if err := t.Bulk(g.rows); err != nil {
		return err
	}
	return t.Render()
}
