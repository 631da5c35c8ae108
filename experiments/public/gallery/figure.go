package gallery

import (
	"fmt"

	"infnet/reports/figure"
)

// looks are those of a chain's models, the cheapest first; a pair has the look of
// its first model.
var looks = []figure.Look{
	{Colour: "sky", Mark: figure.Disc, Dashes: []float64{2, 1.4}},
	{Colour: "orange", Mark: figure.Square, Dashes: []float64{4, 2}},
	{Colour: "green", Mark: figure.Triangle, Dashes: []float64{5, 1.6, 1, 1.6}},
	{Colour: "purple", Mark: figure.Diamond, Dashes: []float64{7, 2.5}},
	{Colour: "vermilion", Mark: figure.Box},
}

// Figure draws the curves of a set: a panel per chain, with its models, its pairs
// with the last model, and the whole chain.
func (c *SetCurves) Figure() *figure.Figure {
	f := &figure.Figure{Name: c.Set, Columns: 2, Wide: true}
	f.Caption = c.Set + ": mean cost against the share of wrong answers, on questions that no threshold saw. Marks: a " +
		"model alone. Dashed lines: the pair of that model and the last of its panel, all thresholds. Black: all models of " +
		"the panel in series."
	for _, family := range Chains {
		p := figure.Panel{Title: family.Name, X: figure.Axis{Label: "cost (USD per million questions)"},
			Y: figure.Axis{Label: "error (%)", Share: true}}
		last := family.Models[len(family.Models)-1]
		for _, k := range c.Cascades {
			if k.Chain != family.Name || k.Models[len(k.Models)-1] != last {
				continue
			}
			if len(k.Models) > 2 {
				look := figure.Look{Colour: "black", Weight: 1.3}
				p.Layers = append(p.Layers, k.layer(look, "all in series"))
				continue
			}
			for m, name := range family.Models {
				if name == k.Models[0] {
					look := looks[m]
					look.Mark = figure.NoMark
					p.Layers = append(p.Layers, k.layer(look, ""))
				}
			}
		}
		for m, name := range family.Models {
			for _, s := range c.Singles {
				if s.Name == name {
					look := looks[m]
					if name == last {
						look.Dashes = nil // no pair begins with it
					}
					p.Layers = append(p.Layers, figure.Layer{Kind: figure.Points, Look: look, Legend: name,
						X: []float64{1e6 * s.TestCost}, Y: []float64{100 * s.TestError}})
				}
			}
		}
		f.Panels = append(f.Panels, p)
	}
	return f
}

// layer is a curve as a line, in the order in which the fit part has its places.
func (c *Curve) layer(look figure.Look, legend string) figure.Layer {
	l := figure.Layer{Kind: figure.Line, Look: look, Legend: legend}
	for _, p := range c.Places {
		l.X, l.Y = append(l.X, 1e6*p.TestCost), append(l.Y, 100*p.TestError)
	}
	return l
}

// SVG draws a set's figure.
func (c *SetCurves) SVG() ([]byte, error) {
	b, err := c.Figure().SVG()
	if err != nil {
		return nil, fmt.Errorf("draw the curves of %s: %w", c.Set, err)
	}
	return b, nil
}
