package figure

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a figure, chosen for a paper of two columns: nothing has to be
// scaled, and its text is as large as a caption.
const (
	columnWide = 3.25 * vg.Inch // the narrowest column of the usual styles (ICML); IEEE and ACM have more
	pageWide   = 7.0 * vg.Inch
	panelHigh  = 1.75 * vg.Inch
	textSize   = 8 * vg.Inch / 72
	smallSize  = 7 * vg.Inch / 72
	gap        = 6 * vg.Inch / 72
)

func (f *Figure) size() (w, h vg.Length) {
	w = columnWide
	if f.Wide {
		w = pageWide
	}
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	h = vg.Length(rows) * panelHigh
	for _, p := range f.Panels {
		if len(p.Top) > 0 {
			h += 3 * textSize
		}
	}
	return w, h + f.legend(w).high()
}

func (f *Figure) paint(c vg.CanvasSizer) {
	dc := draw.New(c)
	legend := f.legend(dc.Max.X - dc.Min.X)
	legend.paint(dc)
	rows := (len(f.Panels) + f.Columns - 1) / f.Columns
	area := draw.Crop(dc, 0, 0, legend.high(), 0)
	plots := make([][]*plot.Plot, rows)
	for i := range plots {
		plots[i] = make([]*plot.Plot, f.Columns)
		for j := range plots[i] {
			if k := i*f.Columns + j; k < len(f.Panels) && len(f.Panels[k].Layers) > 0 {
				plots[i][j] = f.Panels[k].plot()
			}
		}
	}
	tiles := draw.Tiles{Rows: rows, Cols: f.Columns, PadX: gap, PadY: gap, PadTop: 2, PadBottom: 2, PadLeft: 2,
		PadRight: 8}
	for i, row := range plot.Align(plots, tiles, area) {
		for j, canvas := range row {
			if plots[i][j] != nil {
				plots[i][j].Draw(canvas)
			}
		}
	}
}

// serif is the typeface of all text, close to a paper's.
func serif(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Serif", Size: size}
}

func (p *Panel) plot() *plot.Plot {
	q := plot.New()
	q.Title.Text = p.Title
	q.Title.TextStyle.Font = serif(textSize)
	q.Title.Padding = 3
	for axis, of := range map[*plot.Axis]Axis{&q.X: p.X, &q.Y: p.Y} { // order has no effect
		axis.Label.Text = of.Label
		axis.Label.TextStyle.Font = serif(textSize)
		axis.Tick.Label.Font = serif(smallSize)
		axis.Tick.Length = 3
		axis.Padding = 2
	}
	if len(p.Top) > 0 {
		q.Add(top{p})
	}
	for i := range p.Layers {
		q.Add(layer{&p.Layers[i]})
	}
	q.X.Min, q.X.Max, q.Y.Min, q.Y.Max = p.ranges()
	q.X.Tick.Marker = p.X.ticks(q.X.Min, q.X.Max)
	q.Y.Tick.Marker = p.Y.ticks(q.Y.Min, q.Y.Max)
	return q
}

// ranges are those of the two axes: as stated, else of the layers, with a
// little room.
func (p *Panel) ranges() (x0, x1, y0, y1 float64) {
	var xs, ys []float64
	for i := range p.Layers {
		a, b, c, d := p.Layers[i].dataRange()
		xs, ys = append(xs, a, b), append(ys, c, d)
	}
	x0, x1 = extent(0, xs)
	y0, y1 = extent(0.04, ys)
	if p.X.Min != p.X.Max {
		x0, x1 = p.X.Min, p.X.Max
	}
	if p.Y.Min != p.Y.Max {
		y0, y1 = p.Y.Min, p.Y.Max
	}
	if p.X.Share {
		x0, x1 = 0, min(x1, 100)
	}
	if p.Y.Share {
		y0, y1 = 0, min(y1, 100)
	}
	return x0, x1, y0, y1
}

const mostTicks = 6

// ticks are those of an axis: as stated, else round places.
func (a Axis) ticks(low, high float64) plot.ConstantTicks {
	list := a.Ticks
	if list == nil {
		list = round(low, high, mostTicks)
	}
	var out []plot.Tick
	for _, t := range list {
		label := t.Label
		if label == "" {
			label = " " // a mark as long as the others'
		}
		out = append(out, plot.Tick{Value: t.At, Label: label})
	}
	return out
}

type top struct{ *Panel }

