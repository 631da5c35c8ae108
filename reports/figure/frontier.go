package figure

import (
	"cmp"
	"slices"

	"infnet/harness/baseline"
	"infnet/harness/result/note"
)

// frontier is what every policy costs and how often it errs on the test part:
// its whole curve, and on it the place that the fit part chose.
func frontier(v *view) (Figure, bool) {
	if len(v.data.Curves) < 2 {
		return Figure{}, false
	}
	p := Panel{X: Axis{Label: "cost (% of the master's)"}, Y: Axis{Label: "error (%)", Share: true}}
	var marks []Layer
	for i := range v.data.Curves {
		c := &v.data.Curves[i]
		look := v.shown.of(c.Policy)
		line := look
		line.Mark = nil
		if (c.Policy == "single" || c.Policy == "chain") && len(c.Band.Saved) > 1 {
			p.Layers = append([]Layer{{Kind: Band, Look: Look{Colour: look.Colour, Shade: 0.15}, X: costs(c.Band.Saved),
				Low: percents(c.Band.Low), High: percents(c.Band.High)}}, p.Layers...)
		}
		p.Layers = append(p.Layers, Layer{Kind: Line, Look: line, X: costs(c.Saved), Y: percents(c.Error)})
		marks = append(marks, v.mark(c.Policy, look))
	}
	if l, ok := v.mixes(); ok {
		p.Layers = append(p.Layers, l)
	}
	for _, b := range baseline.Table() {
		if b.Curve == nil && b.Learns == nil {
			marks = append(marks, v.mark(string(b.Kind), v.shown.of(string(b.Kind))))
		}
	}
	// large marks under small ones, so that all are seen where several policies stand at one place
	slices.SortStableFunc(marks, func(a, b Layer) int { return cmp.Compare(b.Look.Size, a.Look.Size) })
	for _, m := range marks {
		if len(m.X) > 0 {
			p.Layers = append(p.Layers, m)
		}
	}
	f := Figure{Kind: "frontier", Columns: 1, Panels: []Panel{p}}
	banded := "single threshold"
	if len(v.cascade.Models) > 2 {
		banded = "chain"
	}
	f.Caption = "cost against error on the test part. Lines: every policy of a family; marks: the one that the fit " +
		"part chose (a row of the table)."
	f.Notes = []string{"Between neighbouring points of a line lies what the two mixed at random do, in expectation. " +
		"The shaded band is the pointwise bootstrap interval of the " + banded + "'s error at equal cost."}
	if slices.ContainsFunc(p.Layers, func(l Layer) bool { return l.Legend == mixLegend }) {
		f.Notes = append(f.Notes, "The thin grey line asks one model alone for each query, the student or the master at "+
			"random: a policy above it costs more than that at the same error.")
	}
	for i := range v.data.Rows {
		for _, n := range v.data.Rows[i].Notes {
			if n.Kind == note.SingleModel {
				f.Notes = append(f.Notes, v.data.Rows[i].Title+": "+n.Text)
			}
		}
	}
	return f, true
}

const mixLegend = "models mixed at random"

// mixes joins what the student alone and the master alone cost and err.
func (v *view) mixes() (Layer, bool) {
	student, master := v.data.Row("none"), v.data.Row("all")
	if student == nil || master == nil {
		return Layer{}, false
	}
	return Layer{Kind: Line, Look: Look{Colour: "grey", Weight: 0.6}, Legend: mixLegend,
		X: []float64{100 - student.Saved.Value, 100 - master.Saved.Value},
		Y: []float64{100 * student.Error.Value, 100 * master.Error.Value}}, true
}

func (v *view) mark(policy string, look Look) Layer {
	r := v.data.Row(policy)
	if r == nil {
		return Layer{}
	}
	return Layer{Kind: Points, Look: look, Legend: r.Title, X: []float64{100 - r.Saved.Value},
		Y: []float64{100 * r.Error.Value}}
}
