package reports

import (
	"math"
	"testing"
)

// Thresholds are written as the page's slider and the files of policies write them. Go's own "+Inf" is in neither.
func TestThetaWords(t *testing.T) {
	for _, tt := range []struct {
		theta float64
		want  string
	}{{0, "0"}, {0.25, "0.25"}, {1, "1"}, {1.0 / 3, "0.333333"}, {1.5e-7, "1.5e-07"}, {0.0001, "0.0001"},
		{math.Inf(1), "inf"}} {
		if got := thetaWords(tt.theta); got != tt.want {
			t.Errorf("%v is written %q, want %q", tt.theta, got, tt.want)
		}
	}
}
