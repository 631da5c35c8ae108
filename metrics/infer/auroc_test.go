package infer_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"infnet/metrics"
	"infnet/metrics/infer"
)

var _ infer.Ranking = (*metrics.Ranking)(nil)

// ranked are records whose score says how likely a hit is.
func ranked(rng *rand.Rand, n int) *metrics.Ranking {
	scores, hits := make([]float64, n), make([]bool, n)
	for i := range scores {
		scores[i] = rng.Float64()
		hits[i] = rng.Float64() < .3+.6*scores[i]
	}
	return metrics.NewRanking(scores, hits)
}

// At 50,000 records the interval stops being resampled. On either side it is the
// same within the error of a quantile of 2,000 resamples, which is 6 % of a
// standard error and here 15 % of half the interval at 5 times that.
func TestAUROCIsTheSameResampledAndByDeLong(t *testing.T) {
	const n = 50_000
	r := ranked(rand.New(rand.NewPCG(1, 2)), n)
	interval := func(groups []string) infer.Interval {
		rs, err := infer.NewResamples(rand.New(rand.NewPCG(5, 6)), groups, infer.Options{})
		if err != nil {
			t.Fatal(err)
		}
		iv, defined, err := rs.AUROC(r)
		if err != nil || !defined {
			t.Fatal(defined, err)
		}
		return iv
	}
	alone, pair := make([]string, n), make([]string, n)
	pair[0], pair[1] = "a", "a" // a single cluster is enough for resampling
	delong, drawn := interval(alone), interval(pair)
	if delong.Method != infer.MethodDeLong || drawn.Method != infer.MethodClusterBootstrap || delong.N != n ||
		delong.Level != .95 {
		t.Fatalf("%+v and %+v", delong, drawn)
	}
	half := (delong.High - delong.Low) / 2
	if delong.Value != drawn.Value || math.Abs(delong.Low-drawn.Low) > .15*half ||
		math.Abs(delong.High-drawn.High) > .15*half {
		t.Errorf("by DeLong %+v, resampled %+v", delong, drawn)
	}
}

// One outcome only is undefined; a single miss among many hits has no standard
// error and is resampled; a perfect score has an interval without width.
func TestAUROCAtItsEnds(t *testing.T) {
	for _, tt := range []struct {
		name    string
		records int
		misses  int
		defined bool
		method  string
	}{
		{name: "few, one outcome", records: 10},
		{name: "many, one outcome", records: 60_000},
		{name: "few, perfect", records: 10, misses: 4, defined: true, method: infer.MethodBootstrap},
		{name: "many, perfect", records: 60_000, misses: 4, defined: true, method: infer.MethodDeLong},
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
		if defined && (iv.Value != 1 || iv.Low != 1 || iv.High != 1 || iv.N != tt.records) {
			t.Errorf("%s: %+v", tt.name, iv)
		}
		if defined && iv.Method != tt.method && tt.records > 50 {
			t.Errorf("%s: by %s, want %s", tt.name, iv.Method, tt.method)
		}
	}
}
