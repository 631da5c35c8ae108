package figure

import "testing"

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

// Every axis of errors is such an axis, but for those of excess errors, which
// may be below 0.
func TestErrorAxesAreShares(t *testing.T) {
	seen := 0
	for _, f := range Figures(study()) {
		for _, p := range f.Panels {
			for _, a := range []Axis{p.X, p.Y} {
				if a.Label == "error (%)" {
					seen++
					if !a.Share {
						t.Errorf("%s: the axis of errors is not kept within 0 and 100", f.Name)
					}
				}
			}
		}
	}
	if seen == 0 {
		t.Error("no figure has an axis of errors")
	}
}
