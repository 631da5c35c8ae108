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
		stop       int
		p          float64
		used       int
		stopped    bool
	}{
		{name: "none reaches it", statistics: []float64{0, 0, 0, 0}, p: 1. / 5, used: 4},
		{name: "equal counts as reached", statistics: []float64{1, 0, 0, 2}, p: 3. / 5, used: 4},
		{name: "stopped after the second", statistics: []float64{0, 1, 0, 1, 0, 0}, stop: 2, p: 2. / 4, used: 4,
			stopped: true},
		{name: "the count comes first", statistics: []float64{0, 1, 0, 0}, stop: 2, p: 2. / 5, used: 4},
		{name: "stopped by the very last", statistics: []float64{0, 1, 0, 1}, stop: 2, p: 2. / 4, used: 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, threads := range []int{1, 2, 7} {
				r, err := Test(t.Context(), 1, func(_ context.Context, p int) (float64, error) { return tt.statistics[p], nil },
					Options{Count: len(tt.statistics), Stop: tt.stop, Threads: threads}, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.P != tt.p || len(r.Statistics) != tt.used || r.Stopped != tt.stopped {
					t.Errorf("%d threads: p = %v of %d, stopped %v; want %v of %d, %v", threads, r.P, len(r.Statistics), r.Stopped,
						tt.p, tt.used, tt.stopped)
				}
				if r.Chance.Low > r.P || r.Chance.High < r.P || r.Chance.Low < 0 || r.Chance.High > 1 {
					t.Errorf("interval [%v, %v] of p = %v", r.Chance.Low, r.Chance.High, r.P)
				}
			}
		})
	}
}

// Under the null the observed statistic is one of T+1 alike: p ≤ α in at most a
// share α of the draws, sequential or not. 20,000 draws, 4 standard errors.
func TestSequentialPValuesAreValid(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, stop := range []int{0, 3} {
		below := map[float64]int{.05: 0, .1: 0, .3: 0}
		const draws = 20000
		for range draws {
			values := make([]float64, 39)
			for i := range values {
				values[i] = r.Float64()
			}
			res, err := Test(t.Context(), r.Float64(), func(_ context.Context, p int) (float64, error) {
				return values[p],
					nil
			}, Options{Count: len(values), Stop: stop}, nil)
			if err != nil {
				t.Fatal(err)
			}
			for a := range below {
				if res.P <= a {
					below[a]++
				}
			}
		}
		for a, k := range below {
			if got, bound := float64(k)/draws, a+4*math.Sqrt(a*(1-a)/draws); got > bound {
				t.Errorf("stop %d: p ≤ %g in a share %g, more than %g", stop, a, got, bound)
			}
		}
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
