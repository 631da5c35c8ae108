package population

import (
	"cmp"
	"math"
	"slices"
	"testing"

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
