package gpu

import "fmt"

// Work is what a model is to do.
type Work struct {
	Calls       int
	Prompts     float64 // FLOPs of the prompts
	Completion  int     // generated tokens
	Concurrency int     // calls at a time, over all servers
}

// Span is an estimate of a time, in seconds.
type Span struct{ Low, High float64 }

// Plus adds another span.
func (s Span) Plus(o Span) Span { return Span{s.Low + o.Low, s.High + o.High} }

// Times multiplies a span.
func (s Span) Times(n float64) Span { return Span{float64(s.Low * n), float64(s.High * n)} }

// Turn is how long the servers of a model take.
type Turn struct {
	Start  Span // of the engine, weights on the disk
	Asking Span // of all calls
	GPUs   int  // that are busy meanwhile
}

// Hours are the GPU hours of a turn.
func (t Turn) Hours() Span { return t.Start.Plus(t.Asking).Times(float64(t.GPUs) / 3600) }

// The constants of the estimate. Pope et al. (2022), "Efficiently Scaling Transformer Inference", Table 2,
// measured 43 to 76 % of the peak for the prompts of a large model; short prompts to a small model use less.
const (
	leastUse = 0.10 // of the GPU's peak, on prompts
	mostUse  = 0.50

	// A generated token takes a step, in which the weights are read once for all sequences at a time (the same
	// paper, section 2). An engine adds its own work.
	mostStep = 0.020 // seconds

	// What one server and this client do at most and at least, whatever the model: requests over HTTP are
	// tokenized, scheduled and answered one by one.
	mostCalls  = 400 // a second
	leastCalls = 30

	// Start-up: the engine's imports, its compilation and CUDA graphs, and the weights from the disk. vLLM 0.32
	// was ready after two minutes on two cores of a CPU.
	leastStart = 40.0 // seconds
	mostStart  = 300.0
	fastDisk   = 2e9 // bytes a second
	slowDisk   = 2e8
)

// Assumptions says what the estimates rest on.
func Assumptions() string {
	return fmt.Sprintf("prompts at %.0f to %.0f %% of the GPUs' peak in 16 bits; a step per generated token, which "+
		"reads the "+
		"weights once; %d to %d calls a second for a server; %.0f to %.0f seconds for the start of an engine, and the "+
		"weights read "+
		"at %.1f to %.0f GB a second", 100*leastUse, 100*mostUse, leastCalls, mostCalls, leastStart, mostStart,
		slowDisk/1e9, fastDisk/1e9)
}

// Estimate estimates a turn of a model's servers. The error says what is not known.
//
//	start    the engine's own time + weights / disk
//	asking   the longer of  calls / rate  and
//	         prompts' FLOPs / (use · peak) + completion tokens / sequences at a time · step
//	step     weights / bandwidth at least, twice that and the engine's own time at most
func (w Work) Estimate(servers [][]Device, need Need) (Turn, error) {
	if len(servers) == 0 {
		return Turn{}, fmt.Errorf("no GPU is there for it")
	}
	gpus := len(servers[0])
	var peak Peak
	for _, s := range servers {
		for _, d := range s {
			p, ok := d.peak()
			if !ok {
				return Turn{}, fmt.Errorf("the speed of %s is not known", d.Name)
			}
			if peak.TFLOPS == 0 || p.TFLOPS < peak.TFLOPS {
				peak = p
			}
		}
	}
	n, weights := float64(len(servers)), need.Weights // on each GPU
	all := float64(gpus) * n * peak.TFLOPS * 1e12
	step := func(bytes int64) float64 { return float64(bytes) / (peak.Bandwidth * 1e9) }
	steps := float64(w.Completion) / float64(max(1, w.Concurrency))
	low := w.Prompts/(mostUse*all) + float64(steps*step(weights.Low))
	high := w.Prompts/(leastUse*all) + float64(steps*(float64(2*step(weights.High))+mostStep))
	return Turn{
		GPUs: gpus * len(servers),
		Start: Span{leastStart + float64(weights.Low)*float64(gpus)/fastDisk,
			mostStart + float64(weights.High)*float64(gpus)/slowDisk},
		Asking: Span{max(low, float64(w.Calls)/(mostCalls*n)), max(high, float64(w.Calls)/(leastCalls*n))},
	}, nil
}
