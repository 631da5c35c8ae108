package figure

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of a legend, in points.
const (
	sampleWide = 18
	entryGap   = 9
	rowHigh    = 10.5
)

type entry struct {
	layer *Layer
	x     vg.Length
	row   int
}

// legend stands below the panels, where it hides nothing.
type legend struct {
	entries []entry
	rows    int
}

// legend lays out one entry for each text, in order of first appearance.
func (f *Figure) legend(wide vg.Length) *legend {
	l := &legend{}
	seen := map[string]bool{}
	style := legendStyle()
	x := vg.Length(0)
	for i := range f.Panels {
		for j := range f.Panels[i].Layers {
			layer := &f.Panels[i].Layers[j]
			if layer.Legend == "" || seen[layer.Legend] {
				continue
			}
			seen[layer.Legend] = true
			room := sampleWide + 5 + style.Width(layer.Legend)
			if x > 0 && x+room > wide-2*entryGap {
				l.rows++
				x = 0
			}
			l.entries = append(l.entries, entry{layer, x, l.rows})
			x += room + entryGap
		}
	}
	if len(l.entries) > 0 {
		l.rows++
	}
	return l
}

func (l *legend) high() vg.Length { return vg.Length(vg.Length(l.rows)*rowHigh) + 3 }

func legendStyle() draw.TextStyle {
	return draw.TextStyle{Color: palette["black"], Font: serif(smallSize), XAlign: draw.XLeft, YAlign: draw.YCenter,
		Handler: plot.DefaultTextHandler}
}

// paint draws the legend at the foot of a canvas, its rows centred.
func (l *legend) paint(c draw.Canvas) {
	style := legendStyle()
	widths := make([]vg.Length, l.rows)
	for _, e := range l.entries {
		widths[e.row] = max(widths[e.row], e.x+sampleWide+5+style.Width(e.layer.Legend))
	}
	for _, e := range l.entries {
		left := vg.Length((c.Min.X+c.Max.X-widths[e.row])/2) + e.x
		y := c.Min.Y + vg.Length(vg.Length(l.rows-e.row)*rowHigh) - vg.Length(rowHigh/2)
		l.sample(c, e.layer, left, y)
		c.FillText(style, vg.Point{X: left + sampleWide + 5, Y: y}, e.layer.Legend)
	}
}

func (l *legend) sample(c draw.Canvas, layer *Layer, left, y vg.Length) {
	look := layer.Look
	middle := vg.Point{X: left + sampleWide/2, Y: y}
	if layer.Kind == Band || layer.Kind == Cells {
		c.FillPolygon(look.fill(), []vg.Point{{X: left + 4, Y: y - 3}, {X: left + sampleWide - 4, Y: y - 3},
			{X: left + sampleWide - 4, Y: y + 3}, {X: left + 4, Y: y + 3}})
		return
	}
	if layer.Kind != Points || len(look.Dashes) > 0 || look.Weight > 0 { // marks on a line
		c.StrokeLine2(look.line(), left, y, left+sampleWide, y)
	}
	if look.Mark != nil && layer.Kind != Stairs {
		c.DrawGlyphNoClip(look.glyph(), middle)
	}
}
