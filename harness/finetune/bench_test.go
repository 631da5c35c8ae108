//go:build unix

package finetune

import (
	"runtime"
	"syscall"
	"testing"

	"infnet/harness/seed"
)

// BenchmarkTraining trains on batches of 32 texts of 40 tokens.
func BenchmarkTraining(b *testing.B) {
	l := real(b)
	for _, threads := range []int{1, 2} {
		b.Run(map[int]string{1: "1 thread", 2: "2 threads"}[threads], func(b *testing.B) {
			if threads > runtime.GOMAXPROCS(0) {
				b.Skip("not so many processors")
			}
			e, err := openExecutor(l.arch, threads)
			if err != nil {
				b.Fatal(err)
			}
			w := l.weights.start(l.arch, seed.Stream(1, "bench"))
			x := &batch{rows: rows, length: 40}
			for r := range rows {
				for range 40 {
					x.tokens, x.kinds = append(x.tokens, int32(1000+97*len(x.tokens)%20000)), append(x.kinds, 0)
				}
				x.used, x.label = append(x.used, 40), append(x.label, r%2)
			}
			opt, steps := newAdamW(l.arch.slots()), 0
			if _, _, err := e.step(w, x); err != nil { // compiles
				b.Fatal(err)
			}
			begun := processorSeconds(b)
			for b.Loop() {
				_, g, err := e.step(w, x)
				if err != nil {
					b.Fatal(err)
				}
				opt.step(w, g, rate)
				steps++
			}
			spent := processorSeconds(b) - begun
			b.ReportMetric(float64(rows*steps)/b.Elapsed().Seconds(), "examples/s")
			b.ReportMetric(float64(rows*steps)/spent, "examples/processor-s")
			b.ReportMetric(trainTimes*rows*l.arch.flops(40)*float64(steps)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}

// processorSeconds is what this process has used: on a busy machine it says
// more than a clock.
func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	at := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return at(u.Utime) + at(u.Stime)
}
