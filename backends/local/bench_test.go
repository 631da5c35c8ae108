//go:build unix

package local

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"

	"infnet/backends"
)

// benchPrompts makes 512 prompts of 20 to 120 tokens; testdata/torch_bench.py
// uses the same lengths.
func benchPrompts(m *Model, shared int) [][]int32 {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([][]int32, 512)
	for i := range out {
		out[i] = make([]int32, 20+i*37%101)
		for k := range out[i] {
			out[i][k] = int32(rng.IntN(m.net.Shape.Vocabulary))
			if k < shared {
				out[i][k] = int32(k)
			}
		}
	}
	return out
}

// cpuSeconds is the processor time this process has used.
func cpuSeconds(b *testing.B) float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// Tokens per second of prompts, classified in calls of 64. "shared" has 16
// tokens all prompts begin with.
func BenchmarkClassify(b *testing.B) {
	for _, model := range []struct {
		name string
		dims dims
	}{{"student", studentDims}, {"master", masterDims}} {
		for _, threads := range []int{1, 2} {
			for _, shared := range []int{0, 16} {
				b.Run(fmt.Sprintf("%s/threads=%d/shared=%d", model.name, threads, shared), func(b *testing.B) {
					m := openRandom(b, model.dims, threads)
					prompts := benchPrompts(m, shared)
					tokens, cpu := 0, cpuSeconds(b)
					for b.Loop() {
						for i := 0; i < len(prompts); i += 64 {
							var jobs []*job
							for _, p := range prompts[i : i+64] {
								jobs = append(jobs, &job{request: &backends.Request{Labels: []string{"a", "b"}}, answer: &backends.Answer{},
									tokens: p, labels: []int32{5, 6}})
								tokens += len(p)
							}
							if err := m.compute(b.Context(), jobs); err != nil {
								b.Fatal(err)
							}
						}
					}
					b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
					b.ReportMetric(float64(tokens)/(cpuSeconds(b)-cpu), "tokens/CPU-s")
				})
			}
		}
	}
}

// Tokens per second written by greedy generation for 64 requests at once, 16
// each. Their prompts are one prompt of 70 tokens, so that reading it takes next
// to no time; the continuations are computed one by one all the same.
func BenchmarkGenerate(b *testing.B) {
	for _, model := range []struct {
		name string
		dims dims
	}{{"student", studentDims}, {"master", masterDims}} {
		for _, threads := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/threads=%d", model.name, threads), func(b *testing.B) {
				m := openRandom(b, model.dims, threads)
				m.eos = nil
				prompt := make([]int32, 70)
				for k := range prompt {
					prompt[k] = int32(k)
				}
				tokens, cpu := 0, cpuSeconds(b)
				for b.Loop() {
					var jobs []*job
					for range 64 {
						jobs = append(jobs, jobOf(prompt, 16))
						tokens += 16
					}
					if err := m.compute(b.Context(), jobs); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
				b.ReportMetric(float64(tokens)/(cpuSeconds(b)-cpu), "tokens/CPU-s")
			})
		}
	}
}

var benchFolder = flag.String("bench-folder", "", "model folder that BenchmarkFolder times")

// Tokens per second of any folder: 4 prompts of 128 random tokens classified;
// 4 prompts of one random token continued by 16 each; one prompt continued by
// 32.
func BenchmarkFolder(b *testing.B) {
	if *benchFolder == "" {
		b.Skip("no -bench-folder: no model is timed")
	}
	for _, threads := range []int{1, 2} {
		m := load(b, *benchFolder, threads)
		m.eos = nil
		rng := rand.New(rand.NewPCG(1, 1))
		for _, mode := range []struct {
			name                  string
			prompts, length, more int
		}{{"classify", 4, 128, 0}, {"generate", 4, 1, 16}, {"one", 1, 1, 32}} {
			b.Run(fmt.Sprintf("%s/threads=%d", mode.name, threads), func(b *testing.B) {
				tokens, cpu := 0, cpuSeconds(b)
				for b.Loop() {
					var jobs []*job
					for range mode.prompts {
						j := jobOf(make([]int32, mode.length), mode.more)
						for k := range j.tokens {
							j.tokens[k] = int32(rng.IntN(m.net.Shape.Vocabulary))
						}
						if mode.more == 0 {
							j.labels, j.request = []int32{5, 6}, &backends.Request{Labels: []string{"a", "b"}}
						}
						jobs, tokens = append(jobs, j), tokens+max(mode.more, mode.length)
					}
					if err := m.compute(b.Context(), jobs); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
				b.ReportMetric(float64(tokens)/(cpuSeconds(b)-cpu), "tokens/CPU-s")
			})
		}
	}
}
