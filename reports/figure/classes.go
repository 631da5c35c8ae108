package figure

import (
	"math"

	"infnet/harness/result"
)

// most is how many classes a figure of classes shows.
const most = 12

// boundaries makes equalisation visible: for each predicted class how much more
// often the student errs than the master at a confidence, on the fit part; the
// class's threshold on that curve; and the level at which all interior
// thresholds stand in the optimum (§3.2 of the paper, thm. on boundary errors).
func boundaries(v *view) (Figure, bool) {
	b := v.data.Boundaries
	if b == nil || len(b.Classes) < 2 || len(b.Classes) > most {
		return Figure{}, false
	}
	p := Panel{X: Axis{Label: "student's confidence β"}, Y: Axis{Label: "excess error (% points)"}}
	if level := float64(b.Level); !math.IsNaN(level) && !math.IsInf(level, 0) {
		p.Layers = append(p.Layers, Layer{Kind: Across, Look: Look{Colour: "grey", Dashes: dashed, Weight: 0.8},
			Legend: "common level", Y: []float64{100 * level}})
	}
	var at []Layer
	f := Figure{Kind: "boundaries", Columns: 1}
	names, note := classNames(b)
	for i := range b.Classes {
		k := &b.Classes[i]
		look := classLooks[i%len(classLooks)]
		line := look
		line.Mark, line.Weight = NoMark, 0.8
		if len(k.Beta) > 0 {
			p.Layers = append(p.Layers, Layer{Kind: Line, Look: line, X: k.Beta, Y: percents(k.Delta)})
		}
		theta := float64(k.Theta)
		legend := names[i] + ", θ = " + shortest(theta)
		if k.Excess.N == 0 || theta <= 0 || math.IsInf(theta, 1) {
			at = append(at, Layer{Kind: Line, Look: line, Legend: legend})
			continue
		}
		at = append(at, Layer{Kind: Points, Look: look, Legend: legend,
			X: []float64{theta}, Y: []float64{100 * float64(k.Excess.Value)}, Low: []float64{100 * float64(k.Excess.Low)},
			High: []float64{100 * float64(k.Excess.High)}})
	}
	p.Layers = append(p.Layers, at...)
	f.Panels = []Panel{p}
	f.Caption = "thresholds per class and the errors at their boundaries, on the fit part. Lines: mean excess error of " +
		"the student over the master in bins of confidence, by predicted class; marks: each class's threshold, with the " +
		"excess error of the records nearest to it."
	f.Notes = []string{"In the optimum every threshold that is neither 0 nor infinite stands where its class's excess " +
		"error is the common level; on a finite fit part, up to the gaps between records."}
	if note != "" {
		f.Notes = append(f.Notes, note)
	}
	return f, true
}

// perClass sets the single threshold beside the thresholds per class: their
// curves, and class by class what is deferred and how often the outcome is
// wrong (fig:multi_justification of the paper, measured).
func perClass(v *view) (Figure, bool) {
	b := v.data.Boundaries
	single, multi := v.data.Curve("single"), v.data.Curve("multi")
	if b == nil || single == nil || multi == nil || len(b.Classes) < 2 || len(b.Classes) > most {
		return Figure{}, false
	}
	trade := Panel{Apart: true, Title: "on the test part", X: Axis{Label: "cost (% of the master's)", Zero: true},
		Y: Axis{Label: "error (%)", Share: true}}
	for _, c := range []*result.Curve{single, multi} {
		look := ourLooks[c.Policy]
		look.Mark = NoMark
		trade.Layers = append(trade.Layers, Layer{Kind: Line, Look: look, X: costs(c.Saved), Y: percents(c.Error)})
	}
	for _, c := range []*result.Curve{multi, single} {
		if m := v.mark(c.Policy, ourLooks[c.Policy]); len(m.X) > 0 {
			trade.Layers = append(trade.Layers, m)
		}
	}
	deferred := dumbbells(b, "deferred (%)",
		func(k *result.Boundary) (one, own float64) { return k.SingleDeferred, k.Deferred })
	wrong := dumbbells(b, "error (%)", func(k *result.Boundary) (one, own float64) { return k.SingleError, k.Error })
	wrong.X.Share = true
	for i := range wrong.Y.Ticks {
		wrong.Y.Ticks[i].Label = "" // the classes are named beside it
	}
	f := Figure{Kind: "classes", Columns: 3, Wide: true, Panels: []Panel{trade, deferred, wrong}}
	f.Caption = "one threshold against one per class on the test part: cost and error of all of them (left), and for " +
		"the two that the fit part chose what is deferred and how often the outcome is wrong, by predicted class."
	if _, note := classNames(b); note != "" {
		f.Notes = append(f.Notes, note)
	}
	return f, true
}

// dumbbells compares two numbers for each class, one line per class.
func dumbbells(b *result.Boundaries, what string, of func(*result.Boundary) (one, own float64)) Panel {
	n := len(b.Classes)
	p := Panel{X: Axis{Label: what, Zero: true}, Y: Axis{Min: 0.4, Max: float64(n) + 0.6}}
	names, _ := classNames(b)
	var ones, owns, ys []float64
	for i := range b.Classes {
		y := float64(n - i)
		p.Y.Ticks = append(p.Y.Ticks, Tick{y, names[i]})
		if b.Classes[i].Test == 0 {
			continue
		}
		one, own := of(&b.Classes[i])
		ones, owns, ys = append(ones, 100*one), append(owns, 100*own), append(ys, y)
	}
	single, multi := ourLooks["single"], ourLooks["multi"]
	p.Layers = []Layer{
		{Kind: Joined, Look: Look{Colour: "pale", Weight: 1.5}, Y: ys, Low: ones, High: owns},
		{Kind: Points, Look: Look{Colour: multi.Colour, Mark: multi.Mark, Size: multi.Size}, X: owns, Y: ys},
		{Kind: Points, Look: Look{Colour: single.Colour, Mark: single.Mark, Size: single.Size}, X: ones, Y: ys},
	}
	low, high := extent(0.06, ones, owns)
	p.X.Min, p.X.Max = low, high
	return p
}

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
