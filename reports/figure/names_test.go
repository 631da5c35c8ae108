package figure

import (
	"math"
	"testing"

	"infnet/harness/result"
)

// A range of neighbouring numbers has no round places, and looking for them
// ends: confidences may all be 1 or the number before it.
func TestTicksOfNarrowRanges(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		some      bool
	}{
		{low: 1, high: math.Nextafter(1, 2)}, {low: 1e17, high: 1e17 + 16}, {low: -5e-324, high: 5e-324}, {low: -1e308,
			high: 1e308},
		{low: 1 - 1e-9, high: 1, some: true}, {low: 0, high: 1e-20, some: true}, {low: -1e12, high: 1e12, some: true},
	} {
		if got := round(c.low, c.high, mostTicks); len(got) > mostTicks || (len(got) > 0) != c.some {
			t.Errorf("[%v, %v] has ticks %v", c.low, c.high, got)
		}
	}
}

// A share in percent begins at 0 and never goes beyond 100, whatever its points.
func TestShareAxes(t *testing.T) {
	for _, tt := range []struct {
		name      string
		y         []float64
		low, high float64 // within which the top lies
	}{
		{name: "few errors", y: []float64{2, 10}, low: 10, high: 11},
		{name: "all errors", y: []float64{40, 100}, low: 100, high: 100},
		{name: "nothing but errors", y: []float64{100, 100}, low: 100, high: 100},
		{name: "no error", y: []float64{0, 0}, low: 0.1, high: 1},
	} {
		p := Panel{Y: Axis{Share: true}, Layers: []Layer{{Kind: Line, X: []float64{0, 1}, Y: tt.y}}}
		_, _, y0, y1 := p.ranges()
		if y0 != 0 || y1 < tt.low || y1 > tt.high {
			t.Errorf("%s: axis from %v to %v, want 0 to %v … %v", tt.name, y0, y1, tt.low, tt.high)
		}
	}
}

// Cascades and datasets that begin alike have folders of their own, numbered in the study's order even where a cascade
// has no figures: as its tables are.
func TestFoldersAreToldApart(t *testing.T) {
	const student = "a-student-whose-name-is-longer-than-40-letters"
	s := &result.Results{Name: "study"}
	for _, master := range []string{"+none", "+one", "+two"} {
		s.Cascades = append(s.Cascades, result.Cascade{Name: student + master,
			Datasets: []result.Dataset{{Name: "d.1"}, {Name: "d-1"}}})
	}
	all := []Figure{
		{Of: student + "+two", Dataset: "d-1", Kind: "frontier"},
		{Of: student + "+one", Dataset: "d.1", Kind: "frontier"},
		{Of: student + "+one", Dataset: "d-1", Kind: "frontier"},
		{Of: student + "+one", Kind: "frontier"},
	}
	name(s, all)
	const folder = "a-student-whose-name-is-longer-than-40-l"
	for i, want := range []string{folder + "-3/d-1-2/frontier", folder + "-2/d-1/frontier", folder + "-2/d-1-2/frontier",
		folder + "-2/frontier"} {
		if all[i].Name != want {
			t.Errorf("%s of %s is %s, want %s", all[i].Dataset, all[i].Of, all[i].Name, want)
		}
	}
}
