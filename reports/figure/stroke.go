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
	Cross: {2.8, draw.CrossGlyph{}}, Plus: {3, draw.PlusGlyph{}}, Square: {2, form{corners: square}},
	Diamond: {3, form{corners: diamond}}, Kite: {3, form{corners: diamond, hollow: true}},
	Nabla: {2.8, form{corners: onPoint}}, Vee: {2.8, form{corners: onPoint, hollow: true}},
	Star: {3, form{corners: rays, hollow: true}}, Target: {2.6, form{corners: cross, hollow: true, ring: true}},
}

// The corners of forms in the order in which they are joined, in radii from their place.
var (
	square  = []vg.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: 1, Y: 1}, {X: -1, Y: 1}}
	diamond = []vg.Point{{X: -1}, {Y: -1}, {X: 1}, {Y: 1}}
	onPoint = []vg.Point{{X: -0.866, Y: 0.5}, {X: 0.866, Y: 0.5}, {Y: -1}} // an equilateral triangle in a circle
	rays    = []vg.Point{{}, {Y: 1}, {Y: -1}, {}, {X: 0.866, Y: 0.5}, {X: -0.866, Y: -0.5}, {}, {X: 0.866, Y: -0.5},
		{X: -0.866, Y: 0.5}}
	cross = []vg.Point{{}, {X: 0.5, Y: 0.5}, {X: -0.5, Y: -0.5}, {}, {X: 0.5, Y: -0.5}, {X: -0.5, Y: 0.5}}
)

// form is a mark with corners, filled or hollow, in a ring or not.
type form struct {
	corners      []vg.Point
	hollow, ring bool
}

// DrawGlyph draws it.
func (o form) DrawGlyph(c *draw.Canvas, s draw.GlyphStyle, p vg.Point) {
	if o.ring {
		draw.RingGlyph{}.DrawGlyph(c, s, p)
	}
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
