package figure

// aloneLooks tell the student alone from the master alone.
var aloneLooks = map[string]Look{"none": {Colour: "grey", Dashes: dashed}, "all": {Colour: "black"}}

// coverage is how often each model alone, and the policies that abstain, err among the queries that they answer.
func coverage(v *view) (Figure, bool) {
	if v.data.Price == nil || len(v.data.Price.Coverage) == 0 {
		return Figure{}, false
	}
	p := Panel{Apart: true, X: Axis{Label: "queries answered (%)", Max: 100}, Y: Axis{Label: "error among them (%)",
		Share: true}}
	for i := range v.data.Price.Coverage {
		c := &v.data.Price.Coverage[i]
		look, known := aloneLooks[c.Policy]
		if !known {
			look = v.shown.of(c.Policy)
		}
		line := look
		line.Mark = NoMark
		ours := false
		for k := range v.data.Price.Rows {
			l := &v.data.Price.Rows[k]
			if l.Policy == c.Policy && l.Thresholds != nil && l.Error != nil {
				ours = true
				p.Layers = append(p.Layers, Layer{Kind: Points, Look: look, Legend: l.Title,
					X: []float64{100 * l.Answered.Value}, Y: []float64{100 * l.Error.Value}})
			}
		}
		legend := c.Title
		if ours {
			legend = ""
			p.Layers = append([]Layer{{Kind: Band, Look: Look{Colour: look.Colour, Shade: 0.15}, X: percents(c.Answered),
				Low: percents(c.Low), High: percents(c.High)}}, p.Layers...)
		}
		p.Layers = append(p.Layers, Layer{Kind: Line, Look: line, Legend: legend, X: percents(c.Answered),
			Y: percents(c.Error)})
	}
	f := Figure{Kind: "coverage", Columns: 1, Panels: []Panel{p}}
	f.Caption = "error among the answered queries of the test part against their share. Lines: each model alone, which " +
		"answers where its own confidence is above a quantile of the fit part, and the policies that abstain, fitted to " +
		"falling prices of an abstention; the mark: that at the study's price."
	f.Notes = []string{"The shaded band is the pointwise interval of the policies that abstain."}
	return f, true
}
