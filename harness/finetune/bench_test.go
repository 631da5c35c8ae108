package finetune

import (
	"os"
	"runtime"
	"testing"

	"infnet/harness/seed"
)

// real opens the sentence encoder all-MiniLM-L6-v2, which is not part of this
// repository.
func real(t testing.TB) *Learner {
	t.Helper()
	dir := os.Getenv("INFNET_MINILM")
	if dir == "" {
		t.Skip("INFNET_MINILM is not set: name a folder of all-MiniLM-L6-v2 to fine-tune real weights")
	}
	l, err := Open(Options{Name: "minilm", Folder: os.DirFS(dir)})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// A few steps on real weights give PyTorch's losses.
func TestTrainsRealWeightsAsPyTorchDoes(t *testing.T) {
	l := real(t)
	w := l.weights.clone()
	for i, s := range l.arch.slots() { // the head of testdata/make_fixtures.py
		switch s.name {
		case "classifier.weight":
			w[i] = make([]float32, s.size())
			for k := range w[i] {
				w[i][k] = float32((k/l.arch.Hidden*31+k%l.arch.Hidden*17)%64-32) / 1024
			}
		case "classifier.bias":
			w[i] = make([]float32, s.size())
		}
	}
	follow(t, l.arch, w, readExpected(t, "testdata/minilm.json"), 1e-4)
}

// BenchmarkTraining trains on batches of 32 texts of 40 tokens.
func BenchmarkTraining(b *testing.B) {
	l := real(b)
	for _, threads := range []int{1, 2} {
		b.Run(map[int]string{1: "1 thread", 2: "2 threads"}[threads], func(b *testing.B) {
			if threads > runtime.GOMAXPROCS(0) {
				b.Skip("not so many processors")
			}
			e, err := openEngine(l.arch, threads)
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
			opt := newAdamW(l.arch.slots())
			for b.Loop() {
				_, g, err := e.step(w, x)
				if err != nil {
					b.Fatal(err)
				}
				opt.step(w, g, rate)
			}
			b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "examples/s")
			b.ReportMetric(trainTimes*rows*l.arch.flops(40)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
		})
	}
}
