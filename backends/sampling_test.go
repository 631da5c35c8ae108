package backends_test

import (
	"math"
	"testing"

	"infnet/backends"
)

// Shares of a fine grid of u against the formula, worked out here: softmax of l/T, cut to the nucleus.
func TestDraw(t *testing.T) {
	p := []float64{0.5, 0.2, 0.2, 0.1}
	for _, test := range []struct {
		name string
		s    backends.Sampling
		want []float64
	}{
		{"temperature 1 keeps the probabilities", backends.Sampling{Temperature: 1}, p},
		// squares: 0.25, 0.04, 0.04, 0.01 of 0.34
		{"temperature 1/2 squares them", backends.Sampling{Temperature: 0.5}, []float64{25. / 34, 4. / 34, 4. / 34, 1. / 34}},
		{"next to no temperature", backends.Sampling{Temperature: 1e-9}, []float64{1, 0, 0, 0}},
	} {
		const steps = 100_000
		logprobs := make([]float64, len(p))
		for i := range p {
			logprobs[i] = math.Log(p[i]) - 7 // a constant that nobody knows
		}
		got := make([]float64, len(p))
		for k := range steps {
			got[test.s.Draw(logprobs, (float64(k)+0.5)/steps)] += 1. / steps
		}
		for i := range p {
			if math.Abs(got[i]-test.want[i]) > 2./steps {
				t.Errorf("%s: %v, want %v", test.name, got, test.want)
				break
			}
		}
	}
	if got := (backends.Sampling{Temperature: 1}).Draw([]float64{math.Inf(-1), -1}, 0); got != 1 {
		t.Errorf("what is impossible is drawn: %d", got)
	}
}
