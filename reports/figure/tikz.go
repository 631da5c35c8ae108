package figure

import (
	"bytes"
	"fmt"
	"regexp"
	"strconv"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgtex"

	"infnet/reports/table"
)

// TikZ returns the figure as PGF commands to \input into a paper, which then sets all text in its own fonts. It needs
// \usepackage{pgf}, and fits a column, or a page, of the narrowest usual styles of two columns (ACL's).
func (f *Figure) TikZ() []byte {
	_, h := f.size()
	w := 218 * vg.Inch / 72.27
	if f.Wide {
		w = 454 * vg.Inch / 72.27
	}
	c := vgtex.New(w, h)
	f.paint(escaped{c})
	var b bytes.Buffer
	_, _ = c.WriteTo(&b) // memory takes everything
	pt := func(v vg.Length) string { return strconv.FormatFloat(float64(v), 'f', 2, 64) + "bp" }
	begin := []byte(`\begin{pgfpicture}`)
	_, picture, _ := bytes.Cut(b.Bytes(), begin)
	picture = long.ReplaceAllFunc(picture, func(n []byte) []byte {
		v, _ := strconv.ParseFloat(string(n), 64)
		return strconv.AppendFloat(nil, v, 'f', 3, 64)
	})
	return fmt.Appendf(nil, "%s\n  \\pgfpathrectangle{\\pgfpointorigin}{\\pgfpoint{%s}{%s}}\n"+
		"  \\pgfusepath{use as bounding box}%s", begin, pt(w), pt(h), bytes.ReplaceAll(picture, []byte("pt}"), []byte("bp}")))
}

// long is a number with more digits than a printer shows, or with an exponent, which TeX does not read.
var long = regexp.MustCompile(`-?[0-9]+(\.[0-9]{4,})(e[-+][0-9]+)?|-?[0-9]+(\.[0-9]+)?e[-+][0-9]+`)

// escaped is a canvas whose texts are LaTeX, set about the middle of where they would be.
type escaped struct{ *vgtex.Canvas }

// FillString writes a text.
func (c escaped) FillString(face font.Face, at vg.Point, text string) {
	latex := table.LaTeX(text)
	at.X += (face.Width(text) - face.Width(latex)) / 2
	c.Canvas.FillString(face, at, latex)
}
