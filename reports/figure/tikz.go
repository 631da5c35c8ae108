package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"infnet/reports/table"
)

// TikZ returns the figure as pgfplots source to \input into a paper, which then
// sets all text in its own fonts. It needs
//
//	\usepackage{pgfplots}
//	\pgfplotsset{compat=1.16}
//
// and fits a column, or a page, of the narrowest usual styles of two columns (ACL's).
func (f *Figure) TikZ() []byte {
	w := vg.Points(218 * 72 / 72.27)
	if f.Wide {
		w = vg.Points(454 * 72 / 72.27)
	}
	t := &tikz{}
	t.line(`\begin{tikzpicture}[trim left=0pt, trim right=%spt]`, coord(w.Points()))
	for _, name := range f.colours() {
		c := palette[name]
		t.line(`\definecolor{infnet-%s}{RGB}{%d,%d,%d}`, name, c.R, c.G, c.B)
	}
	t.line(`\pgfplotsset{infnet/.style={scale only axis, axis lines=left, axis line style={-}, line join=round,
  tick label style={font=\scriptsize}, label style={font=\footnotesize}, title style={font=\footnotesize, align=center, yshift=-4pt},
  scaled ticks=false, tick align=outside, legend cell align=left,
  legend style={font=\scriptsize, draw=none, fill=none, /tikz/every even column/.append style={column sep=6pt}}}}`)
	for i := range f.Panels {
		t.panel(f, i, w)
	}
	t.line(`\end{tikzpicture}`)
	return []byte(t.b.String())
}

// tikz is a picture under way.
type tikz struct{ b strings.Builder }

func (t *tikz) line(format string, args ...any) { fmt.Fprintf(&t.b, format+"\n", args...) }

// Room around the axes of a panel, in points.
const (
	roomLeft  = 36
	roomBelow = 28
	roomRight = 16
	roomAbove = 6

	betweenRows = 18 // titles
)

// panel writes one pair of axes. All have fixed places, so that they align
// whatever their labels.
func (t *tikz) panel(f *Figure, i int, w vg.Length) {
	p := &f.Panels[i]
	if len(p.Layers) == 0 {
		return // a place that is left empty
	}
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	cellW := w.Points() / float64(f.Columns)
	x := float64(float64(i%f.Columns)*cellW) + roomLeft
	y := float64(roomBelow)
	for row := i/f.Columns + 1; row < rows; row++ {
		y += panelHigh.Points() + betweenRows + f.above(row)
	}
	wide, high := cellW-roomLeft-roomRight, panelHigh.Points()-roomBelow-roomAbove
	x0, x1, y0, y1 := p.ranges()
	t.line(`\begin{axis}[infnet, name=infnet-%d, at={(%spt,%spt)}, width=%spt, height=%spt, xmin=%s, xmax=%s, ymin=%s, ymax=%s,`,
		i, coord(x), coord(y), coord(wide), coord(high), coord(x0), coord(x1), coord(y0), coord(y1))
	t.line(`  xlabel={%s}, ylabel={%s}, title={%s},`, latex(p.X.Label), latex(p.Y.Label),
		strings.ReplaceAll(latexLines(p.Title), "\n", `\\`))
	if p.Title != "" {
		t.line(`  title style={text width=%spt},`, coord(wide+roomRight))
	}
	t.ticks("x", p.X, x0, x1)
	t.ticks("y", p.Y, y0, y1)
	if len(p.Top) > 0 {
		t.line(`  extra x ticks={%s}, extra x tick labels={%s}, extra x tick style={ticklabel pos=upper, tick pos=upper, tick align=outside},`, places(p.Top), names(p.Top))
		t.line(`  title={%s}, title style={yshift=11pt},`,
			strings.ReplaceAll(latexLines(strings.TrimPrefix(p.Title+"\n"+p.TopIs, "\n")), "\n", `\\`))
	}
	if i == len(f.Panels)-1 {
		t.legendPlace(f, x, y, wide, high, w)
	}
	t.line(`]`)
	for j := range p.Layers {
		t.layer(&p.Layers[j], x0, x1, y0, y1)
	}
	if i == len(f.Panels)-1 {
		t.legend(f)
	}
	t.line(`\end{axis}`)
	t.cuts(p, fmt.Sprintf("infnet-%d", i))
}

