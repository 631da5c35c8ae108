package curve

import (
	"math/rand/v2"
	"testing"
)

func BenchmarkIsotonic1M(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, 1e6), make([]float64, 1e6)
	for i := range x {
		if x[i] = rng.Float64(); rng.Float64() < x[i] {
			y[i] = 1
		}
	}
	for b.Loop() {
		if _, err := Isotonic(x, y); err != nil {
			b.Fatal(err)
		}
	}
}
