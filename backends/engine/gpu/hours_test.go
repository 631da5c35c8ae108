package gpu

import (
	"math"
	"strings"
	"testing"
)

// Names as nvidia-smi prints them; figures from the data sheets that peaks.go names.
func TestPeaks(t *testing.T) {
	for _, tt := range []struct {
		name   string
		tflops float64 // 0 = not known
	}{
		{name: "NVIDIA H100 80GB HBM3", tflops: 989.4},
		{name: "NVIDIA H100 PCIe", tflops: 756.4},
		{name: "NVIDIA H100 NVL", tflops: 835.5},
		{name: "NVIDIA H200", tflops: 989.4},
		{name: "NVIDIA GH200 480GB", tflops: 989.4},
		{name: "NVIDIA A100-SXM4-40GB", tflops: 312},
		{name: "NVIDIA A100 80GB PCIe", tflops: 312},
		{name: "NVIDIA A100-SXM4-80GB", tflops: 312},
		{name: "NVIDIA L4", tflops: 121},
		{name: "NVIDIA L40", tflops: 181},
		{name: "NVIDIA L40S", tflops: 362},
		{name: "NVIDIA A10", tflops: 125},
		{name: "NVIDIA A10G", tflops: 70},
		{name: "NVIDIA RTX A6000", tflops: 154.8},
		{name: "NVIDIA RTX 6000 Ada Generation", tflops: 364.2},
		{name: "NVIDIA GeForce RTX 4090", tflops: 165.2},
		{name: "Tesla T4", tflops: 65},
		{name: "Tesla V100-SXM2-32GB", tflops: 112},
		{name: "NVIDIA GeForce GTX 1080"},
		{name: "NVIDIA A1000"},
		{name: "NVIDIA GeForce RTX 4090 Laptop GPU"}, // a smaller chip under the desktop's name
		{name: "NVIDIA GeForce RTX 4090 D"},
		{name: "NVIDIA T4G"},
		{name: ""},
	} {
		p, ok := PeakOf(tt.name)
		if ok != (tt.tflops > 0) || ok && p.TFLOPS != tt.tflops {
			t.Errorf("%s: %+v, %v, want %v", tt.name, p, ok, tt.tflops)
		}
	}
	for _, name := range Names() {
		if p, ok := PeakOf(name); !ok || p.Name != name || p.Bandwidth <= 0 {
			t.Errorf("%s is found as %+v", name, p)
		}
	}
}

func TestTurn(t *testing.T) {
	h100 := Device{UUID: "0", Name: "NVIDIA H100 80GB HBM3", Total: 80 << 30}
	slice := Device{UUID: "1", Name: "NVIDIA A100-SXM4-80GB", Slice: "3g.40gb", Total: 38 << 30}
	need := Need{Weights: Range{10e9, 20e9}}
	for _, tt := range []struct {
		name    string
		work    Work
		servers [][]Device
		start   Span // seconds, by hand: 40 + 10/2 and 300 + 20/.2
		asking  Span
		gpus    int
	}{
		// 9.894e17 FLOPs at 50 % of 989.4 TFLOPS: 2,000 s, at 10 %: 10,000 s
		{name: "prompts", work: Work{Calls: 1000, Prompts: 9.894e17}, servers: [][]Device{{h100}}, start: Span{45, 400},
			asking: Span{2000, 10000}, gpus: 1},
		{name: "two servers", work: Work{Calls: 1000, Prompts: 9.894e17}, servers: [][]Device{{h100}, {h100}},
			start: Span{45, 400}, asking: Span{1000, 5000}, gpus: 2},
		// both GPUs of a server hold half of the weights
		{name: "two GPUs", work: Work{Calls: 1000, Prompts: 9.894e17}, servers: [][]Device{{h100, h100}},
			start:  Span{50, 500},
			asking: Span{1000, 5000}, gpus: 2},
		// 400 and 30 calls a second
		{name: "many short calls", work: Work{Calls: 12000, Prompts: 1}, servers: [][]Device{{h100}}, start: Span{45, 400},
			asking: Span{30, 400}, gpus: 1},
		// 32,000 tokens, 16 at a time: 2,000 steps of 10e9/3.35e12 s, and of 2·20e9/3.35e12 + .02 s
		{name: "generation", work: Work{Calls: 1, Completion: 32000, Concurrency: 16}, servers: [][]Device{{h100}},
			start: Span{45, 400}, asking: Span{2000 * 10e9 / 3.35e12, 2000 * (40e9/3.35e12 + 0.02)}, gpus: 1},
		// three sevenths of 312 TFLOPS
		{name: "a slice", work: Work{Calls: 1, Prompts: 3.12e17 * 3 / 7}, servers: [][]Device{{slice}}, start: Span{45, 400},
			asking: Span{2000, 10000}, gpus: 1},
	} {
		turn, err := tt.work.Estimate(tt.servers, need)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		near := func(a, b Span) bool {
			return math.Abs(a.Low/b.Low-1) < 1e-9 && math.Abs(a.High/b.High-1) < 1e-9
		}
		hours := tt.start.Plus(tt.asking).Times(float64(tt.gpus) / 3600)
		if !near(turn.Start, tt.start) || !near(turn.Asking, tt.asking) || turn.GPUs != tt.gpus ||
			!near(turn.Hours(), hours) {
			t.Errorf("%s: %+v, want start %v, asking %v, %d GPUs", tt.name, turn, tt.start, tt.asking, tt.gpus)
		}
	}
	odd := Device{UUID: "2", Name: "NVIDIA GTX 1080"}
	if _, err := (Work{}).Estimate([][]Device{{odd}}, need); err == nil ||
		!strings.Contains(err.Error(), "GTX 1080 is not known") {
		t.Errorf("unknown GPU: %v", err)
	}
	if _, err := (Work{}).Estimate(nil, need); err == nil {
		t.Error("without a GPU there is an estimate")
	}
}
