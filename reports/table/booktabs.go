package table

import (
	"fmt"
	"io"
	"strings"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter/tw"
)

// booktabs is a tablewriter renderer that writes a LaTeX tabular. It buffers
// nothing: rules go before the header, before each group and at the end. The
// first write error is kept and returned by Close.
type booktabs struct {
	starts map[int]bool
	aligns []tw.Align
	w      io.Writer
	row    int
	err    error
}

var _ tw.Renderer = (*booktabs)(nil)

// Start opens the tabular.
func (r *booktabs) Start(w io.Writer) error {
	r.w = w
	cols := ""
	for _, a := range r.aligns {
		switch a {
		case tw.AlignRight:
			cols += "r"
		case tw.AlignCenter:
			cols += "c"
		default:
			cols += "l"
		}
	}
	r.printf("  \\begin{tabular}{@{}%s@{}}\n    \\toprule\n", cols)
	return r.err
}

// Header writes the head, of one line, and the rule under it.
func (r *booktabs) Header(headers [][]string, _ tw.Formatting) {
	for _, h := range headers {
		r.line(h)
	}
	r.printf("    \\midrule\n")
}

// Row writes one row, after a rule where a group begins.
func (r *booktabs) Row(row []string, _ tw.Formatting) {
	if r.starts[r.row] {
		r.printf("    \\midrule\n")
	}
	r.row++
	r.line(row)
}

// Close ends the tabular.
func (r *booktabs) Close() error {
	r.printf("    \\bottomrule\n  \\end{tabular}%%\n")
	return r.err
}

// line writes cells. A row that began with [ or * would be read as an argument
// of the row end before it.
func (r *booktabs) line(cells []string) {
	s := strings.Join(cells, " & ")
	if strings.HasPrefix(s, "[") || strings.HasPrefix(s, "*") {
		s = "{}" + s
	}
	r.printf("    %s \\\\\n", strings.TrimLeft(s, " "))
}

func (r *booktabs) printf(format string, args ...any) {
	if r.err == nil {
		_, r.err = fmt.Fprintf(r.w, format, args...)
	}
}

// Footer is not used: footnotes are outside the tabular.
func (r *booktabs) Footer([][]string, tw.Formatting) {}

// Line is not used: this renderer knows where its rules go.
func (r *booktabs) Line(tw.Formatting) {}

// Config says that the renderer draws no borders of tablewriter's.
func (r *booktabs) Config() tw.Rendition { return borderless() }

// Logger is not used.
func (r *booktabs) Logger(*ll.Logger) {}

// borderless is a rendition without lines and symbols.
func borderless() tw.Rendition {
	return tw.Rendition{
		Borders: tw.BorderNone,
		Symbols: tw.NewSymbols(tw.StyleNone),
		Settings: tw.Settings{
			Lines:      tw.LinesNone,
			Separators: tw.SeparatorsNone,
		},
	}
}
