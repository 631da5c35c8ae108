package sufficiency

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPlanStrata(t *testing.T) {
	// All expected strata are worked out by hand.
	for name, tt := range map[string]struct {
		beta   []float64
		class  []int
		groups []string
		strata [][][]int32
		fixed  int
	}{
		"rows move anywhere": {beta: []float64{.3, .1, .2}, strata: [][][]int32{{{1}, {2}, {0}}}},
		"classes keep apart": {beta: []float64{.1, .2, .3}, class: []int{1, 0, 1}, strata: [][][]int32{{{1}}, {{0}, {2}}},
			fixed: 1},
		"groups move whole, matched by β": {beta: []float64{.9, .1, .5, .6, .7}, groups: []string{"a", "a", "b", "b", ""},
			strata: [][][]int32{{{4}}, {{1, 0}, {2, 3}}}, fixed: 1},
		"groups of other classes keep apart": {beta: []float64{.9, .1, .5, .6}, groups: []string{"a", "a", "b", "b"},
			class: []int{0, 1, 1, 1}, strata: [][][]int32{{{0, 1}}, {{2, 3}}}, fixed: 4},
	} {
		p := newPlan(tt.beta, tt.class, tt.groups)
		if diff := cmp.Diff(tt.strata, p.strata); diff != "" || p.fixed != tt.fixed {
			t.Errorf("%s: %d fixed, want %d; %s", name, p.fixed, tt.fixed, diff)
		}
	}
}

// A draw is a permutation that keeps class and group partners.
func TestDrawKeepsWhatItMust(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "n")
		beta, class, groups := make([]float64, n), make([]int, n), make([]string, n)
		for i := range n {
			beta[i] = float64(rapid.IntRange(0, 20).Draw(t, "beta")) / 20
			class[i] = rapid.IntRange(0, 2).Draw(t, "class")
			groups[i] = rapid.SampledFrom([]string{"", "", "a", "b", "c", "d"}).Draw(t, "group")
		}
		dst, seen := make([]uint32, n), make([]bool, n)
		newPlan(beta, class, groups).draw(rand.New(rand.NewPCG(1, 2)), dst)
		for i, j := range dst {
			if seen[j] || class[i] != class[j] {
				t.Fatalf("record %d of class %d got row %d of class %d; seen %v", i, class[i], j, class[j], seen[j])
			}
			seen[j] = true
			for k, l := range dst {
				if groups[i] != "" && groups[i] == groups[k] && groups[j] != groups[l] {
					t.Fatalf("a group got rows of two groups")
				}
			}
		}
	})
}

func TestPValues(t *testing.T) {
	// By hand: permutation p has the statistic listed; the observed one is 1.
	for want, statistics := range map[float64][]float64{
		1. / 5: {0, 0, 0, 0},
		3. / 5: {1, 0, 0, 2}, // equal counts as reached
	} {
		for _, threads := range []int{1, 7} {
			r, err := permuted(t.Context(), 1, func(_ context.Context, p int) (float64, error) { return statistics[p], nil },
				Options{Permutations: len(statistics), Threads: threads, Level: 0.95}, nil)
			if err != nil || r.P != want || r.Chance.Low > r.P || r.Chance.High < r.P || r.Chance.Low < 0 || r.Chance.High > 1 {
				t.Errorf("%v, %d threads: %+v, want %v, %v", statistics, threads, r, want, err)
			}
		}
	}
	boom := errors.New("boom")
	statistic := func(_ context.Context, p int) (float64, error) {
		return 0, map[int]error{3: boom}[p]
	}
	if _, err := permuted(t.Context(), 0, statistic, Options{Permutations: 9, Threads: 2}, nil); !errors.Is(err, boom) {
		t.Errorf("the statistic's error became %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := permuted(ctx, 0, statistic, Options{Permutations: 2}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled test returned %v", err)
	}
	if got := []int{Needed(10, .05), Needed(19, .05)}; !slices.Equal(got, []int{19, 0}) { // 1/(19 + 1) = 0.05
		t.Errorf("needed with 10 and with 19 permutations: %v", got)
	}
	if SmallestP(10) != 1./11 || SmallestP(199) != 1./200 {
		t.Error("smallest p-values")
	}
}
