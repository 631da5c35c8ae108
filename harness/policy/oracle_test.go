package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

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

// The bounded search finds what the textbook dynamic program over exact totals finds, ties included, for every pairing
// of objective and kind of error, and for many classes with few records or none; and so does the frontier, where it is
// whole.
func TestExactEqualsReferenceDP(t *testing.T) {
	for _, tc := range []struct {
		n, k, even int // every even-th record keeps the class it was drawn with, others go round; 0 = all keep it
		soft       bool
		objective  Objective
		byErrors   bool
	}{
		{n: 400, k: 2, byErrors: true},
		{n: 600, k: 7, byErrors: true},
		{n: 600, k: 7, byErrors: false},
		{n: 500, k: 40, byErrors: true},
		{n: 500, k: 5, objective: Cost, byErrors: true},
		{n: 400, k: 5, soft: true, byErrors: false},
		{n: 300, k: 20, soft: true, byErrors: false},
		{n: 120, k: 60, even: 4, byErrors: true},
		{n: 50, k: 90, even: 4, byErrors: true},
		{n: 80, k: 80, even: 4, byErrors: true},
	} {
		for trial := range 6 {
			r := world(rand.New(rand.NewPCG(uint64(trial), 7)), tc.n, tc.k, tc.soft)
			for i := range r.Class {
				if tc.even > 0 && i%tc.even > 0 {
					r.Class[i] = i % tc.k
				}
			}
			o := Options{Objective: tc.objective}.withDefaults()
			f, err := FrontierMulti(r, o)
			if err != nil {
				t.Fatal(err)
			}
			least := leastErrors(f.ms)
			// Budgets from just feasible to the student's own error.
			budget := least + (f.c.sumStudent-least)*int64(trial)/6
			got, want := exact(f.ms, budget, o.WorkLimit), referenceDP(f.ms, budget, tc.byErrors)
			if !got.proven || !slices.Equal(got.choice, want) ||
				f.Whole() == tc.soft || f.Whole() && !slices.Equal(f.choice(f.index(budget)), want) {
				t.Errorf("%+v trial %d: options %v (proven %t), want %v", tc, trial, got.choice, got.proven, want)
			}
		}
	}
}

// leastErrors is the least achievable error over all classes.
func leastErrors(ms []menu) (e int64) {
	for _, m := range ms {
		e += m[len(m)-1].e
	}
	return e
}
