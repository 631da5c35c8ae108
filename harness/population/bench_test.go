package population

import (
	"fmt"
	"testing"

	"infnet/harness/policy"
)

// One threshold per class from records to solution, by method, N and K.
func BenchmarkFitMulti(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6} {
		for _, k := range []int{2, 10, 100} {
			p, delta := make([]float64, k), make([]float64, k)
			for i := range p {
				p[i], delta[i] = 1/float64(k), 1-float64(i)/float64(2*k)
			}
			r := simulate(1, n, p, delta, .1)
			for _, m := range []Method{KDE, Histogram, BetaLogistic} {
				b.Run(fmt.Sprintf("method=%s/n=%d/k=%d", m, n, k), func(b *testing.B) {
					for b.Loop() {
						if _, err := FitMulti(r, Options{Target: policy.Best, Method: m}); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
