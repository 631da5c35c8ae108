package figure

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"infnet/harness/result"
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
		if f.Kind == "frontier" && !strings.Contains(string(f.TikZ()), "infnet-0.south west") {
			t.Error("pgfplots: no sign of a cut axis")
		}
	}
	if !seen {
		t.Error("the figure does not say that its axis of costs is cut")
	}
}

// Several datasets in one figure: a panel each, with the numbers of their own figures, in as many figures as it takes.
func TestTogether(t *testing.T) {
	s := study()
	s.Style = &style.Style{Together: []style.Kind{style.Frontier, style.Threshold, style.Reliability}}
	d := s.Cascades[0].Datasets[0]
	var all []result.Dataset
	for _, name := range []string{"one", "two", "三", "four"} {
		d.Name = name
		all = append(all, d)
	}
	s.Cascades[0].Datasets = all
	count := map[string]int{}
	for _, f := range Figures(s) {
		if f.Dataset != "" {
			continue
		}
		count[f.Kind]++
		var titles []string
		for _, p := range f.Panels {
			if p.Title != "" {
				titles = append(titles, p.Title)
			}
		}
		want := map[string]int{"frontier": 4, "reliability": 4, "threshold": 2}[f.Kind] // panels of two rows: two figures
		if len(titles) != want || !strings.HasPrefix(f.Name, f.Kind) || !f.Wide {
			t.Errorf("%s: panels %q", f.Name, titles)
		}
		if f.Kind == "threshold" && strings.Contains(f.Caption, "= 0.7") {
			t.Errorf("the caption gives the threshold of one dataset for all: %s", f.Caption)
		}
	}
	if len(count) != 3 || count["frontier"] != 1 || count["threshold"] != 2 {
		t.Errorf("figures of several datasets: %v", count)
	}
	write(t, s)
}
