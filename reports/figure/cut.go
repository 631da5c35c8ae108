package figure

import (
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cut reports which axes do not begin at 0 although 0 is where their numbers begin.
func (p *Panel) cut() (x, y bool) {
	x0, _, y0, _ := p.ranges()
	return p.X.Zero && x0 > 0, p.Y.Zero && y0 > 0
}

// cutNote says which axes of a figure are cut; "" = none.
func (f *Figure) cutNote() string {
	var names []string
	for i := range f.Panels {
		p := &f.Panels[i]
		x, y := p.cut()
		for _, a := range []struct {
			axis Axis
			cut  bool
		}{{p.X, x}, {p.Y, y}} {
			name, _, _ := strings.Cut(a.axis.Label, " (")
			if a.cut && name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "The axis of " + names[0] + " is cut: it does not begin at 0."
	}
	return "The axes of " + strings.Join(names, " and ") + " are cut: they do not begin at 0."
}

// The sign of a cut axis is two strokes across its beginning: where they are, how long and how far apart, in points.
const (
	cutAt    = 5.0
	cutHalf  = 2.6
	cutApart = 2.4
)

type cuts struct{ *Panel }

// Plot draws them on the lines of the axes, which are a little outside of the panel.
func (s cuts) Plot(c draw.Canvas, q *plot.Plot) {
	x, y := s.cut()
	line := draw.LineStyle{Color: palette["black"], Width: vg.Points(0.6)}
	for _, shift := range []vg.Length{0, cutApart} {
		if x {
			at := vg.Point{X: c.Min.X + cutAt + shift, Y: c.Min.Y - q.X.Padding}
			c.StrokeLine2(line, at.X-cutHalf/2, at.Y-cutHalf, at.X+cutHalf/2, at.Y+cutHalf)
		}
		if y {
			at := vg.Point{X: c.Min.X - q.Y.Padding, Y: c.Min.Y + cutAt + shift}
			c.StrokeLine2(line, at.X-cutHalf, at.Y-cutHalf/2, at.X+cutHalf, at.Y+cutHalf/2)
		}
	}
}
