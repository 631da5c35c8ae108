package infer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics/infer"
)

// The intervals of the shares are those of statsmodels 0.15's proportion_confint(method="wilson"), joined by hand.
func TestAuditedShare(t *testing.T) {
	for _, tc := range []struct {
		audit            infer.Audit
		value, low, high float64
	}{
		{infer.Audit{Records: 1000, Said: 820, Both: 70, OnlyTruth: 6, OnlyJudge: 14, Neither: 10},
			.74, 0.6460870710211426, 0.8317786073084846},
		{infer.Audit{Records: 500, Said: 450, Both: 45, Neither: 5}, .9, 0.8228240408644991, 0.9750627469652354},
		{infer.Audit{Records: 200, Said: 20, Both: 3, OnlyJudge: 4, Neither: 23}, 0, 0, 0.11419349593817671},
	} {
		iv, err := tc.audit.Share(.95)
		if err != nil || math.Abs(iv.Value-tc.value) > 1e-9 || math.Abs(iv.Low-tc.low) > 1e-9 ||
			math.Abs(iv.High-tc.high) > 1e-9 {
			t.Errorf("%+v: %+v, %v, want %v [%v, %v]", tc.audit, iv, err, tc.value, tc.low, tc.high)
		}
	}
	all := infer.Audit{Records: 20, Said: 12, Both: 11, OnlyTruth: 4, OnlyJudge: 1, Neither: 4}
	if iv, err := all.Share(.95); err != nil || iv.Value != .75 || iv.Method != infer.MethodClopperPearson {
		t.Errorf("all audited: %+v, %v", iv, err)
	}
	if _, err := (infer.Audit{Records: 20, Said: 12}).Share(.95); err == nil {
		t.Error("a share without audited records")
	}
}

// Drawn from known laws, the interval covers the truth as often as it says, less four standard errors; what the judge
// says alone would not.
func TestAuditedShareCovers(t *testing.T) {
	const draws = 2000
	for _, law := range []struct{ truth, sensitivity, specificity float64 }{
		{.8, .99, .5}, {.5, .9, .7}, {.95, .9, .5}, {.2, .9, .8},
	} {
		rng := rand.New(rand.NewPCG(11, 12))
		covered, naive := 0, 0
		for range draws {
			var a infer.Audit
			for k := range 600 {
				truth := rng.Float64() < law.truth
				right := law.sensitivity
				if !truth {
					right = law.specificity
				}
				said := (rng.Float64() < right) == truth
				if k < 60 {
					a.Add(said, &truth)
				} else {
					a.Add(said, nil)
				}
			}
			iv, err := a.Share(.95)
			if err != nil {
				t.Fatal(err)
			}
			if iv.Low <= law.truth && law.truth <= iv.High {
				covered++
			}
			if iv, _ := infer.ClopperPearson(a.Said, a.Records, .95); iv.Low <= law.truth && law.truth <= iv.High {
				naive++
			}
		}
		if covered < draws*93/100 || naive > draws/2 {
			t.Errorf("%+v: covers %d of %d, the judge alone %d", law, covered, draws, naive)
		}
	}
}
