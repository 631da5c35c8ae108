package curve

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	_ "infnet/harness/seed/steady"
	"pgregory.net/rapid"
)

// Expected values: numpy.quantile, NumPy 2.4.6.
func TestQuantilesEqualNumPy(t *testing.T) {
	xs := []float64{3.5, -1, 2, 2, 10, 7.25, 0.5}
	before := slices.Clone(xs)
	got, err := Quantiles(xs, []float64{0, .01, .1, .25, .5, .9, .95, 1})
	if err != nil {
		t.Fatal(err)
	}
	want := []float64{-1, -0.91, -0.1, 1.25, 2, 8.35, 9.175, 10}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("quantiles (-want +got):\n%s", diff)
	}
	if !slices.Equal(xs, before) {
		t.Error("the numbers were reordered")
	}
	if got, err := Quantiles([]float64{4, 1, 3, 2}, []float64{.5}); err != nil || got[0] != 2.5 {
		t.Errorf("median of 1 … 4 is %v (%v), want 2.5", got, err)
	}
	for _, tc := range []struct{ xs, ps []float64 }{{nil, []float64{.5}}, {[]float64{1}, []float64{1.1}},
		{[]float64{math.NaN()}, []float64{.5}}, {[]float64{1}, []float64{math.NaN()}}} {
		if _, err := Quantiles(tc.xs, tc.ps); err == nil {
			t.Errorf("quantiles %v of %v: no error", tc.ps, tc.xs)
		}
	}
}

// The fit is the projection onto rising sequences: by the min–max formula,
// value i is max over a ≤ i of min over b ≥ i of the mean of points a … b.
func TestIsotonicMinMaxFormula(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i] = float64(i)
			y[i] = float64(rapid.IntRange(-4, 4).Draw(t, "y"))
		}
		m, err := Isotonic(x, y)
		if err != nil {
			t.Fatal(err)
		}
		for i := range x {
			best := math.Inf(-1)
			for a := 0; a <= i; a++ {
				low := math.Inf(1)
				for b := i; b < n; b++ {
					sum := 0.0
					for j := a; j <= b; j++ {
						sum += y[j]
					}
					low = min(low, sum/float64(b-a+1))
				}
				best = max(best, low)
			}
			if got := m.At(x[i]); math.Abs(got-best) > 1e-12 {
				t.Fatalf("y %v: value %d is %v, want %v", y, i, got, best)
			}
		}
	})
}
