//go:build unix

package policy

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
)

// processorTime returns the seconds this process has computed for, on all
// threads: what a busy machine does not blur.
func processorTime(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) * 1e-9
}

// timed runs f on a world of n records and k classes. Drawing the records takes longer than fitting them.
func timed(b *testing.B, n, k int, soft bool, f func(*testing.B, Records) error) {
	b.Run(fmt.Sprintf("n=%d/k=%d", n, k), func(b *testing.B) {
		r := world(rand.New(rand.NewPCG(42, uint64(k))), n, k, soft)
		b.ResetTimer()
		start := processorTime(b)
		for b.Loop() {
			if err := f(b, r); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric((processorTime(b)-start)*1e3/float64(b.N), "cpu-ms/op")
	})
}

// Exact fits from 10⁴ to 10⁷ records and 2 to 100 classes; k=1 is the single threshold.
func BenchmarkSizes(b *testing.B) {
	for _, n := range []int{1e4, 1e5, 1e6, 1e7} {
		for _, k := range []int{1, 2, 10, 100} {
			timed(b, n, k, false, func(_ *testing.B, r Records) error {
				_, err := FitMulti(r, Options{})
				return err
			})
		}
	}
}

func Benchmark1M(b *testing.B) {
	for name, o := range map[string]Options{"exact": {}, "cost": {Objective: Cost}, "lagrangian": {Method: Lagrangian}} {
		for _, soft := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/soft=%t", name, soft), func(b *testing.B) {
				timed(b, 1e6, 100, soft, func(b *testing.B, r Records) error {
					p, err := FitMulti(r, o)
					b.ReportMetric(float64(p.Certificate.Gap), "gap")
					return err
				})
			})
		}
	}
}

// A hundred thousand records of 77 classes take a second, not an hour.
func BenchmarkAbstention(b *testing.B) {
	timed(b, 1e5, 77, false, func(_ *testing.B, r Records) error {
		_, err := FitAbstention(r, Losses{5, 2}, false)
		return err
	})
}

func BenchmarkFrontier(b *testing.B) {
	for _, size := range []struct{ n, k int }{{1e4, 1}, {1e6, 1}, {1e4, 2}, {1e4, 10}, {1e5, 10}, {1e6, 2}, {1e6, 6},
		{1e6, 100}} {
		timed(b, size.n, size.k, false, func(b *testing.B, r Records) error {
			f, err := newFrontier(r, Options{}, size.k == 1)
			b.ReportMetric(float64(f.Len()), "points")
			return err
		})
	}
}

// How often, and by how much, hull and grid miss the optimum: percent of up to 2,000 budgets evenly spaced from the
// least error to that of accepting all, and mean excess in percent of the optimum's deferrals.
func BenchmarkMisses(b *testing.B) {
	for _, size := range []struct{ n, k int }{{1e4, 1}, {1e4, 2}, {1e4, 10}, {1e5, 100}} {
		timed(b, size.n, size.k, false, func(b *testing.B, r Records) error {
			f, err := newFrontier(r, Options{}, size.k == 1)
			if err != nil {
				return err
			}
			missed, excess, optimum := [3]float64{}, [3]float64{}, 0.0
			low, high := f.points[0].e, f.points[f.Len()-1].e
			count := min(high-low+1, 2000)
			for i := range count {
				budget := low + (high-low)*i/(count-1)
				best := f.points[f.index(budget)].d
				optimum += float64(best)
				choice, _ := sweep(f.ms, Count{budget, 1})
				swept := int64(0)
				for k, j := range choice {
					swept += f.ms[k][j].d
				}
				for k, d := range [3]int64{f.hull.d[f.hull.within(budget)], f.hull.relax(budget).d, swept} {
					if excess[k] += float64(d - best); d > best {
						missed[k]++
					}
				}
			}
			for k, name := range [3]string{"vertices", "lagrangian", "grid"} {
				b.ReportMetric(100*missed[k]/float64(count), name+"-missed-%")
				b.ReportMetric(100*excess[k]/optimum, name+"-excess-%")
			}
			return nil
		})
	}
}
