package chain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"infnet/harness/policy"
)

// drawChain draws a few records of three models.
func drawChain(t *rapid.T, most int) (Records, policy.Options) {
	const models = 3
	n, soft := rapid.IntRange(1, most).Draw(t, "n"), rapid.Bool().Draw(t, "soft")
	levels := rapid.IntRange(1, most-2).Draw(t, "levels")
	r := Records{Beta: make([][]float64, models-1), Err: make([][]float64, models), Cost: make([]float64, models)}
	for m := range r.Err {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		for range n {
			e := float64(kind) // never, always, or as drawn
			switch {
			case kind > 1 && soft:
				e = float64(rapid.IntRange(0, 7).Draw(t, "error")) / 7
			case kind > 1:
				e = float64(rapid.IntRange(0, 1).Draw(t, "error"))
			}
			r.Err[m] = append(r.Err[m], e)
			if m < models-1 {
				r.Beta[m] = append(r.Beta[m], float64(rapid.IntRange(0, levels).Draw(t, "beta"))/float64(levels))
			}
		}
		r.Cost[m] = float64(rapid.IntRange(0, 4).Draw(t, "cost"))
	}
	var o policy.Options
	targets := []string{"0", "1", "0.9", "0.5", "0.123", "0.75"}
	if rapid.Bool().Draw(t, "oracle") {
		o.Setting, r.Err[models-1] = policy.Oracle, nil
	} else {
		targets = append(targets, "master", "student", "best", "min")
	}
	o.Target, _ = policy.ParseTarget(rapid.SampledFrom(targets).Draw(t, "target"))
	return r, o
}

// levelsOf are the thresholds worth trying for one model's confidences.
func levelsOf(beta []float64) []float64 {
	us := slices.Sorted(slices.Values(beta))
	us = slices.Compact(us)
	us[0] = 0
	return append(us, math.Inf(1))
}

// chainBrute evaluates pairs of thresholds from the definition.
type chainBrute struct {
	total   [3]float64
	scale   float64
	outcome func(t1, t2 float64) (value, e float64)
}

func newChainBrute(r Records) chainBrute {
	n, scale := r.Len(), 1.0
	master := r.Err[2]
	if master == nil {
		master = make([]float64, n)
	}
	errs := [3][]float64{r.Err[0], r.Err[1], master}
	total := [3]float64{}
	for _, col := range errs {
		for _, v := range col {
			if v != 0 && v != 1 {
				scale = 1 << 32
			}
		}
	}
	for m, col := range errs {
		for _, v := range col {
			total[m] += math.RoundToEven(v * scale)
		}
	}
	weight, top := [3]float64{0, 1, 1}, max(r.Cost[1], r.Cost[2])
	if top > 0 {
		weight[1], weight[2] = max(1, math.RoundToEven(r.Cost[1]/top*1e6)), max(1, math.RoundToEven(r.Cost[2]/top*1e6))
	}
	outcome := func(t1, t2 float64) (value, e float64) {
		for i := range n {
			switch {
			case r.Beta[0][i] >= t1:
				e += math.RoundToEven(errs[0][i] * scale)
			case r.Beta[1][i] >= t2:
				e += math.RoundToEven(errs[1][i] * scale)
				value += weight[1]
			default:
				e += math.RoundToEven(errs[2][i] * scale)
				value += weight[1] + weight[2]
			}
		}
		return value, e
	}
	return chainBrute{total, scale, outcome}
}

// bruteChain returns the optimal thresholds by trying every pair.
func bruteChain(r Records, o policy.Options) (theta []float64, value, e, least float64, feasible bool) {
	b := newChainBrute(r)
	n, scale, total, outcome := r.Len(), b.scale, b.total, b.outcome
	least = math.Inf(1)
	for _, t1 := range levelsOf(r.Beta[0]) {
		for _, t2 := range levelsOf(r.Beta[1]) {
			_, e := outcome(t1, t2)
			least = min(least, e)
		}
	}
	var limit float64
	switch o.Target.String() {
	case "master":
		limit = total[2]
	case "student":
		limit = total[0]
	case "best":
		limit = min(total[0], total[1], total[2])
	case "min":
		limit = least
	default:
		xi, _ := o.Target.Numeric()
		v, _ := xi.Float64()
		limit = math.Floor(float64(1000-int64(math.Round(v*1000))) * float64(n) * scale / 1000)
	}
	value, e = math.Inf(1), math.Inf(1)
	for _, t1 := range levelsOf(r.Beta[0]) {
		for _, t2 := range levelsOf(r.Beta[1]) {
			if v, te := outcome(t1, t2); te <= max(limit, least) && (v < value || v == value && te < e) {
				value, e, theta = v, te, []float64{t1, t2}
			}
		}
	}
	return theta, value, e, least, least <= limit
}

func TestChainIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, o := drawChain(t, 12)
		p, err := Fit(r, o)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		n := r.Len()
		theta, value, e, least, feasible := bruteChain(r, o)
		if !slices.Equal([]float64(p.Thresholds), theta) || float64(p.Certificate.Value) != value ||
			float64(p.FitError.Units) != e ||
			float64(p.MinError.Units) != least || p.Feasible != feasible || !p.Certificate.Optimal {
			t.Fatalf("%+v %+v\ngot  %+v\nwant θ=%v value=%v errors=%v least=%v", r, o, p, theta, value, e, least)
		}
		asked := [3]int{n, 0, 0}
		for _, stage := range r.Stages(p.Thresholds) {
			if stage >= 1 {
				asked[1]++
			}
			if stage == 2 {
				asked[2]++
			}
		}
		cost := r.Cost[0] + (r.Cost[1]*float64(asked[1])+r.Cost[2]*float64(asked[2]))/float64(n)
		if !slices.Equal(asked[:], p.Asked) || math.Abs(cost-p.Cost) > 1e-12 {
			t.Fatalf("asked %v at cost %v, want %v at %v", p.Asked, p.Cost, asked, cost)
		}
	})
}

