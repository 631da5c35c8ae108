//go:build unix

package kernel

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"infnet/backends/runtime/number"
)

// Gigabytes of weights that a product of a few rows walks through in a second of
// processor time, and its arithmetic.
func BenchmarkMatrix(b *testing.B) {
	const n, k = 1 << 15, 1024
	rng := rand.New(rand.NewPCG(9, 9))
	for _, rows := range []int{1, 4, 192} {
		x, out := random(rng, rows*k, 1), make([]float32, rows*n)
		for f, size := range []float64{number.Float32: 4, number.BFloat16: 2, number.Float16: 2} {
			b.Run(fmt.Sprintf("rows=%d/bytes=%v/format=%d", rows, size, f), func(b *testing.B) {
				m := NewMatrix(n, k, number.Format(f))
				for i := range m.panels { // an untouched page is not memory
					m.panels[i] = 1
				}
				for i := range m.halves {
					m.halves[i] = 0x3c00
				}
				begun := processorSeconds(b)
				for b.Loop() {
					m.Mul(out, n, x, k, rows, 0, n)
				}
				spent := processorSeconds(b) - begun
				b.ReportMetric(size*n*k*float64(b.N)/spent/1e9, "GB/processor-s")
				b.ReportMetric(2*float64(rows)*n*k*float64(b.N)/spent/1e9, "GFLOP/processor-s")
			})
		}
	}
}

func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
