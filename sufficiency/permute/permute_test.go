package permute

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run
)

func TestPlanStrata(t *testing.T) {
	// All expected strata are worked out by hand.
	for _, tt := range []struct {
		name   string
		design Design
		strata [][][]int32
		fixed  int
	}{
		{name: "rows move anywhere", design: Design{Beta: []float64{.3, .1, .2}},
			strata: [][][]int32{{{1}, {2}, {0}}}},
		{name: "classes keep apart", design: Design{Beta: []float64{.1, .2, .3}, Class: []int{1, 0, 1}},
			strata: [][][]int32{{{1}}, {{0}, {2}}}, fixed: 1},
		{name: "groups move whole, matched by β", design: Design{Beta: []float64{.9, .1, .5, .6, .7},
			Groups: []string{"a", "a", "b", "b", ""}}, strata: [][][]int32{{{4}}, {{1, 0}, {2, 3}}}, fixed: 1},
		{name: "groups of other classes keep apart", design: Design{Beta: []float64{.9, .1, .5, .6},
			Groups: []string{"a", "a", "b", "b"}, Class: []int{0, 1, 1, 1}}, strata: [][][]int32{{{0, 1}}, {{2, 3}}}, fixed: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := NewPlan(tt.design)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.strata, p.strata); diff != "" {
				t.Error(diff)
			}
			if p.Fixed() != tt.fixed {
				t.Errorf("%d fixed, want %d", p.Fixed(), tt.fixed)
			}
		})
	}
}

// A draw is a permutation that keeps class and group partners.
func TestDrawKeepsWhatItMust(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		d := Design{Beta: make([]float64, n),
			Class: make([]int, n), Groups: make([]string, n)}
		for i := range n {
			d.Beta[i] = float64(rapid.IntRange(0, 20).Draw(t, "beta")) / 20
			d.Class[i] = rapid.IntRange(0, 2).Draw(t, "class")
			d.Groups[i] = rapid.SampledFrom([]string{"", "", "a", "b", "c", "d"}).Draw(t, "group")
		}
		p, err := NewPlan(d)
		if err != nil {
			t.Fatal(err)
		}
		dst := make([]uint32, n)
		p.Draw(rand.New(rand.NewPCG(1, 2)), dst)
		seen := make([]bool, n)
		for i, j := range dst {
			if seen[j] {
				t.Fatalf("row %d is used twice", j)
			}
			seen[j] = true
			if d.Class[i] != d.Class[j] {
				t.Fatalf("record %d of class %d got a row of class %d", i, d.Class[i], d.Class[j])
			}
			for k, l := range dst {
				if d.Groups[i] != "" && d.Groups[i] == d.Groups[k] && d.Groups[j] != d.Groups[l] {
					t.Fatalf("a group got rows of two groups")
				}
			}
		}
	})
}

func TestPValues(t *testing.T) {
	// By hand: permutation p has the statistic listed; the observed one is 1.
	for _, tt := range []struct {
		name       string
		statistics []float64
		p          float64
	}{
		{name: "none reaches it", statistics: []float64{0, 0, 0, 0}, p: 1. / 5},
		{name: "equal counts as reached", statistics: []float64{1, 0, 0, 2}, p: 3. / 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, threads := range []int{1, 2, 7} {
				r, err := Test(t.Context(), 1, func(_ context.Context, p int) (float64, error) { return tt.statistics[p], nil },
					Options{Count: len(tt.statistics), Threads: threads}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.P != tt.p {
					t.Errorf("%d threads: p = %v, want %v", threads, r.P, tt.p)
				}
				if r.Chance.Low > r.P || r.Chance.High < r.P || r.Chance.Low < 0 || r.Chance.High > 1 {
					t.Errorf("interval [%v, %v] of p = %v", r.Chance.Low, r.Chance.High, r.P)
				}
			}
		})
	}
}

func TestErrors(t *testing.T) {
	boom := errors.New("boom")
	_, err := Test(t.Context(), 0, func(_ context.Context, p int) (float64, error) {
		if p == 3 {
			return 0, boom
		}
		return 0, nil
	}, Options{Count: 9, Threads: 2}, nil)
	if !errors.Is(err, boom) {
		t.Errorf("the statistic's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Test(ctx, 0, func(context.Context, int) (float64, error) { return 0, nil }, Options{},
		nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled test returned %v", err)
	}
	if _, err := NewPlan(Design{Beta: []float64{math.NaN()}}); err == nil {
		t.Error("a β that is no number passes")
	}
	if got := []int{Needed(10, .05), Needed(19, .05)}; !slices.Equal(got, []int{19, 0}) { // 1/(19 + 1) = 0.05
		t.Errorf("needed with 10 and with 19 permutations: %v", got)
	}
	if !slices.Equal([]float64{Smallest(10), Smallest(199)}, []float64{1. / 11, 1. / 200}) {
		t.Error("smallest p-values")
	}
}
