package infer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics"
	"infnet/metrics/infer"
)

var _ infer.Ranking = (*metrics.Ranking)(nil)

// By hand: five hits and five misses, one pair of 25 lost. The hits
// beat (1, 1, 1, 1, .8) and the misses are beaten by (1, 1, 1, 1, .8) of the others: both sample variances are .008, so
// se² = 2·.008/5 = .0032, and with t(4) = 2.7764451 the logit 3.1780538 ± 2.7764451·.0565685/.0384.
func TestAUROCOfFew(t *testing.T) {
	scores := []float64{.1, .2, .3, .4, .65, .6, .7, .8, .9, .95}
	hits := []bool{false, false, false, false, false, true, true, true, true, true}
	rs, err := infer.NewResamples(rand.New(rand.NewPCG(5, 6)), make([]string, 10), infer.Options{})
	if err != nil {
		t.Fatal(err)
	}
	iv, defined, err := rs.AUROC(metrics.NewRanking(scores, hits))
	half := 2.7764451 * math.Sqrt(.0032) / (.96 * .04)
	low, high := 1/(1+math.Exp(half-math.Log(24))), 1/(1+math.Exp(-half-math.Log(24)))
	if err != nil || !defined || math.Abs(iv.Value-.96) > 1e-12 || math.Abs(iv.Low-low) > 1e-6 ||
		math.Abs(iv.High-high) > 1e-6 || iv.Method != infer.MethodDeLong {
		t.Errorf("%+v, %v; want %.4f to %.4f", iv, err, low, high)
	}
}

// One outcome only is undefined; all hits above all misses, and a single miss, have no standard error of DeLong's, and
// yet an interval with a width.
func TestAUROCAtItsEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		records int
		misses  int
		defined bool
	}{
		{name: "one outcome", records: 10},
		{name: "perfect", records: 10, misses: 4, defined: true},
		{name: "many, perfect", records: 60_000, misses: 4, defined: true},
		{name: "one miss", records: 10, misses: 1, defined: true},
	} {
		scores, hits := make([]float64, tt.records), make([]bool, tt.records)
		for i := range scores {
			scores[i], hits[i] = float64(i), i >= tt.misses
		}
		rs, err := infer.NewResamples(rand.New(rand.NewPCG(5, 6)), make([]string, tt.records), infer.Options{Count: 50})
		if err != nil {
			t.Fatal(err)
		}
		iv, defined, err := rs.AUROC(metrics.NewRanking(scores, hits))
		if err != nil || defined != tt.defined {
			t.Errorf("%s: defined %v, %v", tt.name, defined, err)
		}
		if defined && (iv.Value != 1 || iv.High != 1 || iv.N != tt.records || iv.Method != infer.MethodHanley ||
			!(iv.Low > 0 && iv.Low < .95)) {
			t.Errorf("%s: %+v", tt.name, iv)
		}
	}
}
