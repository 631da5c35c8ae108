package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// Markdown writes the table for GitHub-flavoured Markdown: the caption, a pipe
// table, the remarks and the footnotes. Merged cells are blank below their
// first row, as Markdown has no row spans.
func (t *Table) Markdown(w io.Writer) error {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\n\n", t.Caption.format(inMarkdown.part))
	g := t.grid(func(c Cell) string {
		s := c.Text.format(inMarkdown.part)
		if m := c.marks(); m != "" {
			s += "<sup>" + m + "</sup>"
		}
		return s
	})
	if err := g.markdown(&b); err != nil {
		return fmt.Errorf("markdown table %s: %w", t.Label, err)
	}
	for _, r := range t.Remarks {
		fmt.Fprintf(&b, "\n%s\n", r.format(inMarkdown.part))
	}
	for i, n := range t.notes() {
		fmt.Fprintf(&b, "\n<sup>%s</sup> %s\n", letters(i), Markdown(n.Text))
	}
	_, err := w.Write(b.Bytes())
	return err
}

var inMarkdown = dialect{escape: markdownSpecials.Replace, number: as, sub: around("<sub>", "</sub>"),
	bold: around("**", "**"), name: asNamed, interval: spaced}

// Markdown cleans and escapes a text so that it is shown literally in a
// Markdown paragraph or table cell: no markup, HTML, link, mention or line
// break survives.
func Markdown(s string) string { return markdownSpecials.Replace(Clean(s)) }

// markdownSpecials: punctuation with a meaning gets a backslash, what HTML
// would read becomes an entity, and so does what GitHub turns into links and
// mentions by itself.
var markdownSpecials = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", `*`, `\*`, `_`, `\_`, `{`, `\{`, `}`, `\}`, `[`, `\[`, `]`, `\]`,
	`|`, `\|`, `~`, `\~`, `$`, `\$`, `#`, `\#`, `!`, `\!`,
	`<`, `&lt;`, `>`, `&gt;`, `&`, `&amp;`,
	`://`, `&#58;//`, `www.`, `www&#46;`, `WWW.`, `WWW&#46;`, `@`, `&#64;`,
)

// grid is a table as strings, ready for a renderer: escaped, rounded, merged
// cells blanked.
type grid struct {
	head   []string
	rows   [][]string
	aligns []Align
	starts map[int]bool // rows before which a rule is drawn
}

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
