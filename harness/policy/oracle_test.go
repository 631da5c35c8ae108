package policy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The bounded search finds what the unbounded dynamic program finds, ties
// included, for every pairing of objective and kind of error.
func TestExactEqualsReferenceDP(t *testing.T) {
	for _, tc := range []struct {
		n, k      int
		soft      bool
		objective Objective
		byErrors  bool
	}{
		{n: 400, k: 2, byErrors: true},
		{n: 600, k: 7, byErrors: true},
		{n: 600, k: 7, byErrors: false},
		{n: 500, k: 40, byErrors: true},
		{n: 500, k: 5, objective: Cost, byErrors: true},
		{n: 400, k: 5, soft: true, byErrors: false},
		{n: 300, k: 20, soft: true, byErrors: false},
	} {
		for trial := range 6 {
			name := fmt.Sprintf("n=%d k=%d soft=%t %s by errors=%t trial %d", tc.n, tc.k, tc.soft, tc.objective,
				tc.byErrors, trial)
			rng := rand.New(rand.NewPCG(uint64(trial), 7))
			r := world(rng, tc.n, tc.k, tc.soft)
			o := Options{Objective: tc.objective}.withDefaults()
			c, err := newColumns(r, o)
			if err != nil {
				t.Fatal(err)
			}
			ms := c.menus(false)
			least := leastErrors(ms)
			// Budgets from just feasible to the student's own error.
			budget := least + (c.sumStudent-least)*int64(trial)/6
			got := exact(ms, budget, o.WorkLimit)
			if want := referenceDP(ms, budget, tc.byErrors); !got.proven || !slices.Equal(got.choice, want) {
				t.Errorf("%s: options %v (proven %t), want %v", name, got.choice, got.proven, want)
			}
		}
	}
}

// referenceDP solves the multiple-choice knapsack by the textbook dynamic
// program over one exact total, x, keeping the least of the other, y; no
// bounds, no pruning. It returns the least (deferrals, errors) and the
// lexicographically smallest options.
func referenceDP(ms []menu, budget int64, byErrors bool) []int {
	xy := func(o option) (int64, int64) {
		if byErrors {
			return o.e, o.d
		}
		return o.d, o.e
	}
	tables := make([]map[int64]int64, len(ms)+1)
	tables[len(ms)] = map[int64]int64{0: 0}
	for k := len(ms) - 1; k >= 0; k-- {
		tables[k] = map[int64]int64{}
		for x, y := range tables[k+1] {
			for _, o := range ms[k] {
				ox, oy := xy(o)
				if old, ok := tables[k][x+ox]; !ok || y+oy < old {
					tables[k][x+ox] = y + oy
				}
			}
		}
	}
	bestD, bestE := int64(math.MaxInt64), int64(math.MaxInt64)
	for x, y := range tables[0] {
		d, e := x, y
		if byErrors {
			d, e = y, x
		}
		if e <= budget && (d < bestD || d == bestD && e < bestE) {
			bestD, bestE = d, e
		}
	}
	x, y := bestD, bestE
	if byErrors {
		x, y = bestE, bestD
	}
	choice := make([]int, len(ms))
	for k := range ms {
		choice[k] = -1
		for j, o := range ms[k] {
			ox, oy := xy(o)
			if v, ok := tables[k+1][x-ox]; ok && v == y-oy {
				choice[k], x, y = j, x-ox, y-oy
				break
			}
		}
	}
	return choice
}

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

// leastErrors is the least achievable error over all classes.
func leastErrors(ms []menu) (e int64) {
	for _, m := range ms {
		e += m[len(m)-1].e
	}
	return e
}
