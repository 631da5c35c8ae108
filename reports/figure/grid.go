package figure

import (
	"fmt"
	"slices"
	"strings"

	"infnet/harness/result"
)

var axisLabels = map[string]string{"target": "target", "tau": "threshold τ of the rule",
	"fit_records": "records that fit", "seed": "seed"}

// grids draw every axis of the study's grid: for each cascade the error and the saving of each policy along it, a row
// of panels for each dataset.
func grids(s *result.Results) (all []Figure) {
	for i := range s.Grid {
		v := &s.Grid[i]
		for _, points := range result.Chunks(v.Points, func(p *result.Point) string { return p.Cascade }) {
			all = append(all, gridFigure(s, v.Axis, points))
		}
	}
	return all
}

func gridFigure(s *result.Results, axis string, points []result.Point) Figure {
	f := Figure{Kind: "grid", Part: strings.ReplaceAll(axis, "_", "-"), Of: points[0].Cascade, Columns: 2, Wide: true}
	var ticks []Tick
	var values []string
	for i := range points {
		if v := points[i].Value; !slices.Contains(values, v) {
			values = append(values, v)
			ticks = append(ticks, Tick{float64(len(values)), v})
		}
	}
	f.Caption = fmt.Sprintf("%s: what policies err (left) and save (right) on the test part by %s, all else as the study "+
		"has it.", f.Of, axisLabels[axis])
	f.Notes = []string{fmt.Sprintf("Bars are %.4g %% intervals, each by itself. Dotted: the error that the budget of the "+
		"first policy stands for.", 100*s.Level)}
	if axis == "seed" {
		f.Notes = append(f.Notes, "The mean over the seeds has no bar: the table has its interval.")
	}
	shown := &looks{}
	sets := result.Chunks(points, func(p *result.Point) string { return p.Dataset })
	for k, set := range sets {
		label := Axis{Label: axisLabels[axis], Ticks: ticks, Min: 0.5, Max: float64(len(ticks)) + 0.5}
		errs := Panel{X: label, Y: Axis{Label: "error (%)"}}
		saved := Panel{X: label, Y: Axis{Label: "cost saved (%)"}}
		if len(sets) > 1 {
			errs.Title = titled(set[0].Dataset, k)
		}
		policies := result.Chunks(set, func(p *result.Point) string { return p.Policy })
		for n, list := range policies {
			e, c := along(list, values, float64(n+1)/float64(len(policies)+1)-0.5, shown)
			errs.Layers, saved.Layers = append(errs.Layers, e), append(saved.Layers, c)
		}
		errs.Layers = append(errs.Layers, allowed(policies[0], values))
		f.Panels = append(f.Panels, errs, saved)
	}
	return f
}

// along are the errors and the savings of a policy, beside the places of its values.
func along(points []result.Point, values []string, beside float64, shown *looks) (errs, saved Layer) {
	look := shown.of(points[0].Policy)
	look.Size, look.Weight, look.Dashes = 0.8, 0, nil
	errs = Layer{Kind: Points, Look: look, Legend: strings.NewReplacer(", not certified", ", guarantee", ", certified",
		", guarantee").Replace(points[0].Title)}
	saved = errs
	for _, p := range points {
		x := float64(1+slices.Index(values, p.Value)) + float64(0.7*beside)
		errs.X, saved.X = append(errs.X, x), append(saved.X, x)
		errs.Y, saved.Y = append(errs.Y, 100*p.Error.Value), append(saved.Y, p.Saved.Value)
		errs.Low, errs.High = append(errs.Low, 100*p.Error.Low), append(errs.High, 100*p.Error.High)
		saved.Low, saved.High = append(saved.Low, p.Saved.Low), append(saved.High, p.Saved.High)
		if p.Value == result.OverSeeds { // the mean is a value beside the seeds
			k := len(errs.Y) - 1
			errs.Low[k], errs.High[k], saved.Low[k], saved.High[k] = errs.Y[k], errs.Y[k], saved.Y[k], saved.Y[k]
		}
	}
	return errs, saved
}

func allowed(points []result.Point, values []string) Layer {
	l := Layer{Kind: Line, Look: Look{Colour: "black", Dashes: dotted}, Legend: "allowed"}
	for _, p := range points {
		l.X, l.Y = append(l.X, float64(1+slices.Index(values, p.Value))), append(l.Y, 100*p.Allowed)
	}
	return l
}
