package split

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Of ten records, four are wrong; all four are among the five of the fit part:
// C(5,4)·C(5,0)/C(10,4) = 5/210, and the other side as much (by hand).
func TestErrorDriftByHand(t *testing.T) {
	fit, test := []bool{true, true, true, true, false}, make([]bool, 5)
	alone := make([]string, 5)
	d, err := ErrorDrift(1, "errors", fit, test, alone, alone)
	if err != nil || d.Test != "fisher" || math.Abs(d.P-10./210) > 1e-12 {
		t.Errorf("%+v, %v, want 10/210 by Fisher's test", d, err)
	}
	// The same records in groups of five: two groups, and either order of them differs as much.
	a, b := slices.Repeat([]string{"a"}, 5), slices.Repeat([]string{"b"}, 5)
	if d, err = ErrorDrift(1, "errors", fit, test, a, b); err != nil || d.P != 1 || d.Test != "permutation of groups" {
		t.Errorf("%+v, %v, want p = 1", d, err)
	}
	if _, err = ErrorDrift(1, "errors", fit, nil, alone, nil); err == nil {
		t.Error("an empty part is compared")
	}
}

// grouped draws the errors of two models, of which the second repeats half of the first's.
func grouped(r *rand.Rand, groups, size int, rate, tie float64) (wrong [2][]bool, names []string) {
	for g := range groups {
		luck := r.Float64()
		for range size {
			u := r.Float64()
			if r.Float64() < tie {
				u = luck
			}
			first := u < rate
			wrong[0] = append(wrong[0], first)
			if r.IntN(2) == 0 {
				first = r.Float64() < rate
			}
			wrong[1] = append(wrong[1], first)
			if size == 1 {
				names = append(names, "")
			} else {
				names = append(names, fmt.Sprint("g", g))
			}
		}
	}
	return wrong, names
}
