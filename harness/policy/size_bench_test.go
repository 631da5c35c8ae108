package policy

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkSizes is the table of docs/speed.md: exact fits from 10⁴ to 10⁷
// records and 2 to 100 classes; k=1 is the single threshold. Drawing the
// records takes longer than fitting them, so each size is drawn once.
func BenchmarkSizes(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6, 1e7} {
		for _, k := range []int{1, 2, 10, 100} {
			b.Run(fmt.Sprintf("n=%d/k=%d", n, k), func(b *testing.B) {
				r := world(rand.New(rand.NewPCG(42, uint64(k))), n, k, false)
				fit := FitMulti
				if k == 1 {
					fit = FitSingle
				}
				benchmarkOn(b, r, Options{}, fit)
			})
		}
	}
}
