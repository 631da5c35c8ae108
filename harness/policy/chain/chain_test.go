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

// drawSeries draws a few records of four models.
func drawSeries(t *rapid.T) (Records, policy.Options) {
	n, levels := rapid.IntRange(1, 7).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "levels")
	soft := rapid.Bool().Draw(t, "soft")
	r := Records{Beta: make([][]float64, 3), Err: make([][]float64, 4), Cost: make([]float64, 4)}
	for m := range r.Err {
		for range n {
			e := float64(rapid.IntRange(0, 1).Draw(t, "error"))
			if soft {
				e = float64(rapid.IntRange(0, 4).Draw(t, "error")) / 4
			}
			r.Err[m] = append(r.Err[m], e)
			if m < 3 {
				r.Beta[m] = append(r.Beta[m], float64(rapid.IntRange(0, levels).Draw(t, "beta"))/float64(levels))
			}
		}
		r.Cost[m] = float64(rapid.IntRange(0, 4).Draw(t, "cost"))
	}
	var o policy.Options
	targets := []string{"0", "1", "0.9", "0.5", "0.75"}
	if rapid.Bool().Draw(t, "oracle") {
		o.Setting, r.Err[3] = policy.Oracle, nil
	} else {
		targets = append(targets, "master", "student", "best", "min")
	}
	o.Target, _ = policy.ParseTarget(rapid.SampledFrom(targets).Draw(t, "target"))
	return r, o
}

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
		r, o := drawSeries(t)
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

// seriesWorld draws n records of four models, each better and costlier than the
// last.
func seriesWorld(rng *rand.Rand, n int) Records {
	r := Records{Beta: make([][]float64, 3), Err: make([][]float64, 4), Cost: []float64{1, 4, 20, 80}}
	for range n {
		hard := rng.Float64()
		for m, level := range []float64{1, 0.6, 0.35, 0.2} {
			p := level * hard
			e := 0.0
			if rng.Float64() < p {
				e = 1
			}
			r.Err[m] = append(r.Err[m], e)
			if m < 3 {
				r.Beta[m] = append(r.Beta[m], min(1, max(0, 1-p+0.1*rng.NormFloat64())))
			}
		}
	}
	return r
}

// How far the descent ends from the optimum, over 60 worlds of 40 records: the
// figures of docs/speed.md, and that they are no worse than twice that.
func TestSeriesMisses(t *testing.T) {
	missed, excess, worst, gap := 0, 0.0, 0.0, 0.0
	const worlds = 60
	for seed := range uint64(worlds) {
		r, o := seriesWorld(rand.New(rand.NewPCG(seed, 9)), 40), policy.Options{Target: policy.Master}
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
			r, o := seriesWorld(rand.New(rand.NewPCG(1, 1)), 6), policy.Options{}
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
			r := seriesWorld(rand.New(rand.NewPCG(7, 7)), n)
			for b.Loop() {
				if _, err := Fit(r, policy.Options{Target: policy.Master}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
