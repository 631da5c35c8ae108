package policy

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Many classes with few records each, some with none, against the textbook dynamic program over exact totals: the
// optimum and the tie rule, at every budget of the frontier, and the frontier itself.
func TestManyClassesAreOptimal(t *testing.T) {
	for _, tt := range []struct {
		name       string
		n, classes int
	}{
		{name: "two records a class", n: 120, classes: 60},
		{name: "fewer records than classes", n: 50, classes: 90},
		{name: "a record a class", n: 80, classes: 80},
		{name: "some large classes", n: 400, classes: 40},
	} {
		t.Run(tt.name, func(t *testing.T) {
			rng := rand.New(rand.NewPCG(uint64(tt.n), uint64(tt.classes)))
			r := world(rng, tt.n, tt.classes, false)
			for i := range r.Class {
				if r.Class[i] = i % tt.classes; rng.IntN(4) == 0 {
					r.Class[i] = rng.IntN(tt.classes)
				}
			}
			c, err := newColumns(r, Options{}.withDefaults())
			if err != nil {
				t.Fatal(err)
			}
			ms := c.menus(false)
			f, err := FrontierMulti(r, Options{})
			if err != nil || !f.Whole() {
				t.Fatalf("frontier: %v, whole %v", err, err == nil && f.Whole())
			}
			for i := 0; i < f.Len(); i += 1 + f.Len()/12 {
				at := f.points[i]
				want := referenceDP(ms, at.e, true)
				if got := exact(ms, at.e, Options{}.withDefaults().WorkLimit); !got.proven || !slices.Equal(got.choice, want) {
					t.Fatalf("%d errors: options %v, want %v", at.e, got.choice, want)
				}
				deferred := int64(0)
				point := f.Point(i)
				for k, j := range want {
					if deferred += ms[k][j].d; point.Thresholds[k] != ms[k][j].theta {
						t.Fatalf("%d errors, class %d: θ %v on the frontier, want %v", at.e, k, point.Thresholds[k], ms[k][j].theta)
					}
				}
				if at.d != deferred {
					t.Fatalf("%d errors: the frontier defers %d, the optimum %d", at.e, at.d, deferred)
				}
				if before := referenceDP(ms, at.e-1, true); i > 0 && totalOf(ms, before) <= deferred {
					t.Fatalf("%d errors: as few deferrals with an error less", at.e)
				}
			}
		})
	}
}

// totalOf is what options defer together.
func totalOf(ms []menu, choice []int) (d int64) {
	for k, j := range choice {
		d += ms[k][j].d
	}
	return d
}
