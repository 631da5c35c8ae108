package router

import (
	"cmp"
	"math"
	"math/rand/v2"
	"testing"
)

// Kendall's τ-b is that of its definition over all pairs, with ties and without.
func TestKendallByAllPairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		n, values := rng.IntN(30), 1+rng.IntN(20)
		x, y := make([]float64, n), make([]float64, n)
		for i := range x {
			x[i], y[i] = float64(rng.IntN(values)), float64(rng.IntN(values))
		}
		agree, inX, inY := 0, 0, 0
		for i := range x {
			for j := range i {
				a, b := cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])
				agree, inX, inY = agree+a*b, inX+a*a, inY+b*b
			}
		}
		want := 0.0
		if inX > 0 && inY > 0 {
			want = float64(agree) / math.Sqrt(float64(inX)*float64(inY))
		}
		if got := kendall(x, y); got != want {
			t.Fatalf("%v and %v: %v, want %v", x, y, got, want)
		}
	}
}
