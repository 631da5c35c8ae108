package figure

import (
	"fmt"
	"math"
	"strconv"

	"infnet/harness/result"
)

// tradeoff is the paper's figure of cost and error against the threshold
// (fig:tradeoff): the single threshold on the test part, and thin beside it on
// the fit part, where θ* was chosen; what nothing and everything deferred would
// cost and err; and above, how much is deferred.
func tradeoff(v *view) (Figure, bool) {
	s, c := v.data.Sweep, v.data.Curve("single")
	if s == nil || c == nil || len(c.Theta) < 2 || c.Chosen == nil || c.Chosen.Theta == nil {
		return Figure{}, false
	}
	star := float64(*c.Chosen.Theta)
	low, high := span(c.Theta, s.Theta)
	test := [3][]float64{floats(c.Theta, low, high), costs(c.Saved), percents(c.Error)}
	fit := [3][]float64{floats(s.Theta, low, high), costs(s.Saved), percents(s.Error)}
	across := func(y float64, look Look, legend string) Layer {
		return Layer{Kind: Line, Look: look, Legend: legend, X: []float64{low, high}, Y: []float64{y, y}}
	}
	panel := func(what string, at int, none, all float64) Panel {
		p := Panel{Y: Axis{Label: what}, X: Axis{Min: low, Max: high}}
		p.Layers = []Layer{
			across(none, Look{Colour: "grey", Dashes: dotted, Weight: 0.8}, "nothing deferred"),
			across(all, Look{Colour: "grey", Dashes: dashed, Weight: 0.8}, "everything deferred"),
			{Kind: Stairs, Look: Look{Colour: "sky", Weight: 0.7}, Legend: "fit part", X: fit[0], Y: fit[at]},
			{Kind: Stairs, Look: ourLooks["single"], Legend: "test part", X: test[0], Y: test[at]},
		}
		if !math.IsInf(star, 0) {
			p.Layers = append(p.Layers, Layer{Kind: Down, Look: Look{Colour: "vermilion", Dashes: mixed, Weight: 1},
				Legend: "θ*", X: []float64{max(star, low)}})
		}
		return p
	}
	cost := panel("cost (% of the master's)", 1, 100-s.None, 100-s.All)
	cost.Top, cost.TopIs = deferrals(test[0], c.Deferred), "deferred (%)"
	wrong := panel("error (%)", 2, 100*c.Error[0], 100*c.Error[len(c.Error)-1])
	budget := Look{Colour: "green", Dashes: longish, Weight: 0.8}
	wrong.Layers = append(wrong.Layers, across(100*s.Budget, budget, "budget"))
	wrong.Y.Share = true
	wrong.X.Label = "threshold θ"
	f := Figure{Kind: "threshold", Columns: 1, Panels: []Panel{cost, wrong}}
	f.Caption = fmt.Sprintf("expected cost (top) and error (bottom) of a single threshold θ on the test part, and on "+
		"the fit part, where θ* = %s was chosen.", shortest(star))
	if math.IsInf(star, 1) {
		f.Notes = append(f.Notes, "θ* is infinite: everything is deferred.")
	}
	if !s.Feasible {
		f.Notes = append(f.Notes, "No threshold meets the budget on the fit part; θ* is the one of least error.")
	}
	f.Notes = append(f.Notes, "Lines of nothing and everything deferred: cost from the fit part's constants, error on "+
		"the test part. The budget was set on the fit part.")
	return f, true
}

// span is the range of finite positive thresholds, a little widened.
func span(lists ...[]result.Float) (low, high float64) {
	var all []float64
	for _, list := range lists {
		for _, t := range list {
			if t > 0 {
				all = append(all, float64(t))
			}
		}
	}
	low, high = extent(0.03, all)
	return max(low, 0), min(high, 1.02)
}

// floats are thresholds as places between low and high: 0 is at the left end,
// "inf" at the right.
func floats(thetas []result.Float, low, high float64) []float64 {
	out := make([]float64, len(thetas))
	for i, t := range thetas {
		out[i] = min(max(float64(t), low), high)
	}
	return out
}

// deferrals are the places on the axis of θ where the deferral rate passes
// round numbers, far enough apart to be read.
func deferrals(theta, deferred []float64) []Tick {
	const apart = 0.09 // of the axis
	low, high := extent(0, theta)
	var out []Tick
	for _, percent := range []int{0, 100, 50, 25, 75, 10, 90} {
		for i, d := range deferred {
			if 100*d < float64(percent) {
				continue
			}
			near := false
			for _, t := range out {
				near = near || math.Abs(t.At-theta[i]) < apart*(high-low)
			}
			if !near {
				out = append(out, Tick{theta[i], strconv.Itoa(percent)})
			}
			break
		}
	}
	return out
}

func shortest(x float64) string {
	if math.IsInf(x, 1) {
		return "∞"
	}
	return strconv.FormatFloat(x, 'g', 4, 64)
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
	f.Caption = fmt.Sprintf("reliability of each model's confidence on the test part, with exact %.4g %% intervals.",
		100*v.study.Level)
	return f, true
}