// A contained pair keeps to the chain's budget with the fewest deferrals.
func TestPairOfAChainIsOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, o := drawChain(t, 12)
		chain, err := Fit(r, o)
		if err != nil {
			t.Fatal(err)
		}
		pair := rapid.SampledFrom([][2]int{{0, 1}, {0, 2}, {1, 2}}).Draw(t, "pair")
		p, err := r.FitPair(pair[0], pair[1], chain.Budget)
		if err != nil {
			t.Fatal(err)
		}
		scale := float64(chain.Budget.Errors.Scale)
		master := r.Err[pair[1]]
		if master == nil {
			master = make([]float64, r.Len())
		}
		best := r.Len() + 1
		for _, theta := range levelsOf(r.Beta[pair[0]]) {
			deferred, e := 0, 0.0
			for i, beta := range r.Beta[pair[0]] {
				if beta >= theta {
					e += math.RoundToEven(r.Err[pair[0]][i] * scale)
				} else {
					deferred++
					e += math.RoundToEven(master[i] * scale)
				}
			}
			if e <= float64(chain.Budget.Errors.Units) {
				best = min(best, deferred)
			}
		}
		if feasible := best <= r.Len(); p.Feasible != feasible || feasible && p.FitDeferred != best {
			t.Fatalf("%+v, pair %v at %s: feasible %v, %d deferred; want %v, %d", r, pair, chain.Budget, p.Feasible,
				p.FitDeferred, feasible, best)
		}
	})
	r := world(rand.New(rand.NewPCG(4, 4)), 10, costs3, levels3)
	for _, b := range []policy.Budget{{N: 9, Errors: policy.Count{Units: 1, Scale: 1}},
		{N: 10, Errors: policy.Count{Units: 1, Scale: 0}}, {N: 10, Errors: policy.Count{Units: -1, Scale: 1}}} {
		if p, err := r.FitPair(0, 1, b); err == nil {
			t.Errorf("budget %+v: fitted %+v", b, p)
		}
	}
	if p, err := r.FitPair(1, 1, policy.Budget{N: 10, Errors: policy.Count{Units: 1, Scale: 1}}); err == nil {
		t.Errorf("a model with itself: fitted %+v", p)
	}
}

// The costs of three models, and how often they err on the hardest record.
var costs3, levels3 = []float64{1, 4, 20}, []float64{1, 0.6, 0.3}

// world draws n records of models that are each better and costlier than the last.
func world(rng *rand.Rand, n int, costs, levels []float64) Records {
	last := len(levels) - 1
	r := Records{Beta: make([][]float64, last), Err: make([][]float64, last+1), Cost: costs}
	for range n {
		hard := rng.Float64()
		for m, level := range levels {
			p := level * hard
			e := 0.0
			if rng.Float64() < p {
				e = 1
			}
			r.Err[m] = append(r.Err[m], e)
			if m < last {
				r.Beta[m] = append(r.Beta[m], min(1, max(0, 1-p+0.1*rng.NormFloat64())))
			}
		}
	}
	return r
}

func TestSeriesRefuses(t *testing.T) {
	for _, tc := range []struct {
		name  string
		spoil func(*Records, *policy.Options)
	}{
		{"two models", func(r *Records, _ *policy.Options) { r.Beta, r.Err, r.Cost = r.Beta[:1], r.Err[:2], r.Cost[:2] }},
		{"four models", func(r *Records, _ *policy.Options) {
			r.Beta, r.Err, r.Cost = append(r.Beta, r.Beta[0]), append(r.Err, r.Err[0]), append(r.Cost, 1)
		}},
		{"a cost too few", func(r *Records, _ *policy.Options) { r.Cost = r.Cost[:2] }},
		{"lengths", func(r *Records, _ *policy.Options) { r.Err[1] = r.Err[1][:3] }},
		{"NaN confidence", func(r *Records, _ *policy.Options) { r.Beta[1][1] = math.NaN() }},
		{"negative cost", func(r *Records, _ *policy.Options) { r.Cost[2] = -1 }},
		{"no last errors", func(r *Records, _ *policy.Options) { r.Err[2] = nil }},
		{"method", func(_ *Records, o *policy.Options) { o.Method = policy.Lagrangian }},
		{"no records", func(r *Records, _ *policy.Options) { *r = Records{} }},
		{"error above one", func(r *Records, _ *policy.Options) { r.Err[1][0] = 1.5 }},
		{"oracle without a number", func(r *Records, o *policy.Options) { r.Err[2], o.Setting = nil, policy.Oracle }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, o := world(rand.New(rand.NewPCG(1, 1)), 6, slices.Clone(costs3), levels3), policy.Options{}
			tc.spoil(&r, &o)
			if p, err := Fit(r, o); err == nil {
				t.Errorf("fitted %+v", p)
			}
		})
	}
}

func BenchmarkChain(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			r := world(rand.New(rand.NewPCG(7, 7)), n, costs3, levels3)
			b.ResetTimer()
			for b.Loop() {
				if _, err := Fit(r, policy.Options{Target: policy.Master}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
