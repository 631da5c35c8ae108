package radix

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// slices.SortStableFunc gives the expected order.
func TestSort(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{0, 1, 5, from - 1, from, 3*from + 1} {
		xs, ps := make([]float64, n), make([]Pair, n)
		for i := range xs {
			switch xs[i] = rng.NormFloat64(); rng.IntN(6) {
			case 4: // one upper half
				xs[i] = math.Float64frombits(math.Float64bits(1) + rng.Uint64N(1<<30))
			case 0:
				xs[i] = float64(rng.IntN(3)) / 2
			case 1:
				xs[i] = float64(float32(xs[i]))
			case 2:
				xs[i] = math.Inf(2*rng.IntN(2) - 1)
			case 3:
				xs[i] = math.Copysign(0, -1)
			}
			ps[i] = Pair{Key(xs[i]), int64(i)}
		}
		want := make([]int, n)
		for i := range want {
			want[i] = i
		}
		slices.SortStableFunc(want, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
		Sort(ps, make([]Pair, n))
		for i, p := range ps {
			if int(p.Value) != want[i] || Float(p.Key) != xs[want[i]] {
				t.Fatalf("n = %d: place %d holds number %d, %v; want %d, %v", n, i, p.Value, Float(p.Key), want[i],
					xs[want[i]])
			}
		}
	}
}

func BenchmarkSort1M(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	ps, work, scratch := make([]Pair, 1e6), make([]Pair, 1e6), make([]Pair, 1e6)
	for i := range ps {
		ps[i] = Pair{Key(rng.Float64()), int64(i)}
	}
	for b.Loop() {
		copy(work, ps)
		Sort(work, scratch)
	}
}
