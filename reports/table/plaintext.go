package table

import (
	"bytes"
	"io"
	"slices"
	"strings"

	"github.com/olekukonko/ll"
	"github.com/olekukonko/tablewriter/tw"
)

// plainText is a tablewriter renderer for terminals: aligned columns, a rule
// under the head and one before each group.
type plainText struct {
	widths []int
	aligns []tw.Align
	look   Look
	rule   string
	rules  map[int]string // what to write before a line
	w      io.Writer
	row    int
	err    error

	underlined bool
}

var _ tw.Renderer = (*plainText)(nil)

// Start remembers the writer.
func (r *plainText) Start(w io.Writer) error {
	r.w = w
	return nil
}

// Header writes a line of the head; tablewriter calls it once per line.
func (r *plainText) Header(headers [][]string, _ tw.Formatting) {
	for _, h := range headers {
		bold := slices.Clone(h)
		for i := range bold {
			if r.look.Color && bold[i] != "" {
				bold[i] = r.look.bold(bold[i], true)
			}
		}
		r.line(bold)
	}
}

// Row writes one line, after what belongs before it.
func (r *plainText) Row(row []string, _ tw.Formatting) {
	r.underline()
	r.write(r.rules[r.row])
	r.row++
	r.line(row)
}

// Close returns the first write error.
func (r *plainText) Close() error {
	r.underline()
	return r.err
}

// underline draws the rule under the head, once.
func (r *plainText) underline() {
	if !r.underlined {
		r.underlined = true
		r.write(r.rule + "\n")
	}
}

// line writes cells, padded to their columns; no line ends in spaces.
func (r *plainText) line(cells []string) {
	var b bytes.Buffer
	for i, c := range cells {
		pad := strings.Repeat(" ", max(0, r.widths[i]-columns(c)))
		switch {
		case r.aligns[i] == tw.AlignRight:
			c = pad + c
		default:
			c += pad
		}
		if i > 0 {
			b.WriteString(strings.Repeat(" ", gap))
		}
		b.WriteString(c)
	}
	r.write(strings.TrimRight(b.String(), " ") + "\n")
}

func (r *plainText) write(s string) {
	if r.err == nil {
		_, r.err = io.WriteString(r.w, s)
	}
}

// Footer is not used: footnotes are outside the grid.
func (r *plainText) Footer([][]string, tw.Formatting) {}

// Line is not used: this renderer knows where its rules go.
func (r *plainText) Line(tw.Formatting) {}

// Config says that the renderer draws no borders of tablewriter's.
func (r *plainText) Config() tw.Rendition { return borderless() }

// Logger is not used.
func (r *plainText) Logger(*ll.Logger) {}

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
