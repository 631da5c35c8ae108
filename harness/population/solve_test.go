package population

import (
	"cmp"
	"math"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"infnet/harness/curve"
	"infnet/harness/policy"
)

var flat = curve.Beta{A: 1, B: 1} // β ~ U(0,1)

// stairs draws a population with β ~ U(0,1) and Δ_k constant on eighths.
func stairs(t *rapid.T, falling bool) Population {
	var pop Population
	k := rapid.IntRange(1, 3).Draw(t, "classes")
	for range k {
		c := Class{P: 1 / float64(k), Beta: flat, Master: .3}
		var s curve.Steps
		for j := range 8 {
			s.X = append(s.X, float64(j)/8)
			s.Y = append(s.Y, float64(rapid.IntRange(-3, 7).Draw(t, "excess"))/10)
		}
		if falling {
			slices.SortFunc(s.Y, func(a, b float64) int { return cmp.Compare(b, a) })
		}
		c.Excess = s
		pop = append(pop, c)
	}
	return pop
}

// With falling stairs the problem is a continuous knapsack: defer the steps of
// the largest excess first, the last in part, until the budget is met. The
// solver must defer as much.
func TestMultiOnStairsIsTheContinuousKnapsack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pop := stairs(t, true)
		b := float64(rapid.IntRange(0, 100).Draw(t, "budget")) / 100
		sol, err := pop.Multi(b)
		if err != nil {
			t.Fatal(err)
		}
		var excess []float64
		total, least, mass := .3, .3, 1/float64(8*len(pop))
		for _, c := range pop {
			for _, y := range c.Excess.(curve.Steps).Y {
				excess = append(excess, y)
				total += y * mass
				least += min(y, 0) * mass
			}
		}
		slices.SortFunc(excess, func(a, b float64) int { return cmp.Compare(b, a) })
		want := 0.0
		for _, y := range excess {
			if total <= b || y <= 0 {
				break
			}
			part := min((total-b)/(y*mass), 1)
			want += part * mass
			total -= part * y * mass
		}
		if feasible := least <= b+1e-12; feasible != sol.Feasible || math.Abs(sol.MinError-least) > 1e-12 {
			t.Fatalf("feasible %v with least error %v, want %v with %v", sol.Feasible, sol.MinError, feasible, least)
		}
		if math.Abs(sol.Deferred-want) > 1e-9 || math.Abs(sol.LowerBound-sol.Deferred) > 1e-9 && sol.Feasible {
			t.Fatalf("defers %v (bound %v), want %v", sol.Deferred, sol.LowerBound, want)
		}
		if sol.Feasible && sol.Error > b+1e-9 {
			t.Fatalf("error %v of %v at %v deferred", sol.Error, b, sol.Deferred)
		}
	})
}

