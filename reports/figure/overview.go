package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"infnet/harness/baseline"
	"infnet/harness/result"
	"infnet/reports/table"
)

// abreast is how many panels of a figure are next to each other.
const abreast = 3

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
	most := 0.0
	for _, name := range names {
		if p, ok := costError(s, name); ok {
			p.Title = titled(name, len(f.Panels))
			most = max(most, p.X.Max)
			f.Panels = append(f.Panels, p)
		}
	}
	for i := range f.Panels {
		f.Panels[i].X.Max = most
	}
	f.Columns, f.Wide = min(len(f.Panels), abreast), len(f.Panels) > 1
	f.Caption = "Cost against error on the test part: every model alone, ours, and the line of all single thresholds."
	if len(s.StandInModels()) > 0 {
		f.Caption = "STAND-IN MODELS. " + f.Caption
	}
	return f, len(f.Panels) > 0
}

// costError is the panel of a dataset. Costs are in percent of the dearest model's.
func costError(s *result.Results, dataset string) (Panel, bool) {
	var models []model
	var pairs []view
	dearest := 0.0
	for i := range s.Cascades {
		c := &s.Cascades[i]
		for j := range c.Datasets {
			if d := &c.Datasets[j]; d.Name == dataset {
				pairs = append(pairs, view{study: s, cascade: c, data: d})
				models = append(models, alone(d, models)...)
			}
		}
	}
	for _, m := range models {
		dearest = max(dearest, m.cost)
	}
	if len(models) < 2 || !(dearest > 0) {
		return Panel{}, false
	}
	lone := len(pairs) == 1
	p := Panel{X: Axis{Label: "cost (% of the dearest model's)"}, Y: Axis{Label: "error (%)", Share: true}}
	var marks []Layer
	for i := range pairs {
		line, points := pairs[i].ours(dearest, lone)
		p.Layers, marks = append(p.Layers, line...), append(marks, points...)
	}
	for i, m := range models {
		look := modelLooks[i%len(modelLooks)]
		if lone { // the baselines have the colours
			look.Colour = "black"
		}
		p.Layers = append(p.Layers, Layer{Kind: Points, Look: look, Legend: ends(m.name),
			X: []float64{100 * m.cost / dearest}, Y: []float64{100 * m.err}})
	}
	p.Layers = append(p.Layers, marks...)
	_, p.X.Max, _, _ = p.ranges()
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
func (v *view) ours(dearest float64, lone bool) (line, points []Layer) {
	master := 0.0
	for _, k := range v.data.Costs {
		if k.Model == v.cascade.Models[len(v.cascade.Models)-1] {
			master = k.Value
		}
	}
	at := func(saved float64) float64 { return master / dearest * (100 - saved) }
	if c := v.data.Curve("single"); c != nil {
		l := Layer{Kind: Line, Look: Look{Colour: "pale", Weight: 0.7}}
		if lone {
			l.Look = Look{Colour: "blue", Weight: 1}
		}
		for i, saved := range c.Saved {
			if x := at(saved); !math.IsInf(x, 0) && !math.IsNaN(x) {
				l.X, l.Y = append(l.X, x), append(l.Y, 100*c.Error[i])
			}
		}
		line = append(line, l)
	}
	mark := func(r *result.Row, legend string, look Look) {
		points = append(points, Layer{Kind: Points, Look: look, Legend: legend, X: []float64{at(r.Saved.Value)},
			Y: []float64{100 * r.Error.Value}})
	}
	for _, b := range baseline.Table() {
		if r := v.data.Row(string(b.Kind)); lone && b.Learns != nil && r != nil {
			look, _ := lookOf(r.Policy)
			look.Dashes, look.Weight = nil, 0
			mark(r, r.Title, look)
		}
	}
	size := 0.6
	if lone {
		size = 1
	}
	for _, policy := range []string{"chain", "multi", "single"} {
		of := (policy == "chain") == (len(v.cascade.Models) > 2)
		if r := v.data.Row(policy); of && r != nil {
			mark(r, "ours", Look{Colour: "blue", Mark: Disc, Size: size})
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