// above is the room that a row of panels takes above itself: second axes.
func (f *Figure) above(row int) float64 {
	for _, p := range f.Panels[row*f.Columns : min((row+1)*f.Columns, len(f.Panels))] {
		if len(p.Top) > 0 {
			return 20
		}
	}
	return 0
}

func (t *tikz) ticks(axis string, a Axis, low, high float64) {
	list := a.Ticks
	if list == nil {
		list = round(low, high, mostTicks)
	}
	t.line(`  %stick={%s}, %sticklabels={%s},`, axis, places(list), axis, names(list))
}

func places(ticks []Tick) string {
	out := make([]string, len(ticks))
	for i, t := range ticks {
		out[i] = coord(t.At)
	}
	return strings.Join(out, ",")
}

func names(ticks []Tick) string {
	out := make([]string, len(ticks))
	for i, t := range ticks {
		out[i] = "{" + latex(t.Label) + "}"
	}
	return strings.Join(out, ",")
}

// legendPlace centres the legend under the whole picture.
func (t *tikz) legendPlace(f *Figure, x, y, wide, high float64, w vg.Length) {
	below := roomBelow + 4.0
	widest := 1.0
	for _, e := range f.legend(w).entries {
		widest = max(widest, float64(1.15*(sampleWide+3+legendStyle().Width(e.text)).Points())+9)
	}
	columns := max(1, int(w.Points()/widest))
	t.line(`  legend style={at={(%s,%s)}, anchor=north}, legend columns=%d,`,
		coord((float64(w.Points()/2)-x)/wide), coord(-(below+y-roomBelow)/high), columns)
}

// legend writes one entry for each text.
func (t *tikz) legend(f *Figure) {
	for _, e := range f.legend(pageWide * 100).entries {
		look := e.layer.Look
		switch e.layer.Kind {
		case Bars, Band:
			t.line(`\addlegendimage{area legend, draw=none, fill=%s}`, fill(look))
		case Points:
			style := "only marks, " + stroke(look)
			if len(look.Dashes) > 0 || look.Mark == Disc && e.layer.Low == nil {
				style = stroke(look)
			}
			t.line(`\addlegendimage{%s, %s}`, style, mark(look))
		default:
			t.line(`\addlegendimage{%s, no marks}`, stroke(look))
		}
		t.line(`\addlegendentry{%s}`, latex(e.text))
	}
}

// layer writes what is drawn.
func (t *tikz) layer(l *Layer, x0, x1, y0, y1 float64) {
	at := func(x, y float64) string {
		return "(axis cs:" + coord(near(x, x0, x1)) + "," + coord(near(y, y0, y1)) + ")"
	}
	switch l.Kind {
	case Line, Stairs:
		style := stroke(l.Look) + ", no marks"
		if l.Kind == Stairs {
			style += ", const plot"
		}
		t.line(`\addplot[%s, forget plot] coordinates {%s};`, style, points(l.X, l.Y, x0, x1, y0, y1))
	case Points:
		for i := range l.Low {
			t.line(`\draw[infnet-%s, line width=0.7pt] %s -- %s;`, l.Look.Colour, at(l.X[i], l.Low[i]), at(l.X[i], l.High[i]))
		}
		if l.Aside != nil {
			t.aside(l, at)
			return
		}
		t.line(`\addplot[only marks, %s, %s, clip marker paths=false, forget plot] coordinates {%s};`, stroke(l.Look),
			mark(l.Look), points(l.X, l.Y, x0, x1, y0, y1))
	case Band:
		var path []string
		for i := range l.X {
			path = append(path, at(l.X[i], l.High[i]))
		}
		for i := len(l.X) - 1; i >= 0; i-- {
			path = append(path, at(l.X[i], l.Low[i]))
		}
		t.line(`\fill[%s] %s -- cycle;`, fill(l.Look), strings.Join(path, " -- "))
	case Bars:
		for i := range l.Y {
			t.line(`\draw[fill=%s, line width=0.3pt] %s rectangle %s;`, fill(l.Look), at(l.Low[i], 0), at(l.High[i], l.Y[i]))
		}
	case Across:
		t.line(`\draw[%s] %s -- %s;`, stroke(l.Look), at(x0, l.Y[0]), at(x1, l.Y[0]))
	case Down:
		t.line(`\draw[%s] %s -- %s;`, stroke(l.Look), at(l.X[0], y0), at(l.X[0], y1))
	case Joined:
		for i := range l.Y {
			t.line(`\draw[%s] %s -- %s;`, stroke(l.Look), at(l.Low[i], l.Y[i]), at(l.High[i], l.Y[i]))
		}
	}
}

