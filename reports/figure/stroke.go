package figure

import (
	"cmp"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// line is the look of a line.
func (l Look) line() draw.LineStyle {
	s := draw.LineStyle{Color: palette[l.Colour], Width: vg.Points(cmp.Or(l.Weight, 1))}
	for _, d := range l.Dashes {
		s.Dashes = append(s.Dashes, vg.Points(d))
	}
	return s
}

// fill is the colour of an area: mixed with white instead of transparent, so
// that every format shows the same.
func (l Look) fill() color.Color {
	c, s := palette[l.Colour], cmp.Or(l.Shade, 1)
	mix := func(v uint8) uint8 { return uint8(float64(float64(v)*s) + float64(255*(1-s)) + 0.5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), 255}
}

// glyph is the look of a mark.
func (l Look) glyph() draw.GlyphStyle {
	shape := shapes[l.Mark]
	g := draw.GlyphStyle{Color: palette[l.Colour], Radius: shape.radius, Shape: shape.of}
	if l.Size > 0 {
		g.Radius *= vg.Length(l.Size)
	}
	return g
}

// shapes are the forms of marks.
var shapes = map[Mark]struct {
	radius vg.Length
	of     draw.GlyphDrawer
}{
	NoMark: {3, draw.PlusGlyph{}}, Disc: {2.2, draw.CircleGlyph{}}, Ring: {2.6, draw.RingGlyph{}},
	Triangle: {2.8, draw.PyramidGlyph{}}, Tent: {2.8, draw.TriangleGlyph{}}, Box: {2.6, draw.SquareGlyph{}},
	Cross: {2.8, draw.CrossGlyph{}}, Plus: {3, draw.PlusGlyph{}}, Square: {2, polygon{false, square}},
	Diamond: {3, polygon{false, diamond}}, Kite: {3, polygon{true, diamond}}, Nabla: {2.8, polygon{false, onPoint}},
	Vee: {2.8, polygon{true, onPoint}}, Star: {3, star{}}, Target: {2.6, target{}},
}

// The corners of polygons, in radii from their place.
var (
	square  = []vg.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}}
	diamond = []vg.Point{{X: -1}, {Y: -1}, {X: 1}, {Y: 1}}
	onPoint = []vg.Point{{X: -0.866, Y: 0.5}, {X: 0.866, Y: 0.5}, {Y: -1}} // an equilateral triangle in a circle
)

// polygon is a mark with corners, filled or hollow.
type polygon struct {
	hollow  bool
	corners []vg.Point
}

// DrawGlyph draws it.
func (o polygon) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	var corners []vg.Point
	for _, d := range o.corners {
		corners = append(corners, vg.Point{X: p.X + vg.Length(d.X*s.Radius), Y: p.Y + vg.Length(d.Y*s.Radius)})
	}
	if o.hollow {
		c.StrokeLines(draw.LineStyle{Color: s.Color, Width: vg.Points(0.5)}, append(corners, corners[0]))
		return
	}
	c.FillPolygon(s.Color, corners)
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
