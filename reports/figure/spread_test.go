package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infnet/harness/result/style"
)

// Marks at one place are seen apart: none covers another, all are near the panel, and the places stay.
func TestMarksAreToldApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 7).Draw(t, "n")
		places := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "places")
		at := []float64{0, 50, 100}
		p := Panel{X: Axis{Max: 100}, Y: Axis{Max: 100}}
		for _, k := range places {
			p.Layers = append(p.Layers, Layer{Kind: Points, Look: Look{Mark: Disc}, X: []float64{at[k]}, Y: []float64{at[2-k]}})
		}
		const wide, high = 180, 90
		moved := p.spread(wide, high)
		slices.Sort(places)
		if want := len(slices.Compact(slices.Clone(places))) < n; moved != want {
			t.Fatalf("marks at %v were moved: %v", places, moved)
		}
		var xs, ys []float64
		for _, l := range p.Layers {
			x, y := wide*l.X[0]/100, high*l.Y[0]/100
			if l.Aside != nil {
				x, y = x+l.Aside[0].X, y+l.Aside[0].Y
			}
			for i := range xs {
				if d := math.Hypot(x-xs[i], y-ys[i]); d < tooClose {
					t.Fatalf("marks at %v: two are %.1f points apart after they were moved", places, d)
				}
			}
			xs, ys = append(xs, x), append(ys, y)
		}
	})
}

// A figure that moves marks aside says so, and so does one whose axis is cut; the others do not.
func TestFiguresSayWhatTheyDo(t *testing.T) {
	for _, f := range Figures(study()) {
		notes := strings.Join(f.Notes, " ")
		if got, want := strings.Contains(notes, spreadNote), f.Kind == "frontier" || f.Kind == "classes"; got != want {
			t.Errorf("%s says that marks are aside: %v, want %v", f.Name, got, want) // ours are at one place
		}
	}
	s := study()
	d := &s.Cascades[0].Datasets[0]
	for i := range d.Curves {
		for k := range d.Curves[i].Saved {
			d.Curves[i].Saved[k] = min(d.Curves[i].Saved[k], 60)
		}
	}
	for i := range d.Rows {
		d.Rows[i].Saved.Value = min(d.Rows[i].Saved.Value, 60)
	}
	seen := false
	for _, f := range Figures(s) {
		if f.Kind == "frontier" {
			seen = strings.Contains(strings.Join(f.Notes, " "), "The axis of cost is cut: it does not begin at 0.")
		}
	}
	if !seen {
		t.Error("the figure does not say that its axis of costs is cut")
	}
}

// All datasets are in one figure of the study: a panel each, on one axis of costs.
func TestCostError(t *testing.T) {
	s := study()
	s.Style = style.Style{Draw: style.Kinds()}
	d := s.Cascades[0].Datasets[0]
	s.Cascades[0].Datasets = nil
	for _, name := range []string{"one", "two", "三", "four"} {
		d.Name = name
		s.Cascades[0].Datasets = append(s.Cascades[0].Datasets, d)
	}
	f := Figures(s)[0]
	var titles []string
	for _, p := range f.Panels {
		titles = append(titles, p.Title)
		if p.X.Min != f.Panels[0].X.Min || p.X.Max != f.Panels[0].X.Max {
			t.Errorf("%s: costs from %v to %v", p.Title, p.X.Min, p.X.Max)
		}
	}
	want := []string{"one", "two", "dataset 3", "four"} // the typeface has no 三
	if f.Name != "cost-error" || !f.Wide || !slices.Equal(titles, want) {
		t.Errorf("%s: panels %q, want %q", f.Name, titles, want)
	}
	write(t, s)
}