// aside writes marks that are moved, with lines to their places.
func (t *tikz) aside(l *Layer, at func(x, y float64) string) {
	for i := range l.X {
		d := l.Aside[i]
		t.line(`\draw[line width=0.35pt] %s -- ++(%spt,%spt);`, at(l.X[i], l.Y[i]), coord(d.X), coord(d.Y))
		t.line(`\fill %s circle[radius=0.7pt];`, at(l.X[i], l.Y[i]))
		t.line(`\draw[%s, %s, shift={(%spt,%spt)}] plot[only marks] coordinates {%s};`, stroke(l.Look), mark(l.Look),
			coord(d.X), coord(d.Y), at(l.X[i], l.Y[i]))
	}
}

// points are places for \addplot; infinite ones are moved to the edge.
func points(xs, ys []float64, x0, x1, y0, y1 float64) string {
	var b strings.Builder
	for i := range xs {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("(" + coord(near(xs[i], x0, x1)) + "," + coord(near(ys[i], y0, y1)) + ")")
	}
	return b.String()
}

// near keeps a value within one range's width of the range.
func near(v, low, high float64) float64 {
	return min(max(v, low-(high-low)), high+(high-low))
}

// coord prints a number as TeX reads it: fixed point, six significant digits.
func coord(x float64) string {
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if strings.ContainsAny(s, "e") {
		s = strconv.FormatFloat(x, 'f', 10, 64)
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" || s == "" {
		return "0"
	}
	return s
}

// stroke is the look of a line in TikZ.
func stroke(l Look) string {
	s := fmt.Sprintf("infnet-%s, line width=%spt", l.Colour, coord(l.weight()))
	if len(l.Dashes) > 0 {
		s += ", dash pattern="
		for i, d := range l.Dashes {
			s += []string{"on ", "off "}[i%2] + coord(d) + "pt "
		}
	}
	return strings.TrimRight(s, " ")
}

// mark is the look of a mark in pgfplots.
func mark(l Look) string {
	name := map[Mark]string{Disc: "*", Square: "square*", Triangle: "triangle*", Diamond: "diamond*", Ring: "o",
		Box: "square", Cross: "x", Plus: "+", Tent: "triangle", Nabla: "triangle*", Vee: "triangle", Kite: "diamond",
		Star: "asterisk", Target: "otimes"}[l.Mark]
	if name == "" {
		name = "none"
	}
	turned := ""
	if l.Mark == Nabla || l.Mark == Vee {
		turned = ", rotate=180"
	}
	size := 2.0
	if l.Size > 0 {
		size *= math.Sqrt(l.Size) // these are larger as they are
	}
	return fmt.Sprintf("mark=%s, mark size=%spt, mark options={solid%s}", name, coord(size), turned)
}

// fill is the colour of an area in TikZ.
func fill(l Look) string {
	return fmt.Sprintf("infnet-%s!%d", l.Colour, int(float64(100*l.shade())+0.5))
}

// colours are those the figure uses, each once, in order.
func (f *Figure) colours() []string {
	var out []string
	seen := map[string]bool{}
	for i := range f.Panels {
		for _, l := range f.Panels[i].Layers {
			if c := l.Look.Colour; !seen[c] {
				seen[c] = true
				out = append(out, c)
			}
		}
	}
	return out
}

// latex escapes a text.
func latex(s string) string { return table.LaTeX(s) }

// latexLines escapes the lines of a text one by one.
func latexLines(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = latex(lines[i])
	}
	return strings.Join(lines, "\n")
}
