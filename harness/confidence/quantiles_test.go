package confidence

import (
	"math"
	"testing"

	"infnet/backends"
)

// An answer of 101 tokens with log-probabilities 0, −1 … −100 has its quantiles
// at the places themselves: q at −100 + 100·at; sum −5050, mean −50. By hand.
func TestQuantileFeatures(t *testing.T) {
	var logs []float64
	for i := range 101 {
		logs = append(logs, -float64(i))
	}
	f, ok, err := FeatureOf(answer(logs...))
	if err != nil || !ok {
		t.Fatal(err)
	}
	for k, at := range quantilesAt {
		if want := -100 + 100*at; math.Abs(f[k]-want) > 1e-9 {
			t.Errorf("quantile at %v = %v, want %v", at, f[k], want)
		}
	}
	if f[20] != -5050 || f[21] != -50 {
		t.Errorf("sum %v, mean %v, want −5050 and −50", f[20], f[21])
	}
	for name, a := range map[string]backends.Answer{"no token": answer(), "a token of probability 0": answer(-1,
		math.Inf(-1))} {
		if _, ok, err := FeatureOf(a); err != nil || ok {
			t.Errorf("%s: features, or %v", name, err)
		}
	}
}
