package infer_test

import (
	"math"
	"testing"

	"infnet/metrics/infer"
)

func TestQuantile(t *testing.T) {
	inf := math.Inf(1)
	for _, tt := range []struct {
		name    string
		sorted  []float64
		p, want float64 // NumPy 2.4.6: numpy.quantile
	}{
		{name: "one number", sorted: []float64{3}, p: 0.7, want: 3},
		{name: "the least", sorted: []float64{1, 2, 4}, p: 0, want: 1},
		{name: "the largest", sorted: []float64{1, 2, 4}, p: 1, want: 4},
		{name: "between two", sorted: []float64{1, 2, 4}, p: 0.75, want: 3},
		{name: "on one", sorted: []float64{1, 2, 4}, p: 0.5, want: 2},
		{name: "on one next to infinity", sorted: []float64{1, 2, inf}, p: 0.5, want: 2}, // by hand: NumPy has NaN
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := infer.Quantile(tt.sorted, tt.p); got != tt.want {
				t.Errorf("quantile of %v at %v = %v, want %v", tt.sorted, tt.p, got, tt.want)
			}
		})
	}
}

func TestKolmogorov(t *testing.T) {
	// SciPy 1.17.1: scipy.special.kolmogorov.
	for lambda, want := range map[float64]float64{
		0: 1, 0.3: 0.9999906941986655, 0.8: 0.5441424115741981, 1.18: 0.1234538094297657,
		1.5: 0.022217962616525127, 2.5: 7.453306344157342e-06,
	} {
		if got := infer.Kolmogorov(lambda); math.Abs(got-want) > 1e-9 {
			t.Errorf("Q(%v) = %v, want %v", lambda, got, want)
		}
	}
}

// The t quantile at .975 with 19 degrees of freedom is 2.093 (any table of t): Φ(−√(20/19)·2.093024) = Φ(−2.14739) =
// .015881 (SciPy 1.17.1: stats.norm.cdf). Of many units nothing changes; of one there is no spread at all.
func TestExpanded(t *testing.T) {
	for _, c := range []struct {
		units int
		want  float64
	}{{20, .015881}, {1_000_000, .025}, {1, 0}} {
		if got := infer.Expanded(.025, c.units); math.Abs(got-c.want) > 2e-6 {
			t.Errorf("%d units: %v, want %v", c.units, got, c.want)
		}
	}
}
