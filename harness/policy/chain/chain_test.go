package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "infnet/harness/seed/steady" // the same cases in every run

	"infnet/harness/policy"
)

// bruteSeries returns the least weight of all thresholds within a budget, by
// trying them all; math.MaxInt64 where none is.
func bruteSeries(r Records, o policy.Options, budget int64) int64 {
	d := newDescent(r, o)
	least := int64(math.MaxInt64)
	for _, a := range levelsOf(r.Beta[0]) {
		for _, b := range levelsOf(r.Beta[1]) {
			for _, c := range levelsOf(r.Beta[2]) {
				if x := d.outcome(policy.Thresholds{a, b, c}); x.e <= budget {
					least = min(least, x.value)
				}
			}
		}
	}
	return least
}

// The lower bound is below what any thresholds cost, and what is said of the
// thresholds found is true.
func TestSeriesBound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, o := drawChain(t, 4, 7)
		p, err := Fit(r, o)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		best := bruteSeries(r, o, p.Budget.Errors.Units)
		if p.Feasible && (p.Certificate.Value < best || p.Certificate.LowerBound > best ||
			p.Certificate.LowerBound > p.Certificate.Value) {
			t.Fatalf("%+v %+v: %+v, the best is %d", r, o, p, best)
		}
		if !p.Feasible && p.Certificate.Optimal {
			t.Fatalf("%+v: optimal and over the budget", p)
		}
		var e int64
		cost, asked := 0.0, make([]int, 4)
		for i, stage := range r.Stages(p.Thresholds) {
			if r.Err[stage] != nil {
				e += policy.Units(r.Err[stage][i], p.FitError.Scale)
			}
			for m := range stage + 1 {
				asked[m]++
				cost += r.Cost[m] / float64(r.Len())
			}
		}
		if e != p.FitError.Units || !slices.Equal(asked, p.Asked) || math.Abs(cost-p.Cost) > 1e-9 || p.Bound > p.Cost+1e-9 ||
			p.Feasible != (e <= p.Budget.Errors.Units) {
			t.Fatalf("%+v: counted %d errors, asked %v, cost %v", p, e, asked, cost)
		}
	})
}

// How far the descent ends from the optimum, over 60 worlds of 40 records: the
// figures of docs/speed.md, and that they are no worse than twice that.
func TestSeriesMisses(t *testing.T) {
	missed, excess, worst, gap := 0, 0.0, 0.0, 0.0
	const worlds = 60
	for seed := range uint64(worlds) {
		r, o := world(rand.New(rand.NewPCG(seed, 9)), 40, costs4, levels4), policy.Options{Target: policy.Master}
		p, err := Fit(r, o)
		if err != nil {
			t.Fatal(err)
		}
		best := bruteSeries(r, o, p.Budget.Errors.Units)
		if !p.Feasible {
			t.Fatalf("world %d: the last model alone meets its own error, and nothing was found that does", seed)
		}
		more := float64(p.Certificate.Value-best) / float64(best+1)
		if more > 0 {
			missed++
		}
		excess, worst = excess+more/worlds, max(worst, more)
		gap += float64(p.Certificate.Gap) / float64(p.Certificate.Value+1) / worlds
	}
	t.Logf("missed in %d of %d; excess %.2f %% on average, %.1f %% at most; gap %.0f %% on average", missed, worlds,
		100*excess, 100*worst, 100*gap)
	if missed > 4 || excess > 0.005 {
		t.Errorf("missed in %d of %d, excess %.4f", missed, worlds, excess)
	}
}

func TestSeriesRefuses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(*Records, *policy.Options)
	}{
		{"two models", func(r *Records, _ *policy.Options) { r.Beta, r.Err, r.Cost = r.Beta[:1], r.Err[:2], r.Cost[:2] }},
		{"a cost too few", func(r *Records, _ *policy.Options) { r.Cost = r.Cost[:3] }},
		{"lengths", func(r *Records, _ *policy.Options) { r.Err[2] = r.Err[2][:3] }},
		{"NaN confidence", func(r *Records, _ *policy.Options) { r.Beta[2][1] = math.NaN() }},
		{"negative cost", func(r *Records, _ *policy.Options) { r.Cost[2] = -1 }},
		{"no last errors", func(r *Records, _ *policy.Options) { r.Err[3] = nil }},
		{"method", func(_ *Records, o *policy.Options) { o.Method = policy.Lagrangian }},
		{"no records", func(r *Records, _ *policy.Options) { *r = Records{} }},
		{"error above one", func(r *Records, _ *policy.Options) { r.Err[2][0] = 1.5 }},
		{"oracle without a number", func(r *Records, o *policy.Options) { r.Err[3], o.Setting = nil, policy.Oracle }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, o := world(rand.New(rand.NewPCG(1, 1)), 6, slices.Clone(costs4), levels4), policy.Options{}
			tc.spoil(&r, &o)
			if p, err := Fit(r, o); err == nil {
				t.Errorf("fitted %+v", p)
			}
		})
	}
}

func BenchmarkSeries(b *testing.B) {
	for _, n := range []int{1e3, 1e4, 1e5} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := world(rand.New(rand.NewPCG(7, 7)), n, slices.Clone(costs4), levels4)
			for b.Loop() {
				if _, err := Fit(r, policy.Options{Target: policy.Master}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
