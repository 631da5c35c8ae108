package population

import (
	"math"
	"slices"
	"testing"

	"infnet/harness/curve"
	"infnet/harness/policy"
)

var flat = curve.Beta{A: 1, B: 1} // β ~ U(0,1)

func TestOpenSublevelSetTakesTheNextFloat(t *testing.T) {
	// Δ = .5 up to and including ½, .1 beyond: {Δ ≤ t} = (½, 1].
	pop := Population{{P: 1, Beta: flat, Nodes: []float64{.5}, Excess: func(x float64) float64 {
		if x <= .5 {
			return .5
		}
		return .1
	}}}
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
	steps := curve.Steps{X: []float64{0, .25, .5}, Y: []float64{-.2, .8, .1}}
	pop := Population{{P: 1, Beta: flat, Excess: steps.At, Nodes: steps.Breaks()}}
	for name, solve := range map[string]func(float64) Solution{"single": pop.Single, "multi": pop.Multi} {
		sol := solve(.1)
		if math.Abs(sol.Thresholds[0]-.4375) > 1e-9 {
			t.Errorf("%s: %v, want .4375", name, sol.Thresholds)
		}
		warned := slices.ContainsFunc(sol.Warnings, func(w policy.Warning) bool { return w.Kind == NotMonotone })
		if warned != (name == "multi") {
			t.Errorf("%s: warnings %v", name, sol.Warnings)
		}
	}
	// b = .3 is met by accepting everything, at the start of the first bracket.
	if sol := pop.Single(.3); sol.Thresholds[0] != 0 || sol.Binding {
		t.Errorf("everything may be accepted: %+v", sol)
	}
}
