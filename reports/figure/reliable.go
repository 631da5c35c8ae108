package figure

// reliability is how sure each model was and how often it was right, in bins of
// equal mass, with exact intervals; on the diagonal the confidence is the
// probability of being right.
func reliability(v *view) (Figure, bool) {
	f := Figure{Kind: "reliability"}
	for i := range v.data.Reliability {
		r := &v.data.Reliability[i]
		if r.Binning != "equal-mass" || len(r.Confidence) == 0 {
			continue
		}
		f.Panels = append(f.Panels, Panel{
			Title: ends(r.Model),
			X:     Axis{Label: "confidence β", Max: 1},
			Y:     Axis{Max: 1},
			Layers: []Layer{
				{Kind: Line, Look: Look{Colour: "grey", Dashes: dashed, Weight: 0.8}, Legend: "calibrated", X: []float64{0, 1},
					Y: []float64{0, 1}},
				{Kind: Points, Look: Look{Colour: "blue", Mark: Disc}, Legend: "test part, bins of equal mass", X: r.Confidence,
					Y: r.Correct, Low: r.From, High: r.To},
			},
		})
	}
	if len(f.Panels) == 0 {
		return Figure{}, false
	}
	f.Panels[0].Y.Label = "share right"
	f.Columns = min(len(f.Panels), 2)
	f.Caption = "reliability of each model's confidence on the test part, with exact 95 % intervals."
	if v.study.Level != 0.95 {
		f.Caption = "reliability of each model's confidence on the test part, with exact intervals."
	}
	return f, true
}
