package pool

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"infnet/metrics/infer"
)

// Ten policies that save nothing in truth. Whoever looks at the best of them is misled by separate intervals far more
// often than once in twenty, and by those that hold together about so often. 300 studies; the binomial's 4 standard
// errors around .05 are .05.
func TestTogetherHoldsForTheBestOfMany(t *testing.T) {
	const studies, policies, n = 300, 10, 150
	misled := map[string]int{}
	for s := range studies {
		rng := rand.New(rand.NewPCG(7, uint64(s)))
		rs := resampled(t, rng, n, 400)
		var ours, rivals []Measured
		for range policies {
			x, y := Measured{Error: make([]float64, n)}, Measured{Error: make([]float64, n)}
			for range n {
				x.Cost, y.Cost = append(x.Cost, 1+rng.Float64()), append(y.Cost, 1+rng.Float64())
			}
			ours, rivals = append(ours, x), append(rivals, y)
		}
		var list []*Contest
		for k := range ours { // a rival that errs alike: the claim is about the costs
			list = append(list, NewContest(rs, Claim{Ours: ours[k], Models: rivals[k : k+1], Single: None}))
		}
		together, separate := false, false
		for k, w := range Judge(list) {
			together = together || w.Saved.Low > 0 || w.Saved.High < 0
			alone := Judge(list[k : k+1])[0].Saved
			separate = separate || alone.Low > 0 || alone.High < 0
		}
		if together {
			misled["together"]++
		}
		if separate {
			misled["separate"]++
		}
	}
	text := fmt.Sprintf("misled in %v of %d studies", misled, studies)
	if share := float64(misled["together"]) / studies; share > 0.1 {
		t.Error(text)
	}
	if share := float64(misled["separate"]) / studies; share < 0.1 {
		t.Errorf("%s: separate intervals would do as well", text)
	}
	t.Log(text)
}

// A student that costs nothing, and a cascade whose confidence says nothing: in truth it costs what the coin of equal
// error does. In at most so many of 300 studies the verdict may say that it saves; the binomial's 4 standard errors
// around .025 are .036. In some resamples the rival is free, and no number is below −∞.
func TestVerdictWhereNothingIsSaved(t *testing.T) {
	const studies, n = 300, 120
	wrong := 0
	for s := range studies {
		rng := rand.New(rand.NewPCG(11, uint64(s)))
		rs := resampled(t, rng, n, 400)
		column := func() Measured { return Measured{Cost: make([]float64, n), Error: make([]float64, n)} }
		student, master, cascade := column(), column(), column()
		for i := range n {
			student.Error[i], master.Error[i], master.Cost[i] = indicator(rng.Float64() < 0.4), indicator(rng.Float64() < 0.1), 1
			if cascade.Error[i] = student.Error[i]; rng.Float64() < 0.5 {
				cascade.Error[i], cascade.Cost[i] = master.Error[i], 1
			}
		}
		list := Judge([]*Contest{NewContest(rs, Claim{Ours: cascade, Models: []Measured{student, master}, Single: None})})
		wrong += int(indicator(list[0].Saved.Low > 0))
	}
	if share := float64(wrong) / studies; share > 0.061 {
		t.Errorf("%.3f of the studies say that it saves", share)
	}
	t.Logf("%d of %d", wrong, studies)
}

func indicator(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// By hand: every verdict, from columns of one number each. Where the numbers are, intervals have no width but that
// of the records which were not drawn: of 400 at most 1 point, of 19 none is judged.
func TestVerdicts(t *testing.T) {
	of := func(cost, errs float64) Measured { return Measured{Cost: []float64{cost}, Error: []float64{errs}} }
	student, master := of(1, .3), of(10, .1)
	for _, tt := range []struct {
		name   string
		ours   Measured
		models []Measured
		n      int
		single int
		margin float64
		saved  float64
		want   Verdict
	}{
		// the coin of error .12 asks the master with .9 and costs 9.1; 1 − 4/9.1
		{name: "cheaper, as good", ours: of(4, .1), saved: 1 - 4/9.1, margin: .02, want: WorthIt},
		{name: "cheaper, 5 points worse", ours: of(4, .15), saved: 1 - 4/6.85, margin: .02, want: ErrsMore}, // coin .65
		{name: "a coin is cheaper", ours: of(9.5, .1), saved: 9.1/9.5 - 1, margin: .02, want: NotWorthIt},
		{name: "without a margin that coin errs more", ours: of(9.5, .1), saved: .05, want: NotShown},
		{name: "better than both, and dearer", ours: of(20, .01), margin: .02, want: ErrsLess},
		{name: "the master itself", ours: of(11, .1), single: 1, margin: .02, saved: 9.1/11 - 1, want: Same},
		{name: "19 records", ours: of(4, .1), n: 19, saved: 1 - 4/9.1, margin: .02, want: NotShown},
		{name: "the rival is free", ours: of(1, .3), models: []Measured{of(0, .3), master}, saved: -1, margin: .02,
			want: NotWorthIt},
		{name: "both are free", ours: of(0, .3), models: []Measured{of(0, .3), master}, margin: .02, want: ErrsMore},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n, models := 400, []Measured{student, master}
			if tt.n > 0 {
				n = tt.n
			}
			if tt.models != nil {
				models = tt.models
			}
			if tt.single == 0 {
				tt.single = None
			}
			repeated := func(m Measured) Measured {
				return Measured{Cost: slices.Repeat(m.Cost, n), Error: slices.Repeat(m.Error, n)}
			}
			rs := resampled(t, rand.New(rand.NewPCG(3, 4)), n, 400)
			c := Claim{Ours: repeated(tt.ours), Single: tt.single, Margin: tt.margin}
			for _, m := range models {
				c.Models = append(c.Models, repeated(m))
			}
			w := Judge([]*Contest{NewContest(rs, c)})[0]
			if w.Verdict != tt.want || math.Abs(w.Saved.Value-tt.saved) > 1e-9 {
				t.Errorf("%+v, want %s and %v saved", w, tt.want, tt.saved)
			}
			if less := w.Error.Value - (tt.ours.Error[0] - min(models[0].Error[0], models[1].Error[0])); math.Abs(less) > 1e-9 {
				t.Errorf("errs %v more than the better model", w.Error.Value)
			}
		})
	}
}

func resampled(t *testing.T, rng *rand.Rand, n, count int) *infer.Resamples {
	rs, err := infer.NewResamples(rng, make([]string, n), infer.Options{Count: count})
	if err != nil {
		t.Fatal(err)
	}
	return rs
}
