package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/calc"
	"infnet/harness/result"
	"infnet/reports/table"
)

// abreast is how many panels of a figure are next to each other.
const abreast = 3

// manyTimes is how many times as much as the cheapest model the dearest may cost on an axis that is no logarithm.
const manyTimes = 30

type model struct {
	name      string
	cost, err float64 // cost in the study's unit, error as a share
}

// overview is the study in one figure: a panel for each dataset with every model alone, and ours of every pair and
// chain.
func overview(s *result.Results) (Figure, bool) {
	var names []string
	for i := range s.Cascades {
		for _, d := range s.Cascades[i].Datasets {
			if !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
	}
	f := Figure{Kind: "cost-error"}
	for _, name := range names {
		if p, ok := costError(s, name); ok {
			p.Title = titled(name, len(f.Panels))
			if len(f.Panels)%abreast > 0 {
				p.Y.Label = ""
			}
			f.Panels = append(f.Panels, p)
		}
	}
	f.sameCosts()
	f.Columns, f.Wide = min(len(f.Panels), abreast), len(f.Panels) > 1
	if len(f.Panels) == 4 { // two by two
		f.Columns = 2
		f.Panels[2].Y.Label, f.Panels[3].Y.Label = f.Panels[0].Y.Label, ""
	}
	f.Caption = "Cost against error on the test part: every model alone, ours, and the line of all single thresholds."
	if len(s.StandInModels()) > 0 {
		f.Caption = "STAND-IN MODELS. " + f.Caption
	}
	return f, len(f.Panels) > 0
}

// sameCosts gives all panels the same axis of costs, but for logarithmic ones.
func (f *Figure) sameCosts() {
	most := 0.0
	for _, p := range f.Panels {
		if p.X.Zero {
			most = max(most, p.X.Max)
		}
	}
	for i := range f.Panels {
		if x := &f.Panels[i].X; x.Zero {
			x.Min, x.Max = 0, most
		}
	}
}

// costError is the panel of a dataset. Costs are in percent of the dearest model's.
func costError(s *result.Results, dataset string) (Panel, bool) {
	var models []model
	var pairs []view
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for j := range c.Datasets {
			if d := &c.Datasets[j]; d.Name == dataset {
				pairs = append(pairs, view{study: s, cascade: c, data: d})
				models = append(models, alone(d, models)...)
			}
		}
	}
	dearest, cheapest := 0.0, math.Inf(1)
	for _, m := range models {
		dearest, cheapest = max(dearest, m.cost), min(cheapest, m.cost)
	}
	if len(models) < 2 || !(dearest > 0) {
		return Panel{}, false
	}
	axis := func(cost float64) float64 { return 100 * cost / dearest }
	lone := len(pairs) == 1
	p := Panel{Apart: lone, X: Axis{Label: "cost (% of the dearest model's)", Zero: true},
		Y: Axis{Label: "error (%)", Share: true}}
	if logarithmic := cheapest > 0 && dearest/cheapest > manyTimes; logarithmic {
		axis = func(cost float64) float64 { return calc.Log10(100 * cost / dearest) }
		p.X.Zero = false
	}
	var marks []Layer
	for i := range pairs {
		line, points := pairs[i].ours(axis, lone)
		p.Layers, marks = append(p.Layers, line...), append(marks, points...)
	}
	for i, m := range models {
		look := modelLooks[i%len(modelLooks)]
		if lone { // the baselines have the colours
			look.Colour, look.Mark = "black", []Mark{Ring, Star, Kite, Box, Cross, Plus}[i%6]
		}
		p.Layers = append(p.Layers, Layer{Kind: Points, Look: look, Legend: ends(m.name),
			X: []float64{axis(m.cost)}, Y: []float64{100 * m.err}})
	}
	p.Layers = append(p.Layers, marks...)
	low, high, _, _ := p.ranges()
	p.X.Max = high
	if axis(dearest) == 2 {
		room := float64(0.03 * (high - low))
		p.X.Min, p.X.Max = low-room, high+room
		p.X.Ticks = decades(p.X.Min, p.X.Max)
	}
	return p, true
}

// alone are the models of a dataset that are not in a list yet.
func alone(d *result.Dataset, seen []model) (out []model) {
	for _, k := range d.Costs {
		at := slices.IndexFunc(d.Diagnostics, func(g result.Diagnostic) bool { return g.Model == k.Model })
		if at < 0 || slices.ContainsFunc(seen, func(m model) bool { return m.name == k.Model }) {
			continue
		}
		out = append(out, model{k.Model, k.Value, 1 - d.Diagnostics[at].Correct.Value})
	}
	return out
}

// ours are the line of a pair's single thresholds, the place of its policy, and of a lone pair the baselines too.
func (v *view) ours(axis func(float64) float64, lone bool) (line, points []Layer) {
	master := 0.0
	for _, k := range v.data.Costs {
		if k.Model == v.cascade.Models[len(v.cascade.Models)-1] {
			master = k.Value
		}
	}
	at := func(saved float64) float64 { return axis(master * (1 - saved/100)) }
	if c := v.data.Curve("single"); c != nil {
		look := Look{Colour: "pale", Weight: 0.7}
		if lone {
			look = Look{Colour: "blue", Weight: 1}
		}
		l := Layer{Kind: Line, Look: look}
		for i, saved := range c.Saved {
			if x := at(saved); !math.IsInf(x, 0) && !math.IsNaN(x) {
				l.X, l.Y = append(l.X, x), append(l.Y, 100*c.Error[i])
			}
		}
		line = append(line, l)
	}
	mark := func(policy, legend string, look Look) bool {
		r := v.data.Row(policy)
		if r != nil {
			points = append(points, Layer{Kind: Points, Look: look, Legend: legend, X: []float64{at(r.Saved.Value)},
				Y: []float64{100 * r.Error.Value}})
		}
		return r != nil
	}
	for _, b := range baseline.Table() {
		if lone && b.Learns != nil {
			if r := v.data.Row(string(b.Kind)); r != nil {
				look, _ := lookOf(r.Policy)
				mark(r.Policy, r.Title, look)
			}
		}
	}
	size := 0.6
	if lone {
		size = 1
	}
	for _, policy := range []string{"chain", "multi", "single"} {
		of := (policy == "chain") == (len(v.cascade.Models) > 2)
		if of && mark(policy, "ours", Look{Colour: "blue", Mark: Disc, Size: size}) {
			break
		}
	}
	return line, points
}

func titled(name string, at int) string {
	if name = strings.TrimSpace(brief(table.Clean(name))); printable(name) {
		return name
	}
	return fmt.Sprintf("dataset %d", at+1)
}
