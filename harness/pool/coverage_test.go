package pool

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// A coin between two models saves nothing at all against coins. 400 studies of 300 records each, in which the coin asks
// the better model rarely, so that it errs nearly as a single model does, or as often as not. Its
// interval at equal error holds 0 in at least 93 % of them (95 % and 2 standard errors of a
// binomial share, .022), and lies above it, which would say that the coin saves, in no more than 4
// %. Where it errs as a single model does the lower end stays near 0, whatever the next better
// model costs.
func TestIntervalsNearASingleModel(t *testing.T) {
	const studies, n = 400, 300
	cost, errs := []float64{1, 4, 40}, []float64{0.3, 0.2, 0.18}
	for _, tt := range []struct {
		name          string
		first, second int
		p             float64
		lowest        float64 // of the mean lower end, as a share of the middle model's cost
	}{
		{name: "the middle model itself, at its error", first: 1, second: 1, lowest: -0.3},
		{name: "near the middle model", first: 1, second: 2, p: 0.03, lowest: -0.6},
		{name: "between two that err nearly alike", first: 1, second: 2, p: 0.5, lowest: -1},
		{name: "near the cheap model", first: 0, second: 1, p: 0.03, lowest: -0.3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			held, over, low, high := 0, 0, 0.0, 0.0
			for s := range studies {
				rng := rand.New(rand.NewPCG(17, uint64(s)))
				singles := make([]Measured, len(cost))
				var ours Measured
				for i := range n {
					asked, hard := tt.first, rng.Float64()
					if rng.Float64() < tt.p {
						asked = tt.second
					}
					for m := range singles {
						e := indicator(0.5*hard+0.5*rng.Float64() < errs[m])
						singles[m].Error = append(singles[m].Error, e)
						singles[m].Cost = append(singles[m].Cost, cost[m]*(0.5+rng.Float64()))
					}
					ours.Error, ours.Cost = append(ours.Error, singles[asked].Error[i]), append(ours.Cost, singles[asked].Cost[i])
				}
				rs := resampled(t, rng, n, 400)
				e := Judge([]*Contest{NewContest(rs, Claim{Ours: ours, Models: singles, Than: []int{1}, Single: None})})[0].Saved
				held += int(indicator(e.Low <= 1e-9 && e.High >= -1e-9))
				over += int(indicator(e.Low > 1e-9))
				low, high = low+e.Low/studies, high+e.High/studies
			}
			text := fmt.Sprintf("%d of %d intervals hold 0, %d are above, mean ends %.2f and %.2f", held, studies, over,
				low, high)
			if t.Log(text); held < 372 || over > 16 || low < tt.lowest {
				t.Error(text)
			}
		})
	}
}