// Plot draws the axis at the upper edge.
func (t top) Plot(c draw.Canvas, q *plot.Plot) {
	x, _ := q.Transforms(&c)
	line := draw.LineStyle{Color: palette["black"], Width: 0.5}
	c.StrokeLine2(line, c.Min.X, c.Max.Y, c.Max.X, c.Max.Y)
	style := q.X.Tick.Label
	style.XAlign, style.YAlign = draw.XCenter, draw.YBottom
	for _, tick := range t.Top {
		at := x(tick.At)
		c.StrokeLine2(line, at, c.Max.Y, at, c.Max.Y+3)
		c.FillText(style, vg.Point{X: at, Y: c.Max.Y + 4}, tick.Label)
	}
	style.Font = serif(textSize)
	c.FillText(style, vg.Point{X: (c.Min.X + c.Max.X) / 2, Y: c.Max.Y + 5 + smallSize}, t.TopIs)
}

// GlyphBoxes keeps room for the axis.
func (t top) GlyphBoxes(*plot.Plot) []plot.GlyphBox {
	return []plot.GlyphBox{{X: 0.5, Y: 1, Rectangle: vg.Rectangle{Max: vg.Point{X: 1, Y: 8 + smallSize + textSize}}}}
}

type layer struct{ *Layer }

// dataRange is the range of what is drawn; infinite where there is none.
func (l *Layer) dataRange() (x0, x1, y0, y1 float64) {
	inf := math.Inf(1)
	x0, x1, y0, y1 = inf, -inf, inf, -inf
	grow := func(low, high *float64, lists ...[]float64) {
		for _, v := range slices.Concat(lists...) {
			if !math.IsNaN(v) && !math.IsInf(v, 0) {
				*low, *high = min(*low, v), max(*high, v)
			}
		}
	}
	switch l.Kind {
	case Down:
		grow(&x0, &x1, l.X)
	case Cells:
		grow(&x0, &x1, l.X)
		grow(&y0, &y1, l.Y)
		return x0 - 0.5, x1 + 0.5, y0 - 0.5, y1 + 0.5
	default:
		grow(&x0, &x1, l.X)
		grow(&y0, &y1, l.Y, l.Low, l.High)
	}
	return x0, x1, y0, y1
}

// Plot draws the layer, cut off at the axes.
func (l layer) Plot(c draw.Canvas, q *plot.Plot) {
	fx, fy := q.Transforms(&c)
	at := func(x, y float64) vg.Point {
		return vg.Point{X: inside(fx(x), c.Min.X, c.Max.X), Y: inside(fy(y), c.Min.Y, c.Max.Y)}
	}
	line := l.Look.line()
	switch l.Kind {
	case Line, Stairs:
		var path []vg.Point
		for i := range l.X {
			if l.Kind == Stairs && i > 0 {
				path = append(path, at(l.X[i], l.Y[i-1]))
			}
			path = append(path, at(l.X[i], l.Y[i]))
		}
		c.StrokeLines(line, c.ClipLinesXY(path)...)
		if l.Look.Mark != nil && l.Kind == Line {
			l.marks(c, at)
		}
	case Points:
		bars := draw.LineStyle{Color: line.Color, Width: 0.7}
		for i := range l.Low {
			c.StrokeLines(bars, []vg.Point{at(l.X[i], l.Low[i]), at(l.X[i], l.High[i])})
		}
		l.marks(c, at)
	case Band:
		var above, below []vg.Point
		for i := range l.X {
			above, below = append(above, at(l.X[i], l.High[i])), append(below, at(l.X[i], l.Low[i]))
		}
		slices.Reverse(below)
		c.FillPolygon(l.Look.fill(), append(above, below...))
	case Down:
		x := at(l.X[0], 0).X
		c.StrokeLine2(line, x, c.Min.Y, x, c.Max.Y)
	case Cells:
		l.cells(c, at)
	}
}

func (l layer) cells(c draw.Canvas, at func(x, y float64) vg.Point) {
	style := legendStyle()
	style.XAlign = draw.XCenter
	for i := range l.X {
		x, y := l.X[i], l.Y[i]
		corners := []vg.Point{at(x-0.5, y-0.5), at(x+0.5, y-0.5), at(x+0.5, y+0.5), at(x-0.5, y+0.5)}
		c.FillPolygon(l.Look.fill(), corners)
		c.StrokeLines(draw.LineStyle{Color: color.White, Width: 0.5}, append(corners, corners[0]))
		if i < len(l.Texts) {
			c.FillText(style, at(x, y), l.Texts[i])
		}
	}
}

// inside keeps a place near the axes, so that infinite values are drawn at the
// edge.
func inside(v, low, high vg.Length) vg.Length {
	room := high - low
	return min(max(v, low-room), high+room)
}

func (l layer) marks(c draw.Canvas, at func(x, y float64) vg.Point) {
	style := l.Look.glyph()
	for i := range l.X {
		c.DrawGlyphNoClip(style, at(l.X[i], l.Y[i]))
	}
}
