package figure

import (
	"cmp"
	"image/color"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"infnet/harness/baseline"
)

// Look is how a layer looks: colour, dashes, mark and weight together, so that
// none of them has to be seen for two layers to be told apart.
type Look struct {
	Colour string    // a name of palette
	Dashes []float64 // lengths of dash and gap in points; nil = solid
	Mark   Mark
	Weight float64 // of lines, in points; 0 = 1
	Size   float64 // of marks, relative; 0 = 1
	Shade  float64 // of bands and bars: opacity; 0 = 1
}

// Mark is the form of a point; nil = none.
type Mark = draw.GlyphDrawer

// The marks, the filled ones first.
var (
	Disc     Mark = draw.CircleGlyph{}
	Square   Mark = draw.BoxGlyph{}
	Triangle Mark = draw.PyramidGlyph{}
	Ring     Mark = draw.RingGlyph{}
	Box      Mark = draw.SquareGlyph{}
	Tent     Mark = draw.TriangleGlyph{}
	Cross    Mark = draw.CrossGlyph{}
	Plus     Mark = draw.PlusGlyph{}
)

// palette are the colours, by name: those of Okabe and Ito (Color Universal
// Design, 2008), which most kinds of colour blindness keep apart, and greys.
var palette = map[string]color.NRGBA{
	"black":     {0, 0, 0, 255},
	"blue":      {0, 114, 178, 255},
	"vermilion": {213, 94, 0, 255},
	"green":     {0, 158, 115, 255},
	"purple":    {204, 121, 167, 255},
	"orange":    {230, 159, 0, 255},
	"sky":       {86, 180, 233, 255},
	"grey":      {120, 120, 120, 255},
	"pale":      {200, 200, 200, 255},
}

// Dashes.
var (
	dashed  = []float64{4, 2}
	dotted  = []float64{1, 1.6}
	mixed   = []float64{5, 1.6, 1, 1.6}
	longish = []float64{7, 2.5}
	short   = []float64{2, 1.4}
)

// dashes and marks by the names that the table of baselines calls them.
var (
	dashes = map[string][]float64{"dashed": dashed, "dotted": dotted, "mixed": mixed, "longish": longish, "short": short}
	marks  = map[string]Mark{"triangle": Triangle, "ring": Ring, "box": Box, "tent": Tent, "cross": Cross, "plus": Plus}
)

var ourLooks = map[string]Look{
	"single": {Colour: "blue", Mark: Disc, Weight: 1.4, Size: 0.8},
	// seen around a disc at its place
	"multi": {Colour: "vermilion", Dashes: longish, Mark: Square, Weight: 1.4, Size: 1.5},
}

func lookOf(policy string) (Look, bool) {
	if look, ok := ourLooks[policy]; ok {
		return look, true
	}
	b := baseline.Of(baseline.Kind(policy)).Look
	return Look{Colour: b.Colour, Dashes: dashes[b.Dashes], Mark: marks[b.Mark], Weight: b.Weight}, b.Colour != ""
}

// spare are the looks of policies that have none of their own, in order.
var spare = []Look{
	{Colour: "orange", Dashes: mixed, Mark: Square},
	{Colour: "sky", Dashes: dashed, Mark: Triangle},
	{Colour: "green", Dashes: short, Mark: Tent},
	{Colour: "purple", Dashes: longish, Mark: Disc},
	{Colour: "orange", Dashes: dotted, Mark: Cross},
	{Colour: "sky", Dashes: mixed, Mark: Plus},
}

// looks hands out looks: to a policy always the same.
type looks struct {
	given map[string]Look
	next  int
}

func (l *looks) of(policy string) Look {
	if look, ok := lookOf(policy); ok {
		return look
	}
	if look, ok := l.given[policy]; ok {
		return look
	}
	if l.given == nil {
		l.given = map[string]Look{}
	}
	l.given[policy] = spare[l.next%len(spare)]
	l.next++
	return l.given[policy]
}

// modelLooks are the marks of models alone, no two the same; of more models the first begin again. Discs are pairs.
var modelLooks = []Look{
	{Colour: "vermilion", Mark: Square}, {Colour: "green", Mark: Triangle}, {Colour: "purple", Mark: Tent},
	{Colour: "orange", Mark: Plus}, {Colour: "sky", Mark: Cross}, {Colour: "black", Mark: Box},
	{Colour: "grey", Mark: Ring}, {Colour: "black", Mark: Triangle}, {Colour: "black", Mark: Plus},
	{Colour: "black", Mark: Tent},
}

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

func (l Look) glyph() draw.GlyphStyle {
	return draw.GlyphStyle{Color: palette[l.Colour], Radius: vg.Length(2.5 * cmp.Or(l.Size, 1)), Shape: l.Mark}
}
