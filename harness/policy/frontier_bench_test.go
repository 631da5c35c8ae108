package policy

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The whole frontier, and what the approximations lose against it.
func BenchmarkFrontier(b *testing.B) {
	for _, size := range []struct{ n, k int }{{1e4, 1}, {1e6, 1}, {1e4, 2}, {1e4, 10}, {1e5, 10}, {1e6, 2}, {1e6, 6},
		{1e6, 100}} {
		b.Run(fmt.Sprintf("n=%d/k=%d", size.n, size.k), func(b *testing.B) {
			r := world(rand.New(rand.NewPCG(42, uint64(size.k))), size.n, size.k, false)
			b.ResetTimer()
			start := processorTime(b)
			for b.Loop() {
				f, err := newFrontier(r, Options{}, size.k == 1)
				if err != nil {
					b.Fatal(err)
				}
				if !f.Whole() {
					b.Fatal("the frontier is not whole")
				}
				b.ReportMetric(float64(f.Len()), "points")
				b.ReportMetric(float64(f.HullLen()), "hull")
			}
			b.ReportMetric((processorTime(b)-start)*1e3/float64(b.N), "cpu-ms/op")
		})
	}
}

// How often, and by how much, hull and grid miss the optimum: percent of up to
// 2,000 budgets, and mean excess in percent of the optimum's deferrals.
func BenchmarkMisses(b *testing.B) {
	for _, size := range []struct{ n, k int }{{1e3, 2}, {1e4, 1}, {1e4, 2}, {1e4, 10}, {1e5, 10}, {1e5, 100}} {
		b.Run(fmt.Sprintf("n=%d/k=%d", size.n, size.k), func(b *testing.B) {
			r := world(rand.New(rand.NewPCG(42, uint64(size.k))), size.n, size.k, false)
			for b.Loop() {
				f, err := newFrontier(r, Options{}, size.k == 1)
				if err != nil {
					b.Fatal(err)
				}
				c, err := f.Compare(2000)
				if err != nil {
					b.Fatal(err)
				}
				for name, m := range map[string]Misses{"vertices": c.Vertices, "lagrangian": c.Lagrangian, "grid": c.Grid} {
					b.ReportMetric(100*m.Rate(), name+"-missed-%")
					b.ReportMetric(100*m.MeanExcess/m.MeanOptimum, name+"-excess-%")
					b.ReportMetric(float64(m.WorstExcess), name+"-worst")
				}
			}
		})
	}
}