// With any stairs: the single threshold is the leftmost feasible point of a
// fine grid to within its spacing, θ(t) is a global minimiser, and the
// thresholds per class are feasible and no better than the bound.
func TestSolversOnAnyStairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pop := stairs(t, false)
		b := float64(rapid.IntRange(0, 60).Draw(t, "budget")) / 100
		single, err := pop.Single(b)
		if err != nil {
			t.Fatal(err)
		}
		pooled := pop.pool().prepare()
		const fine = 1024
		leftmost, least := math.Inf(1), pooled.base
		for i := fine; i >= 0; i-- {
			e := pooled.error(policy.Thresholds{float64(i) / fine})
			least = min(least, e)
			if e <= b+1e-12 {
				leftmost = float64(i) / fine
			}
		}
		if math.Abs(single.MinError-least) > 1e-12 || single.Feasible != (least <= b+1e-12) {
			t.Fatalf("least error %v (feasible %v), on the grid %v", single.MinError, single.Feasible, least)
		}
		if single.Feasible && math.Abs(min(single.Thresholds[0], 1)-min(leftmost, 1)) > 1.001/fine {
			t.Fatalf("θ = %v, the leftmost of a grid is %v", single.Thresholds[0], leftmost)
		}
		level := float64(rapid.IntRange(0, 7).Draw(t, "level")) / 10
		for _, tail := range pop.prepare().tails {
			theta := tail.threshold(level)
			value := func(x float64) float64 { return level*tail.deferred(x) + tail.excess(x) }
			for i := range 257 {
				x := float64(i) / 256
				if value(x) < value(theta)-1e-12 {
					t.Fatalf("θ(%v) = %v has value %v, %v has %v", level, theta, value(theta), x, value(x))
				}
			}
		}
		multi, err := pop.Multi(b)
		if err != nil {
			t.Fatal(err)
		}
		if multi.Feasible && (multi.Error > b+1e-9 || multi.LowerBound > multi.Deferred) {
			t.Fatalf("error %v of %v, defers %v with bound %v", multi.Error, b, multi.Deferred, multi.LowerBound)
		}
		if len(pop) == 1 && multi.Feasible && multi.LowerBound > single.Deferred+1e-9 {
			t.Fatalf("the bound %v is above %v, which one threshold reaches", multi.LowerBound, single.Deferred)
		}
	})
}

func TestPlateausFillInIndexOrder(t *testing.T) {
	// Both classes: Δ = .4 on [0,.5), 0 above. Accepting all errs .2; a budget of
	// .05 leaves .15 to save, .2 per unit of θ. Just below t* = .4 both θ are .5;
	// class 0 moves down first.
	step := curve.Steps{X: []float64{0, .5}, Y: []float64{.4, 0}}
	pop := Population{{P: .5, Beta: flat, Excess: step}, {P: .5, Beta: flat, Excess: step}}
	for _, tc := range []struct {
		b     float64
		theta policy.Thresholds
	}{
		{b: .05, theta: policy.Thresholds{.25, .5}}, // by hand: .5·.4·(.5−θ₀) = .05, class 1 stays just below t*
		{b: .10, theta: policy.Thresholds{0, .5}},
		{b: .15, theta: policy.Thresholds{0, .25}},
		{b: .20, theta: policy.Thresholds{0, 0}},
		{b: 0, theta: policy.Thresholds{.5, .5}},
	} {
		sol, err := pop.Multi(tc.b)
		if diff := gocmp.Diff([]float64(tc.theta), []float64(sol.Thresholds), near9); err != nil || diff != "" {
			t.Errorf("budget %v: %v (-want +got):\n%s", tc.b, err, diff)
		}
		if tc.b > 0 && tc.b < .2 && (math.Abs(sol.Level-.4) > 1e-9) {
			t.Errorf("budget %v: level %v, want .4", tc.b, sol.Level)
		}
	}
}

// curveOf is a curve given as a function.
type curveOf func(float64) float64

func (f curveOf) At(x float64) float64 { return f(x) }

func TestOpenSublevelSetTakesTheNextFloat(t *testing.T) {
	// Δ = .5 up to and including ½, .1 beyond: {Δ ≤ t} = (½, 1].
	pop := Population{{P: 1, Beta: flat, Nodes: []float64{.5}, Excess: curveOf(func(x float64) float64 {
		if x <= .5 {
			return .5
		}
		return .1
	})}}
	if got, want := pop.prepare().tails[0].threshold(.3), math.Nextafter(.5, 1); got != want {
		t.Errorf("θ = %v, want the float above ½", got)
	}
}

