//go:build unix

package encoder

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"testing"
)

// BenchmarkMiniLM embeds the 200 real texts of the fixture with the real
// weights; testdata/torch_bench.py does the same with sentence-transformers.
func BenchmarkMiniLM(b *testing.B) {
	data := os.Getenv("INFNET_DATA")
	if data == "" {
		b.Skip("set INFNET_DATA to the folder of datasets")
	}
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprintf("threads=%d", threads), func(b *testing.B) {
			e := minilm(b, threads)
			texts := realTexts(b, data)
			tokens := 0
			for _, t := range texts {
				tokens += len(e.tokens.Encode(t, e.longest))
			}
			begun := processorSeconds(b)
			for b.Loop() {
				if _, err := e.Embed(context.Background(), texts); err != nil {
					b.Fatal(err)
				}
			}
			perSecond := float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(perSecond*float64(len(texts)), "texts/s")
			b.ReportMetric(perSecond*float64(tokens), "tokens/s")
			b.ReportMetric(float64(b.N*len(texts))/(processorSeconds(b)-begun), "texts/processor-s")
		})
	}
}

// processorSeconds is what this process has used: on a busy machine it says more than a clock.
func processorSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
