package figure

import (
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line is the look of a line.
func (l Look) line() draw.LineStyle {
	s := draw.LineStyle{Color: palette[l.Colour], Width: vg.Points(l.weight())}
	for _, d := range l.Dashes {
		s.Dashes = append(s.Dashes, vg.Points(d))
	}
	return s
}

func (l Look) weight() float64 {
	if l.Weight == 0 {
		return 1
	}
	return l.Weight
}

func (l Look) shade() float64 {
	if l.Shade == 0 {
		return 1
	}
	return l.Shade
}

// fill is the colour of an area: mixed with white instead of transparent, so
// that every format shows the same.
func (l Look) fill() color.Color {
	c, s := palette[l.Colour], l.shade()
	mix := func(v uint8) uint8 { return uint8(float64(float64(v)*s) + float64(255*(1-s)) + 0.5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// glyph is the look of a mark.
func (l Look) glyph() draw.GlyphStyle {
	g := draw.GlyphStyle{Color: palette[l.Colour], Radius: 2.2}
	switch l.Mark {
	case Disc:
		g.Shape = draw.CircleGlyph{}
	case Square:
		g.Shape, g.Radius = solidBox{}, 2
	case Triangle:
		g.Shape, g.Radius = draw.PyramidGlyph{}, 2.8
	case Diamond:
		g.Shape, g.Radius = diamond{}, 3
	case Ring:
		g.Shape, g.Radius = draw.RingGlyph{}, 2.6
	case Box:
		g.Shape, g.Radius = draw.SquareGlyph{}, 2.6
	case Cross:
		g.Shape, g.Radius = draw.CrossGlyph{}, 2.8
	case Tent:
		g.Shape, g.Radius = draw.TriangleGlyph{}, 2.8
	case Nabla:
		g.Shape, g.Radius = onPoint{filled: true}, 2.8
	case Vee:
		g.Shape, g.Radius = onPoint{}, 2.8
	case Kite:
		g.Shape, g.Radius = kite{}, 3
	case Star:
		g.Shape, g.Radius = star{}, 3
	case Target:
		g.Shape, g.Radius = target{}, 2.6
	default:
		g.Shape, g.Radius = draw.PlusGlyph{}, 3
	}
	if l.Size > 0 {
		g.Radius *= vg.Length(l.Size)
	}
	return g
}

// solidBox is a filled square.
type solidBox struct{}

// DrawGlyph draws it.
func (solidBox) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	c.FillPolygon(s.Color, []vg.Point{{X: p.X - s.Radius, Y: p.Y - s.Radius}, {X: p.X + s.Radius, Y: p.Y - s.Radius},
		{X: p.X + s.Radius, Y: p.Y + s.Radius}, {X: p.X - s.Radius, Y: p.Y + s.Radius}})
}

// diamond is a filled square on its corner.
type diamond struct{}

// DrawGlyph draws it.
func (diamond) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	c.FillPolygon(s.Color, []vg.Point{{X: p.X - s.Radius, Y: p.Y}, {X: p.X, Y: p.Y - s.Radius},
		{X: p.X + s.Radius, Y: p.Y}, {X: p.X, Y: p.Y + s.Radius}})
}

// kite is a hollow diamond.
type kite struct{}

// DrawGlyph draws it.
func (kite) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	edge(c, s, vg.Point{X: p.X - s.Radius, Y: p.Y}, vg.Point{X: p.X, Y: p.Y - s.Radius},
		vg.Point{X: p.X + s.Radius, Y: p.Y}, vg.Point{X: p.X, Y: p.Y + s.Radius})
}

// onPoint is a triangle on its point.
type onPoint struct{ filled bool }

// DrawGlyph draws it.
func (o onPoint) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	const half, root = 0.5, 0.866 // of an equilateral triangle in a circle
	corners := []vg.Point{{X: p.X - vg.Length(root*s.Radius), Y: p.Y + vg.Length(half*s.Radius)},
		{X: p.X + vg.Length(root*s.Radius), Y: p.Y + vg.Length(half*s.Radius)}, {X: p.X, Y: p.Y - s.Radius}}
	if o.filled {
		c.FillPolygon(s.Color, corners)
		return
	}
	edge(c, s, corners...)
}

// star is three lines through a point.
type star struct{}

// DrawGlyph draws it.
func (star) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	style := draw.LineStyle{Color: s.Color, Width: vg.Points(0.5)}
	for _, d := range []vg.Point{{X: 0, Y: 1}, {X: 0.866, Y: 0.5}, {X: 0.866, Y: -0.5}} {
		x, y := vg.Length(d.X*s.Radius), vg.Length(d.Y*s.Radius)
		c.StrokeLine2(style, p.X-x, p.Y-y, p.X+x, p.Y+y)
	}
}

// target is a cross in a ring.
type target struct{}

// DrawGlyph draws it.
func (target) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	draw.RingGlyph{}.DrawGlyph(c, s, p)
	s.Radius *= 0.7
	draw.CrossGlyph{}.DrawGlyph(c, s, p)
}

// edge draws the outline of a polygon.
func edge(c *draw.Canvas, s draw.GlyphStyle, corners ...vg.Point) {
	c.StrokeLines(draw.LineStyle{Color: s.Color, Width: vg.Points(0.5)}, append(corners, corners[0]))
}