// Δ rises before it falls: the first crossing of the level is a trap. Δ = −.2
// on [0,.25), .8 on [.25,.5), .1 above; β ~ U(0,1), no master error. Accepting
// all errs .2. By hand, b = .1: θ in the middle must save .1: deferring [0,θ)
// costs the −.05 of the first quarter, then gains .8 per unit: θ = .25 +
// .15/.8 = .4375.
func TestNonMonotoneTakesTheGlobalMinimiser(t *testing.T) {
	pop := Population{{P: 1, Beta: flat, Excess: curve.Steps{X: []float64{0, .25, .5}, Y: []float64{-.2, .8, .1}}}}
	for name, solve := range map[string]func(float64) (Solution, error){"single": pop.Single, "multi": pop.Multi} {
		sol, err := solve(.1)
		if err != nil || math.Abs(sol.Thresholds[0]-.4375) > 1e-9 {
			t.Errorf("%s: %v (%v), want .4375", name, sol.Thresholds, err)
		}
		warned := slices.ContainsFunc(sol.Warnings, func(w policy.Warning) bool { return w.Kind == NotMonotone })
		if warned != (name == "multi") {
			t.Errorf("%s: warnings %v", name, sol.Warnings)
		}
	}
	// b = .3 is met by accepting everything, at the start of the first bracket.
	if sol, err := pop.Single(.3); err != nil || sol.Thresholds[0] != 0 || sol.Binding {
		t.Errorf("everything may be accepted: %+v, %v", sol, err)
	}
}

// Single takes the leftmost of several roots. Δ = .4 on [0,.25), −.4 on
// [.25,.5), .4 on [.5,.75), 0 above: with m = .2 the error falls from .3 to .2,
// rises to .3, falls to .2. b = .25 is met from θ = .125 on, and again later.
func TestSingleIsLeftmost(t *testing.T) {
	pop := Population{{P: 1, Beta: flat, Master: .2,
		Excess: curve.Steps{X: []float64{0, .25, .5, .75}, Y: []float64{.4, -.4, .4, 0}}}}
	sol, err := pop.Single(.25)
	if err != nil || math.Abs(sol.Thresholds[0]-.125) > 1e-9 || math.Abs(sol.Error-.25) > 1e-9 {
		t.Errorf("θ = %v with error %v (%v), want .125 with .25", sol.Thresholds, sol.Error, err)
	}
}

func TestUnseenClassIsDeferred(t *testing.T) {
	pop := uniform(t, []float64{1, 0}, []float64{1, 1}, 0)
	sol, err := pop.Multi(.1)
	if err != nil || !math.IsInf(sol.Thresholds[1], 1) ||
		math.Abs(sol.Thresholds[0]-.5527864045) > 1e-9 {
		t.Fatalf("%+v, %v", sol, err)
	}
	if len(sol.Warnings) != 1 || sol.Warnings[0].Kind != policy.NeverPredicted || sol.Warnings[0].Class != 1 {
		t.Errorf("warnings %v", sol.Warnings)
	}
}

// Pooling classes of one curve changes nothing: the mixture is that curve.
func TestPooledUniformsAreUniform(t *testing.T) {
	sol, err := uniform(t, []float64{.5, .25, .25}, []float64{1, 1, 1}, 0).Single(.1)
	if err != nil || math.Abs(sol.Thresholds[0]-.5527864045) > 1e-9 || math.Abs(lambda(sol)-2.2360679775) > 1e-8 {
		t.Errorf("%+v, %v", sol, err)
	}
}

// An infinite density at both ends: β ~ Beta(½,½), Δ = 1−β. By hand, with β =
// sin²(φ): G(θ) = ½ − (1/π)(asin√θ + √(θ(1−θ))).
func TestInfiniteDensityIsIntegratedExactly(t *testing.T) {
	pop := Population{{P: 1, Beta: curve.Beta{A: .5, B: .5}, Excess: Line{1, 1}}}
	tail := pop.prepare().tails[0]
	for _, x := range []float64{0, 1e-12, .001, .3, .5, .9, .9999, 1 - 1e-9, 1} {
		want := .5 - (math.Asin(math.Sqrt(x))+math.Sqrt(x*(1-x)))/math.Pi
		if got := tail.excess(x); math.Abs(got-want) > 1e-10 {
			t.Errorf("G(%v) = %v, want %v", x, got, want)
		}
	}
}
