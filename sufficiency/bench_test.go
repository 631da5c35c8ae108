package sufficiency

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"syscall"
	"testing"
)

// The test on 6,400 records and 100 columns of J: 5 folds, the null
// and the full model, T permutations, 100 trees of depth 3, one null, all cores.
func BenchmarkProtocol(b *testing.B) {
	in := drawn(6400, 100, .2, 1)
	in.Class = nil
	for _, permutations := range []int{0, 10, 199} {
		name, method := fmt.Sprintf("T=%d", permutations), Plain
		if permutations == 0 {
			name, method = "pcm", PCM
		}
		b.Run(name, func(b *testing.B) {
			runs, before := 0, cpuSeconds(b)
			for b.Loop() {
				runs++
				_, err := Run(b.Context(), in, Options{Seed: 1, Permutations: permutations, Method: method,
					Threads: runtime.GOMAXPROCS(0)}, nil)
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpuSeconds(b)-before)/float64(runs), "cpu-s/op")
		})
	}
}

// cpuSeconds is the processor time used, which other work on the machine blurs
// less than the clock.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// The truncated SVD of 6,400 embeddings of 768 dimensions to 100.
func BenchmarkEmbeddings(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 1))
	vectors := make([][]float32, 6400)
	for i := range vectors {
		vectors[i] = make([]float32, 768)
		for j := range vectors[i] {
			vectors[i][j] = float32(r.NormFloat64())
		}
	}
	runs, before := 0, cpuSeconds(b)
	for b.Loop() {
		runs++
		if _, err := Embeddings("e", vectors, 100); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric((cpuSeconds(b)-before)/float64(runs), "cpu-s/op")
}
