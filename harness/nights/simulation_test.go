package nights

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"infnet/harness/seed"
	"infnet/metrics/infer"
)

const (
	alpha      = 0.05
	year       = 365
	worseFrom  = 101
	quantities = 8 // four datasets, two policies each
	meanError  = 0.12
)

// arm is one kind of history.
type arm struct {
	fresh bool    // records that no night had before; else the same every night
	n     int     // test records of each dataset a night
	every int     // nights after which another model is measured
	drop  float64 // planted from night worseFrom on, in errors per record; 0 = the models are equally good
}

// errs are the errors of a model: records differ in difficulty, so that those of different models come together as
// those of real ones do. Two models disagree on about one record in ten. The two policies of a dataset share nine in
// ten outcomes.
func errs(rng *rand.Rand, hard []float64, worse float64) (policies [2][]bool) {
	for i, q := range hard {
		for p := range policies {
			err := rng.Float64() < q || worse > 0 && rng.Float64() < worse/(1-meanError)
			policies[p] = append(policies[p], err)
		}
		if rng.Float64() < 0.9 {
			policies[1][i] = policies[0][i]
		}
	}
	return policies
}

// records draws the difficulties of a dataset's records: nearly none of most, much of a few.
func (a arm) records(rng *rand.Rand) []float64 {
	hard := make([]float64, a.n)
	for i := range hard {
		if hard[i] = 0.03; rng.Float64() >= 0.8 {
			hard[i] = (meanError - 0.8*0.03) / 0.2 // 0.48
		}
	}
	return hard
}

// alarms simulates a history, and returns the first night that alarms; 0 = none does.
func (a arm) alarms(k int) int {
	rng := seed.Stream(7, "nights", fmt.Sprint(a), strconv.Itoa(k))
	h := &History{Path: "simulated"}
	var hard [quantities / 2][]float64
	var accepted [quantities / 2][2][]bool
	day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for night := 1; night <= year; night++ {
		model, worse := "model "+strconv.Itoa((night-1)/a.every), 0.0
		if a.drop > 0 && night >= worseFrom {
			model, worse = "the worse model", a.drop
		}
		if a.fresh {
			model = "model " + strconv.Itoa(night) // a look is at both sides
		}
		for d := range hard {
			if night == 1 || a.fresh {
				hard[d] = a.records(rng)
				accepted[d] = errs(rng, hard[d], 0)
			}
		}
		n := Night{Number: night, Study: "s", Date: day.AddDate(0, 0, night).Format(time.DateOnly),
			Run: strconv.Itoa(night), Inputs: model, Alpha: alpha, Verdict: "same"}
		look, err := h.Plan(n)
		if err != nil {
			panic(err)
		}
		n.Look = look.Number
		h.Nights = append(h.Nights, n)
		if look.Like > 0 {
			continue // the same test again
		}
		var p []float64
		for d := range hard {
			for q, tonight := range errs(rng, hard[d], worse) {
				one := 1.0
				if more, less := infer.Discordant(tonight, accepted[d][q]); more > less {
					one = infer.McNemar(more, less) / 2 // in the direction seen
				}
				p = append(p, one)
			}
		}
		if slices.Min(infer.Holm(p)) <= look.Level {
			return night
		}
	}
	return 0
}

// A year of nights alarms with probability α at most while nothing is worse; and finds what is.
func TestNullHistories(t *testing.T) {
	const count = 24
	for _, a := range []arm{{n: 100, every: 1}, {n: 100, every: 1, fresh: true}, {n: 1000, every: 30, drop: 0.05},
		{n: 1000, every: 1, drop: 0.05, fresh: true}} {
		before, after := 0, 0
		for k := range count {
			switch night := a.alarms(k); {
			case night == 0:
			case a.drop == 0 || night < worseFrom:
				before++
			default:
				after++
			}
		}
		share, err := infer.ClopperPearson(before, count, 0.95)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%+v: %d of %d alarm while nothing is worse, %d after", a, before, count, after)
		if share.Low > alpha {
			t.Errorf("%+v: %d of %d histories alarm while nothing is worse, more than α = %v", a, before, count, alpha)
		}
		if a.drop > 0 && after < (count-before)*9/10 {
			t.Errorf("%+v: %d of %d find a drop of 5 points", a, after, count-before)
		}
	}
}
