package compare

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// costLaw draws what a record costs in the new run and in the old one.
type costLaw struct {
	name string
	draw func(rng *rand.Rand) (now, old float64)
}

// lognormal draws a cost of mean 1.
func lognormal(rng *rand.Rand, s float64) float64 { return math.Exp(s*rng.NormFloat64() - s*s/2) }

// called is how often a law's new run is called worse and better, at one-sided level 0.05 on 300 records.
func (l costLaw) called(t *testing.T, draws int) (worse, better float64) {
	const n = 300
	for s := range draws {
		rng := rand.New(rand.NewPCG(n, uint64(s)))
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			y[i], x[i] = l.draw(rng)
		}
		p, err := infer.SignFlip(rng, y, x, nil, 1999)
		if err != nil {
			t.Fatal(err)
		}
		p = infer.Costs(p, y, x, [2][]float64{x, y}, nil)
		said := float64(tell(oneSided(p.P, p.Statistic) <= 0.05)) / float64(draws)
		if p.Statistic > 0 {
			worse += said
		} else {
			better += said
		}
	}
	return worse, better
}

// Runs that cost the same in the mean, though the costs of few records are large, are called worse, and better, in at
// most 5 % of the comparisons; the simulation allows for 3 standard errors. Dearer runs are still found.
func TestRareLargeCostsKeepTheLevel(t *testing.T) {
	const draws = 75
	for _, l := range []costLaw{
		{"2 % cost 1 more, rest 0.02 less", func(rng *rand.Rand) (now, old float64) {
			now = .2 * lognormal(rng, .5)
			old = now + .02*(.5+rng.Float64())
			return now + float64(tell(rng.Float64() < .02)), old
		}},
		{"lognormal(2), 1", func(rng *rand.Rand) (float64, float64) { return lognormal(rng, 2), 1 }},
		{"lognormal(2), lognormal(2)", func(rng *rand.Rand) (float64, float64) {
			return lognormal(rng, 2), lognormal(rng, 2)
		}},
	} {
		worse, better := l.called(t, draws)
		if most := .05 + 3*math.Sqrt(.05*.95/draws); max(worse, better) > most {
			t.Errorf("%s: called worse in %.3f and better in %.3f of the comparisons", l.name, worse, better)
		}
	}
	dearer := costLaw{"a fifth dearer", func(rng *rand.Rand) (float64, float64) {
		old := lognormal(rng, 1)
		return 1.2 * old, old
	}}
	if worse, _ := dearer.called(t, draws); worse < 0.5 {
		t.Errorf("a run that is a fifth dearer is called worse in %.3f of the comparisons", worse)
	}
}
